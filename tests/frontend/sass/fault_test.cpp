// Illegal accesses and instructions end in one message that says where and what.
#include "frontend/sass/sass_fixture.h"

namespace smpipe::test {
namespace {

std::string fault(const std::vector<std::string>& body, std::uint32_t shared = 256, std::uint32_t local = 64,
                  const std::string& architecture = "sm_80") {
  std::vector<std::string> program = {"S2R R0, SR_TID.X", "MOV R2, c[0x0][0x160]", "MOV R3, c[0x0][0x164]"};
  if (architecture == "sm_90") program = {"S2R R0, SR_TID.X", "MOV R2, c[0x0][0x210]", "MOV R3, c[0x0][0x214]"};
  program.insert(program.end(), body.begin(), body.end());
  program.emplace_back("EXIT");
  SassRun run("k", architecture);
  run.shared(shared).local(local).output<std::uint32_t>(64);
  return input_error([&] { run.run_listing(listing(program, architecture)); });
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(SassFaults, GlobalOutOfBounds) {
  const std::string text = fault({"IMAD.WIDE.U32 R2, R0, 0x20, R2", "LDG.E R4, [R2.64]"});
  expect_contains(text, "test.sass:11: ");
  expect_contains(text, "kernel 'k', 0x40 'LDG.E R4, [R2.64]'");
  expect_contains(text, "block (0,0,0)");
  expect_contains(text, "thread (8,0,0)");
  expect_contains(text, "global address 0x7f0000000100");
  expect_contains(text, "nearest buffer 'A' is [0x7f0000000000, 0x7f0000000100)");
}

TEST(SassFaults, StoresAtomicsAndCopiesAreCheckedToo) {
  expect_contains(fault({"STG.E [R2.64+0x100], R0"}), "outside of every buffer");
  expect_contains(fault({"STG.E.64 [R2.64+0xfc], R0"}), "outside of every buffer");
  expect_contains(fault({"STG.E [R2.64+-0x4], R0"}), "outside of every buffer");
  expect_contains(fault({"RED.E.ADD.STRONG.GPU [R2.64+0x100], R0"}), "outside of every buffer");
  expect_contains(fault({"LDGSTS.E [R0.X4], [R2.64+0x100]"}), "outside of every buffer");
  expect_contains(fault({"LDGSTS.E [R0.X4+0x200], [R2.64]"}), "shared address");
}

TEST(SassFaults, Misaligned) {
  expect_contains(fault({"LDG.E R4, [R2.64+0x2]"}), "misaligned access of 4 bytes");
  expect_contains(fault({"LDG.E.128 R4, [R2.64+0x8]"}), "misaligned access of 16 bytes");
  expect_contains(fault({"LDGSTS.E.BYPASS.128 [RZ], [R2.64+0x8]"}), "misaligned access of 16 bytes at global");
  expect_contains(fault({"LDGSTS.E.BYPASS.128 [R0.X4+0x4], [R2.64]"}), "misaligned access of 16 bytes at shared");
  expect_contains(fault({"LDS.64 R4, [R0.X4]"}), "misaligned access of 8 bytes at shared");
  expect_contains(fault({"LDL.64 R4, [0x4]"}), "misaligned access of 8 bytes at local");
}

TEST(SassFaults, SharedMemoryEndsWithTheBlocksAllocation) {
  EXPECT_EQ(fault({"LDS R4, [R0.X4+0x80]"}), "");
  expect_contains(fault({"LDS R4, [R0.X4+0x84]"}), "beyond the block's 256 bytes");
  expect_contains(fault({"LDSM.16.M88.4 R4, [R0.X16]"}), "beyond the block's 256 bytes");
  // sm_90 reserves the first kilobyte.
  EXPECT_EQ(fault({"LDS R4, [R0.X4+0x480]"}, 256, 64, "sm_90"), "");
  expect_contains(fault({"LDS R4, [R0.X4+0x484]"}, 256, 64, "sm_90"), "1280 bytes of shared memory");
}

TEST(SassFaults, LocalMemoryEndsWithTheStack) {
  EXPECT_EQ(fault({"STL [0x3c], R0"}), "");
  expect_contains(fault({"STL [0x40], R0"}), "beyond the thread's 64 bytes of stack");
  expect_contains(fault({"STL [R1], R0"}, 256, 0), "local_bytes");
}

TEST(SassFaults, UnknownOpcodesFailOnlyWhenExecuted) {
  expect_contains(fault({"FROBNICATE.X R1, R2"}), "cannot execute FROBNICATE.X: this opcode is not supported");
  expect_contains(fault({"FADD.WEIRD R1, R2, R3"}), "modifier .WEIRD is not supported");
  EXPECT_EQ(fault({"@!PT FROBNICATE.X R1, R2"}), "");
  EXPECT_EQ(fault({"BRA 0x50", "FROBNICATE R1"}), "");
}

TEST(SassFaults, TrapsAndBadTargets) {
  expect_contains(fault({"BPT.TRAP 0x1"}), "trap");
  expect_contains(fault({"MOV R4, 0x5000", "MOV R5, RZ", "RET.REL.NODEC R4 0x0"}), "control transfer to 0x5000");
  expect_contains(fault({"BAR.SYNC R3"}), "does not exist");
}

TEST(SassFaults, UnknownConstantBanksSayHowToGetThem) {
  expect_contains(fault({"LDC R4, c[0x3][R0]"}), "cuobjdump -sass -elf");
  expect_contains(fault({"MOV R4, c[0x0][0x400]"}), "argument list is shorter");
}

TEST(SassFaults, DeadlockIsReported) {
  SassRun run("k", "sm_80");
  run.block(64).output<int>(1);
  const std::string text = input_error([&] {
    run.run_listing(listing(
        {"S2R R0, SR_TID.X", "ISETP.GE.AND P0, PT, R0, 0x20, PT", "@P0 BAR.SYNC 0x1, 0x60", "BAR.SYNC 0x0", "EXIT"}));
  });
  expect_contains(text, "deadlocked");
}

TEST(SassFaults, RunawayKernelsHitTheLimit) {
  SassRun run("k", "sm_80");
  run.output<int>(1);
  expect_contains(input_error([&] { run.run_listing(listing({"BRA 0x0", "EXIT"})); }), "may not terminate");
}

TEST(SassFaults, ImpossibleShapes) {
  SassRun run("k", "sm_80");
  run.grid(0).output<int>(1);
  expect_contains(input_error([&] { run.run_listing(listing({"EXIT"})); }), "no blocks");
  SassRun wide("k", "sm_80");
  wide.block(2048).output<int>(1);
  expect_contains(input_error([&] { wide.run_listing(listing({"EXIT"})); }), "1 to 1024 threads");
}

}  // namespace
}  // namespace smpipe::test
