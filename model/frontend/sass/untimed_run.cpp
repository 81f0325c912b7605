#include "frontend/sass/untimed_run.h"

#include <array>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"

namespace smpipe {
namespace {

constexpr unsigned kBarriers = 16;
constexpr unsigned kTurn = 64;  ///< instructions that a warp executes before the next warp has its turn

struct Barrier {
  std::uint32_t arrived = 0;   ///< threads, whole warps
  std::uint32_t expected = 0;  ///< 0 = all threads of the block
  std::uint32_t count = 0;
  bool all = true, any = false;
  std::vector<std::uint32_t> waiting;  ///< warps
  std::vector<std::uint32_t> reducing;
};

class BlockRunner {
 public:
  BlockRunner(KernelSource& source, std::uint64_t limit, UntimedResult& result)
      : source_(source), limit_(limit), result_(result), warps_(source.shape().warps_per_block()), waiting_(warps_) {}

  void run(std::uint64_t linear) {
    linear_ = linear;
    block_ = &source_.start_block(linear, 0);
    waiting_.assign(warps_, false);
    for (Barrier& b : barriers_) b = Barrier{};
    live_ = warps_;
    while (live_ > 0) {
      bool progress = false;
      for (std::uint32_t w = 0; w < warps_; ++w) progress = turn(w) || progress;
      if (!progress) throw InputError(source_.program().file, 0, deadlock(), "check its barriers");
    }
    source_.finish_block(*block_);
    ++result_.blocks;
  }

 private:
  bool turn(std::uint32_t w) {
    WarpStream& warp = block_->warp(w);
    if (waiting_[w] || !warp.next()) return false;
    for (unsigned k = 0; k < kTurn && warp.next() && !waiting_[w]; ++k) {
      if (++result_.warp_instructions > limit_) {
        throw InputError(
            source_.program().file, 0,
            fmt::format("kernel '{}' executes more than {} warp instructions", source_.program().kernel, limit_),
            "it may not terminate");
      }
      warp.execute(++now_, step_);
      if (step_.arrival_token) warp.copies_landed(step_.arrival_token);
      if (step_.barrier != BarrierOp::kNone) arrive(w);
      if (step_.sleep_cycles) now_ += step_.sleep_cycles;
      if (step_.exited) leave();
      // A spinning warp gives way to the one it waits for.
      if (step_.sleep_cycles || (step_.taken && k > kTurn / 2)) break;
    }
    return true;
  }

  /// Threads that arrive with one warp: its lanes, also those that have exited.
  std::uint32_t threads_of(std::uint32_t) const { return kLanes; }

  std::uint32_t needed(const Barrier& b) const {
    const std::uint32_t all = live_ * kLanes;
    return b.expected == 0 ? all : std::min((b.expected + kLanes - 1) / kLanes * kLanes, warps_ * kLanes);
  }

  void arrive(std::uint32_t w) {
    Barrier& b = barriers_[step_.barrier_id % kBarriers];
    b.arrived += threads_of(w);
    b.expected = step_.barrier_threads;
    if (step_.barrier != BarrierOp::kArrive) {
      waiting_[w] = true;
      b.waiting.push_back(w);
    }
    if (step_.barrier == BarrierOp::kReduce) {
      b.reducing.push_back(w);
      b.count += static_cast<std::uint32_t>(std::popcount(step_.barrier_predicate));
      b.all = b.all && step_.barrier_predicate == step_.active;
      b.any = b.any || step_.barrier_predicate != 0;
    }
    if (b.arrived >= needed(b)) release(b);
  }

  void release(Barrier& b) {
    for (std::uint32_t w : b.reducing) block_->warp(w).finish_reduction(b.count, b.all, b.any);
    for (std::uint32_t w : b.waiting) waiting_[w] = false;
    b = Barrier{};
  }

  /// A warp that exits no longer counts for barriers of the whole block.
  void leave() {
    --live_;
    for (Barrier& b : barriers_) {
      if (b.arrived > 0 && b.expected == 0 && b.arrived >= needed(b)) release(b);
    }
  }

  std::string deadlock() const {
    return fmt::format("kernel '{}': block {} is deadlocked: {} of its {} warps wait at a barrier that cannot complete",
                       source_.program().kernel, linear_, live_, warps_);
  }

  KernelSource& source_;
  std::uint64_t limit_;
  UntimedResult& result_;
  std::uint32_t warps_;
  std::vector<bool> waiting_;
  std::array<Barrier, kBarriers> barriers_;
  BlockStream* block_ = nullptr;
  std::uint64_t linear_ = 0;
  std::uint32_t live_ = 0;
  Cycle now_ = 0;
  Step step_;
};

}  // namespace

UntimedResult run_untimed(KernelSource& source, std::uint64_t limit) {
  UntimedResult result;
  BlockRunner runner(source, limit, result);
  const std::uint64_t blocks = source.shape().grid.count();
  for (std::uint64_t i = 0; i < blocks; ++i) runner.run(i);
  return result;
}

}  // namespace smpipe
