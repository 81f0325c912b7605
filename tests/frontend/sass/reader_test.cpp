// Reading listings: structure, control codes, classification, and every way to be wrong.
#include <fstream>

#include "frontend/sass/classify.h"
#include "frontend/sass/sass_fixture.h"

namespace smpipe::test {
namespace {

using ::testing::Test;

TEST(SassReader, DecodesControlCode) {
  // reuse 5, wait mask 0b100001, read counter 2, write counter 1, yield hint set (bit 0), stall 13.
  const std::uint64_t control = std::uint64_t{5} << 17 | std::uint64_t{33} << 11 | 2 << 8 | 1 << 5 | 0 << 4 | 13;
  const ControlCode code = sass::control_code(control << 41 | 0x1ffffffffff);
  EXPECT_EQ(code.reuse, 5);
  EXPECT_EQ(code.wait_mask, 33);
  EXPECT_EQ(code.read_counter, 2);
  EXPECT_EQ(code.write_counter, 1);
  EXPECT_TRUE(code.yield);
  EXPECT_EQ(code.stall, 13);
}

TEST(SassReader, ControlCodeWithoutYieldOrCounters) {
  const ControlCode code = sass::control_code(0x000fe20000000f00);
  EXPECT_EQ(code.stall, 1);
  EXPECT_FALSE(code.yield);
  EXPECT_EQ(code.write_counter, ControlCode::kNoCounter);
  EXPECT_EQ(code.read_counter, ControlCode::kNoCounter);
  EXPECT_EQ(code.wait_mask, 0);
}

Instruction classified(const std::string& text) {
  const SassKernel kernel = read_sass_text(listing({text, "EXIT"}), "t.sass", "k", "sm_80");
  return kernel.program.code.at(0);
}

TEST(SassReader, ClassifiesMemory) {
  const Instruction copy = classified("LDGSTS.E.BYPASS.128 [R15+0x1000], [R2.64], !P1");
  EXPECT_EQ(copy.op, OpClass::kMemory);
  EXPECT_EQ(copy.memory.kind, MemoryKind::kAsyncCopy);
  EXPECT_EQ(copy.memory.bytes, 16);
  EXPECT_TRUE(copy.memory.bypass_l1);
  EXPECT_FALSE(classified("LDGSTS.E.64 [R15], [R2.64]").memory.bypass_l1);
  const Instruction load = classified("LDG.E.128.CONSTANT R4, [R2.64+0x10]");
  EXPECT_EQ(load.memory.kind, MemoryKind::kLoad);
  EXPECT_EQ(load.memory.space, Space::kGlobal);
  EXPECT_EQ(load.memory.registers, 4);
  EXPECT_EQ(load.memory.cache, CacheOp::kCa);
  EXPECT_EQ(classified("LDG.E.STRONG.GPU R4, [R2.64]").memory.cache, CacheOp::kCg);
  EXPECT_TRUE(classified("LDG.E.STRONG.GPU R4, [R2.64]").memory.bypass_l1);
  EXPECT_EQ(classified("LDG.E.STRONG.SYS R4, [R2.64]").memory.cache, CacheOp::kCv);
  EXPECT_EQ(classified("LDG.E.EF R4, [R2.64]").memory.cache, CacheOp::kCs);
  EXPECT_EQ(classified("LDG.E.LU R4, [R2.64]").memory.cache, CacheOp::kLu);
  EXPECT_EQ(classified("LDSM.16.M88.4 R8, [R0]").memory.kind, MemoryKind::kLoadMatrix);
  EXPECT_EQ(classified("LDSM.16.MT88.2 R8, [R0]").memory.bytes, 8);
  EXPECT_EQ(classified("STS.U16 [R7], R2").memory.bytes, 2);
  EXPECT_EQ(classified("RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R4.64], R16").memory.kind, MemoryKind::kReduction);
  EXPECT_EQ(classified("ATOMS.CAS.64 RZ, [0x28], R4, R6").memory.kind, MemoryKind::kAtomic);
  EXPECT_EQ(classified("LD.E R0, [R14.64]").memory.space, Space::kGeneric);
  EXPECT_EQ(classified("STL.64 [R1+0x8], R4").memory.space, Space::kLocal);
}

TEST(SassReader, ClassifiesPipes) {
  EXPECT_EQ(classified("IMAD.WIDE R2, R19, 0x10, R12").op, OpClass::kIntMulWide);
  EXPECT_EQ(classified("IMAD.MOV.U32 R1, RZ, RZ, R2").op, OpClass::kIntMul);
  EXPECT_EQ(classified("FFMA R2, R9, R3, R6").op, OpClass::kFp32);
  EXPECT_EQ(classified("MUFU.RCP R4, R4").op, OpClass::kXu);
  EXPECT_EQ(classified("LDGDEPBAR").op, OpClass::kGroupCommit);
  EXPECT_EQ(classified("UIADD3 UR4, UR4, 0x1, URZ").op, OpClass::kUniform);
  EXPECT_EQ(classified("BAR.SYNC.DEFER_BLOCKING 0x0").op, OpClass::kBarrier);
  EXPECT_EQ(classified("CS2R R2, SR_CLOCKLO").op, OpClass::kSpecialRead);
  EXPECT_TRUE(classified("CS2R R2, SR_CLOCKLO").sets_clock);
  EXPECT_EQ(classified("HMMA.16816.F32.BF16 R8, R8, R4, RZ").tensor_macs, 2048u);
  EXPECT_EQ(classified("IMMA.16832.S8.S8 R8, R4.ROW, R2.COL, R8").tensor_macs, 4096u);
  EXPECT_TRUE(classified("EXIT").is_exit);
}

TEST(SassReader, ReadsDepbar) {
  const Instruction one = classified("DEPBAR.LE SB0, 0x2");
  EXPECT_EQ(one.op, OpClass::kDepbar);
  EXPECT_EQ(one.depbar_counter, 0);
  EXPECT_EQ(one.depbar_limit, 2);
  const Instruction several = classified("DEPBAR.LE SB1, 0x0, {4,2}");
  EXPECT_EQ(several.depbar_counter, 1);
  EXPECT_EQ(several.control.wait_mask & 0x14, 0x14);
}

TEST(SassReader, ListsSourceRegisters) {
  const Instruction fma = classified("FFMA R2, R9, R3, R6");
  ASSERT_EQ(fma.source_count, 3);
  EXPECT_EQ(fma.source_registers[0], 9);
  EXPECT_EQ(fma.source_registers[2], 6);
  const Instruction store = classified("STG.E [R2.64], R7");
  ASSERT_EQ(store.source_count, 2);
  EXPECT_EQ(store.source_registers[0], 2);
  EXPECT_EQ(store.source_registers[1], 7);
}

TEST(SassReader, PicksKernelAndArchitecture) {
  const std::string both = listing({"EXIT"}, "sm_80", "a") + listing({"NOP", "EXIT"}, "sm_80", "b") +
                           listing({"NOP", "NOP", "EXIT"}, "sm_90", "a");
  EXPECT_EQ(read_sass_text(both, "t", "a", "sm_80").program.code.size(), 1u);
  EXPECT_EQ(read_sass_text(both, "t", "b", "sm_80").program.code.size(), 2u);
  EXPECT_EQ(read_sass_text(both, "t", "a", "sm_90").program.code.size(), 3u);
  EXPECT_EQ(read_sass_text(both, "t", "", "sm_90").program.code.size(), 3u);
}

std::string problem(const std::string& text, const std::string& kernel = "k") {
  return input_error([&] { read_sass_text(text, "t.sass", kernel, "sm_80"); });
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(SassReaderErrors, NameWhatIsWrong) {
  expect_contains(problem(""), "empty");
  expect_contains(problem("hello\nworld\n"), "no SASS listing");
  expect_contains(problem(listing({"EXIT"}), "other"), "no kernel 'other'");
  expect_contains(problem(listing({"EXIT"}), "other"), "the listing has k");
  expect_contains(problem(listing({"EXIT"}, "sm_90")), "sm_90");
  expect_contains(problem(listing({"NOP"})), "no EXIT");
  expect_contains(problem(listing({"BRA 0x100", "EXIT"})), "branch target 0x100");
  expect_contains(problem(listing({"BRA 0x8", "EXIT"})), "branch target 0x8");
  expect_contains(problem(listing({"BRA", "EXIT"})), "no branch target");
  expect_contains(problem(listing({"IADD3 R1, R2, %5, RZ", "EXIT"})), "cannot read operand '%5'");
  expect_contains(problem(listing({"@Q0 MOV R1, R2", "EXIT"})), "guard");
  expect_contains(input_error([] { read_sass("/nonexistent/x.sass", "k", "sm_80"); }), "cannot open");
}

TEST(SassReaderErrors, NameTheLine) {
  std::string text = listing({"NOP", "EXIT"});
  // Without the last encoding word: line 5 has the EXIT.
  const std::size_t last = text.rfind("/* 0x");
  const std::string cut = text.substr(0, text.rfind('\n', last) + 1);
  expect_contains(problem(cut), "t.sass:5:");
  expect_contains(problem(cut), "no second encoding word");
  std::string hole = text;
  hole.replace(hole.find("/*0010*/"), 8, "/*0020*/");
  expect_contains(problem(hole), "0x10 was expected");
}

TEST(SassReader, ReadsConstantBanksAndResources) {
  const SassKernel kernel = read_sass(data_file("kernels.sm_80.sass"), "switches", "sm_80");
  EXPECT_FALSE(kernel.constant_banks.at(2).empty());
  ASSERT_TRUE(kernel.resources.has_value());
  EXPECT_GT(kernel.resources->registers_per_thread, 0u);
  const SassKernel transpose = read_sass(data_file("kernels.sm_90.sass"), "transpose", "sm_90");
  ASSERT_TRUE(transpose.resources.has_value());
  EXPECT_EQ(transpose.resources->static_shared_bytes, 32u * 33u * 4u);
}

TEST(SassReader, EveryShippedTestKernelReads) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    const std::string file = data_file("kernels." + architecture + ".sass");
    std::ifstream stream(file);
    unsigned kernels = 0;
    for (std::string line; std::getline(stream, line);) {
      if (line.rfind("Function : ", 0) != 0) continue;
      const std::string name = line.substr(11);
      EXPECT_NO_THROW(read_sass(file, name, architecture)) << name;
      ++kernels;
    }
    EXPECT_GT(kernels, 40u);
  }
}

}  // namespace
}  // namespace smpipe::test
