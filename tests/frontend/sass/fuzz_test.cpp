// Damaged listings: never a crash, always an InputError or success.
#include <fstream>
#include <iterator>

#include "frontend/sass/sass_fixture.h"

namespace smpipe::test {
namespace {

std::string shipped_kernel(const std::string& name, const std::string& architecture) {
  std::ifstream stream(data_file("kernels." + architecture + ".sass"));
  std::string text = "code for " + architecture + "\n";
  bool on = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("Function : ", 0) == 0) on = line.substr(11) == name;
    if (on) text += line + "\n";
  }
  return text;
}

/// Reads and runs; anything but success or an InputError fails the test by escaping.
void survive(const std::string& text, const std::string& kernel, const std::string& architecture) {
  SassRun run(kernel, architecture);
  run.grid(1).block(32).shared(4224).local(256);
  run.buffer(random_values<float>(4096, -1, 1)).output<float>(4096).argument(40).argument(30);
  try {
    SassKernel code = read_sass_text(text, "fuzz.sass", kernel, architecture);
    DeviceMemory memory(run.launch().buffers);
    SassExecutor executor(std::move(code), run.launch(), memory);
    run_untimed(executor, 20'000);
  } catch (const InputError& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
  }
}

class SassFuzz : public ::testing::TestWithParam<const char*> {};

TEST_P(SassFuzz, TruncatedAnywhere) {
  const std::string text = shipped_kernel("transpose", GetParam());
  for (std::size_t length = 0; length < text.size(); length += 97)
    survive(text.substr(0, length), "transpose", GetParam());
}

TEST_P(SassFuzz, MutatedCharacters) {
  Random random(7);
  for (const char* kernel : {"transpose", "atomics", "votes", "cpasync", "wmmabf", "packed"}) {
    const std::string text = shipped_kernel(kernel, GetParam());
    static constexpr char alphabet[] = "RUPBTZX0123456789abcdef.,;[]{}|!-~+*/ @\n";
    for (int k = 0; k < 150; ++k) {
      std::string damaged = text;
      for (unsigned n = 1 + random() % 12; n > 0; --n) {
        damaged[random() % damaged.size()] = alphabet[random() % (sizeof alphabet - 1)];
      }
      survive(damaged, kernel, GetParam());
    }
  }
}

TEST_P(SassFuzz, SwappedOperandsAndModifiers) {
  Random random(11);
  static const char* const pieces[] = {"R0",
                                       "RZ",
                                       "R254",
                                       "UR4",
                                       "URZ",
                                       "P0",
                                       "PT",
                                       "!P1",
                                       "-R3",
                                       "|R4|",
                                       "0x10",
                                       "-1.5",
                                       "+INF",
                                       "[R2.64]",
                                       "[R3.X16+0x7]",
                                       "c[0x0][0x160]",
                                       "c[0x3][R2]",
                                       "SR_TID.X",
                                       "B3",
                                       "SB2",
                                       "{1,2}",
                                       "PR",
                                       "desc[UR4][R6.64+-0x8]"};
  static const char* const mnemonics[] = {"IADD3",
                                          "IADD3.X",
                                          "IMAD.WIDE",
                                          "IMAD.HI.U32",
                                          "LOP3.LUT",
                                          "PLOP3.LUT",
                                          "SHF.R.S32.HI",
                                          "ISETP.GE.AND",
                                          "LEA.HI",
                                          "FFMA.RZ",
                                          "FSETP.LT.OR",
                                          "MUFU.EX2",
                                          "HFMA2.MMA",
                                          "HADD2.F32",
                                          "DFMA",
                                          "F2I.TRUNC.NTZ",
                                          "I2F.U64.RP",
                                          "SHFL.IDX",
                                          "VOTE.ANY",
                                          "MATCH.ALL",
                                          "REDUX.SUM",
                                          "R2P",
                                          "LDG.E.128",
                                          "STS.64",
                                          "LDSM.16.M88.4",
                                          "LDGSTS.E.BYPASS.128.ZFILL",
                                          "ATOMS.CAS",
                                          "ATOMG.E.ADD.F32",
                                          "BAR.SYNC",
                                          "BRX",
                                          "RET.REL.NODEC",
                                          "WARPSYNC",
                                          "BSSY",
                                          "BSYNC",
                                          "BREAK",
                                          "EXIT",
                                          "HMMA.16816.F32.BF16",
                                          "IMMA.16832.S8.S8",
                                          "DMMA.884",
                                          "UIADD3",
                                          "ULDC.64",
                                          "S2UR",
                                          "CS2R",
                                          "SYNCS.EXCH.64",
                                          "ARRIVES.LDGSTSBAR.64",
                                          "QSPC.E.S",
                                          "LDC",
                                          "NANOSLEEP",
                                          "BMOV.32",
                                          "PRMT",
                                          "F2FP.BF16.F32.PACK_AB"};
  for (int k = 0; k < 4000; ++k) {
    std::vector<std::string> program;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      std::string text = mnemonics[random() % std::size(mnemonics)];
      const unsigned operands = random() % 7;
      for (unsigned o = 0; o < operands; ++o) {
        text += std::string(o ? ", " : " ") + pieces[random() % std::size(pieces)];
      }
      program.push_back(text);
    }
    program.emplace_back("EXIT");
    survive(listing(program, GetParam()), "k", GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, SassFuzz, ::testing::Values("sm_80", "sm_90"));

}  // namespace
}  // namespace smpipe::test
