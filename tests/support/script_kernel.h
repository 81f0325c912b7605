// A kernel written in a test: a list of instructions with fixed addresses, the same for every warp. No machine code.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "program/warp_stream.h"

namespace smpipe::test {

struct ScriptLine {
  Instruction instruction;
  Step step;
};

/// Records the cycle at which each warp executed each instruction.
class ScriptKernel : public KernelSource {
 public:
  ScriptKernel(std::vector<ScriptLine> lines, LaunchShape shape) : lines_(std::move(lines)), shape_(shape) {
    for (auto& line : lines_) program_.code.push_back(line.instruction);
  }

  const Program& program() const override { return program_; }
  const LaunchShape& shape() const override { return shape_; }

  BlockStream& start_block(std::uint64_t linear, std::uint32_t sm) override {
    auto block = std::make_unique<Script>();
    for (std::uint32_t w = 0; w < shape_.warps_per_block(); ++w) {
      block->warps.push_back(std::make_unique<Run>(*this, linear, sm, w));
    }
    blocks_.push_back(std::move(block));
    return *blocks_.back();
  }
  void finish_block(BlockStream&) override { ++finished_; }

  struct Issue {
    Cycle cycle;
    std::size_t line;
    std::uint64_t block;
    std::uint32_t warp;
  };
  const std::vector<Issue>& issues() const { return issues_; }
  /// Cycles at which `warp` of `block` issued its instructions, in order.
  std::vector<Cycle> cycles(std::uint64_t block = 0, std::uint32_t warp = 0) const {
    std::vector<Cycle> result;
    for (const Issue& i : issues_) {
      if (i.block == block && i.warp == warp) result.push_back(i.cycle);
    }
    return result;
  }
  std::uint64_t finished() const { return finished_; }
  /// Changes the step of one warp's instruction: `(block, warp, line, step)`.
  std::function<void(std::uint64_t, std::uint32_t, std::size_t, Step&)> customise;

 private:
  class Run : public WarpStream {
   public:
    Run(ScriptKernel& owner, std::uint64_t block, std::uint32_t, std::uint32_t warp)
        : owner_(owner), block_(block), warp_(warp) {
      next_ = &owner_.program_.code[0];
    }
    void execute(Cycle now, Step& out) override {
      owner_.issues_.push_back({now, at_, block_, warp_});
      out = owner_.lines_[at_].step;
      if (owner_.customise) owner_.customise(block_, warp_, at_, out);
      ++at_;
      out.exited = at_ == owner_.lines_.size();
      next_ = out.exited ? nullptr : &owner_.program_.code[at_];
    }
    void finish_reduction(std::uint32_t, bool, bool) override {}

   private:
    ScriptKernel& owner_;
    std::uint64_t block_;
    std::uint32_t warp_;
    std::size_t at_ = 0;
  };
  struct Script : BlockStream {
    std::vector<std::unique_ptr<Run>> warps;
    WarpStream& warp(std::uint32_t index) override { return *warps[index]; }
  };

  std::vector<ScriptLine> lines_;
  LaunchShape shape_;
  Program program_;
  std::vector<std::unique_ptr<Script>> blocks_;
  std::vector<Issue> issues_;
  std::uint64_t finished_ = 0;
};

// ---- building lines ----

inline ScriptLine op(OpClass cls, std::uint8_t stall = 1) {
  ScriptLine line{};
  line.instruction.op = cls;
  line.instruction.control.stall = stall;
  line.instruction.text = "test";
  line.step.active = line.step.path = kAllLanes;
  return line;
}
inline ScriptLine waits(ScriptLine line, std::uint8_t mask) {
  line.instruction.control.wait_mask = mask;
  return line;
}
inline ScriptLine exit_line() {
  ScriptLine line = op(OpClass::kBranch, 5);
  line.instruction.is_exit = true;
  return line;
}
/// Memory access of `bytes` per lane at `base + lane * pitch`; results on write counter 0.
inline ScriptLine memory(MemoryKind kind, Space space, std::uint8_t bytes, std::uint64_t base, std::uint64_t pitch,
                         std::uint8_t write_counter = 0) {
  ScriptLine line = op(OpClass::kMemory, 1);
  MemoryOp& m = line.instruction.memory;
  m.kind = kind;
  m.space = space;
  m.bytes = bytes;
  m.registers = static_cast<std::uint8_t>((bytes + 3) / 4);
  const std::uint32_t address = space == Space::kShared ? 1 : 2;
  const std::uint32_t data = kind == MemoryKind::kStore || kind == MemoryKind::kAtomic ? m.registers : 0u;
  m.operand_registers = static_cast<std::uint8_t>(address + data + (kind == MemoryKind::kAsyncCopy ? 1 : 0));
  const bool loads = kind == MemoryKind::kLoad || kind == MemoryKind::kLoadMatrix || kind == MemoryKind::kAtomic;
  if (loads) line.instruction.control.write_counter = write_counter;
  line.step.space = space;
  line.step.memory_mask = kAllLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) line.step.address[lane] = base + lane * pitch;
  return line;
}
inline ScriptLine async_copy(std::uint64_t base, bool bypass = true) {
  ScriptLine line = memory(MemoryKind::kAsyncCopy, Space::kGlobal, 16, base, 16);
  line.instruction.memory.bypass_l1 = bypass;
  line.step.shared_mask = kAllLanes;
  for (unsigned lane = 0; lane < kLanes; ++lane) line.step.shared_address[lane] = lane * 16;
  return line;
}
inline ScriptLine commit(std::uint8_t counter = 0) {
  ScriptLine line = op(OpClass::kGroupCommit, 2);
  line.instruction.control.write_counter = counter;
  return line;
}
inline ScriptLine wait_group(std::uint8_t limit, std::uint8_t counter = 0) {
  ScriptLine line = op(OpClass::kDepbar, 2);
  line.instruction.depbar_counter = counter;
  line.instruction.depbar_limit = limit;
  return line;
}
inline ScriptLine barrier() {
  ScriptLine line = op(OpClass::kBarrier, 5);
  line.step.barrier = BarrierOp::kSync;
  return line;
}

}  // namespace smpipe::test
