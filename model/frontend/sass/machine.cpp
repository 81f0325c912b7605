#include "frontend/sass/machine.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "core/error.h"

namespace smpipe::sass {
namespace {

/// A loop that spins on another path of its own warp must let that path run.
constexpr std::uint32_t kBackwardBranchesPerTurn = 64;

}  // namespace

void Warp::attach(const Image& image, Block& block, std::uint32_t index) {
  image_ = &image;
  block_ = &block;
  index_ = index;
  registers_.resize(image.register_rows);
  local_.resize(std::size_t{image.local_bytes} / 4 * kLanes);
  others_.reserve(kLanes);
  arrivals.reserve(16);
}

void Warp::reset() {
  std::fill(registers_.begin(), registers_.end(), Row{});
  uniform.fill(0);
  predicate.fill(0);
  uniform_predicate.fill(0);
  predicate[7] = uniform_predicate[7] = kAllLanes;
  const std::uint32_t threads = image_->shape.threads_per_block();
  const std::uint32_t first = index_ * kLanes;
  const std::uint32_t lanes = std::min(threads - first, std::uint32_t{kLanes});
  alive = mask = lanes == kLanes ? kAllLanes : (1u << lanes) - 1;
  pc = 0;
  others_.clear();
  arrivals.clear();
  next_token = 1;
  backward_ = 0;
  for (auto& view : convergence) view.fill(0);
  settle();
}

void Warp::fault(const Op& op, unsigned lane, const std::string& what, const std::string& remedy) const {
  const Instruction& i = *op.instruction;
  const Dim3& b = block_->id;
  std::string where = fmt::format("block ({},{},{}), warp {}", b.x, b.y, b.z, index_);
  if (lane < kLanes) {
    const std::uint32_t linear = index_ * kLanes + lane;
    const Dim3& d = image_->shape.block;
    where += fmt::format(", thread ({},{},{})", linear % d.x, linear / d.x % d.y, linear / d.x / d.y);
  }
  throw InputError(
      image_->kernel.program.file, i.line,
      fmt::format("kernel '{}', {:#x} '{}', {}: {}", image_->kernel.program.kernel, i.address, i.text, where, what),
      remedy);
}

void Warp::execute(Cycle cycle, Step& out) {
  const Op& op = image_->ops[pc];
  now = cycle;
  LaneMask active = mask;
  if (op.guarded) {
    const LaneMask g = (op.guard_uniform ? uniform_predicate : predicate)[op.guard];
    active &= op.guard_negated ? ~g : g;
  }
  out.active = active;
  out.path = mask;
  out.taken = out.exited = false;
  out.barrier = BarrierOp::kNone;
  out.memory_mask = out.shared_mask = 0;
  out.sleep_cycles = 0;
  out.arrival_token = 0;
  if (active == 0 && !op.always) {
    ++pc;
  } else if (op.flow) {
    op.run(*this, op, active, out);
  } else {
    op.run(*this, op, active, out);
    ++pc;
  }
  if (!others_.empty() || mask == 0) select();
  settle();
  out.exited = next_ == nullptr;
}

void Warp::settle() {
  if (mask == 0) {
    next_ = nullptr;
    return;
  }
  if (pc >= image_->ops.size()) {
    throw InputError(image_->kernel.program.file, image_->ops.back().instruction->line,
                     fmt::format("kernel '{}': warp {} of block {} runs past the last instruction",
                                 image_->kernel.program.kernel, index_, block_->linear),
                     "the listing must hold the whole kernel");
  }
  next_ = image_->ops[pc].instruction;
}

void Warp::finish_reduction(std::uint32_t count, bool all, bool any) {
  reduction_count = count;
  reduction_all = all;
  reduction_any = any;
}

// --- divergence
// -------------------------------------------------------------------------------------------------------

void Warp::branch(LaneMask taken, std::uint32_t target, Step& out) {
  if (taken == 0) {
    ++pc;
    return;
  }
  out.taken = true;
  const bool backward = target <= pc;
  if (taken == mask) {
    pc = target;
  } else {
    others_.push_back({taken, target});
    mask &= ~taken;
    ++pc;
  }
  if (backward && !others_.empty() && ++backward_ >= kBackwardBranchesPerTurn) rotate();
}

void Warp::branch_indexed(LaneMask active, const std::array<std::uint32_t, kLanes>& targets, Step& out) {
  LaneMask rest = active;
  if (active != mask) {
    others_.push_back({mask & ~active, pc + 1});
    mask = active;
  }
  const std::uint32_t first = targets[std::countr_zero(active)];
  LaneMask same = 0;
  while (rest) {
    const std::uint32_t target = targets[std::countr_zero(rest)];
    LaneMask group = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((rest >> i & 1) && targets[i] == target) group |= 1u << i;
    }
    rest &= ~group;
    if (target == first)
      same = group;
    else
      others_.push_back({group, target});
  }
  mask = same;
  pc = first;
  out.taken = true;
}

void Warp::exit_lanes(LaneMask active, Step&) {
  alive &= ~active;
  mask &= ~active;
  ++pc;
  if (!others_.empty()) release_waiters();
}

void Warp::begin_convergence(unsigned reg, LaneMask active) {
  for (unsigned i = 0; i < kLanes; ++i) {
    if (active >> i & 1) convergence[reg][i] = active;
  }
}

void Warp::break_convergence(unsigned reg, LaneMask active) {
  LaneMask touched = 0;
  for (unsigned i = 0; i < kLanes; ++i) {
    if (active >> i & 1) touched |= convergence[reg][i];
  }
  for (unsigned i = 0; i < kLanes; ++i) {
    if (touched >> i & 1) convergence[reg][i] &= ~active;
  }
  if (!others_.empty()) release_waiters();
}

void Warp::converge(unsigned reg, LaneMask active) {
  const LaneMask rest = mask & ~active;
  const LaneMask need = convergence[reg][std::countr_zero(active)] & alive;
  if ((need & ~active) == 0 && others_.empty()) {
    ++pc;
    return;
  }
  if (rest) others_.push_back({rest, pc + 1});
  mask = active;
  // Lanes that took part in different BSSYs wait for different sets.
  LaneMask left = active;
  while (left) {
    const LaneMask set = convergence[reg][std::countr_zero(left)];
    LaneMask group = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((left >> i & 1) && convergence[reg][i] == set) group |= 1u << i;
    }
    left &= ~group;
    Path path{group, pc + 1, Path::kConvergence, static_cast<std::uint8_t>(reg), set};
    others_.push_back(path);
  }
  mask = 0;
  release_waiters();
}

void Warp::warp_sync(const std::array<LaneMask, kLanes>& masks, LaneMask active, bool split) {
  const LaneMask first = masks[std::countr_zero(active)];
  bool uniform_mask = true;
  for (unsigned i = 0; i < kLanes; ++i) {
    if ((active >> i & 1) && masks[i] != first) uniform_mask = false;
  }
  if (uniform_mask && (first & alive & ~active) == 0 && (!split || (active & ~first) == 0)) {
    ++pc;
    return;
  }
  if (mask & ~active) others_.push_back({mask & ~active, pc + 1});
  LaneMask left = active;
  while (left) {
    const LaneMask set = masks[std::countr_zero(left)];
    LaneMask group = 0;
    for (unsigned i = 0; i < kLanes; ++i) {
      if ((left >> i & 1) && masks[i] == set) group |= 1u << i;
    }
    left &= ~group;
    others_.push_back({group, pc + 1, Path::kWarpSync, static_cast<std::uint8_t>(split), set});
  }
  mask = 0;
  release_waiters();
}

bool Warp::waits_satisfied(const Path& path) const {
  LaneMask arrived = 0;
  for (const Path& other : others_) {
    if (other.state == path.state && (path.state == Path::kWarpSync || other.barrier == path.barrier)) {
      arrived |= other.mask;
    }
  }
  // BREAK may have shrunk the set since the path began to wait.
  const LaneMask need =
      path.state == Path::kConvergence ? convergence[path.barrier][std::countr_zero(path.mask)] : path.need;
  return (need & alive & ~arrived & ~path.mask) == 0;
}

void Warp::release_waiters() {
  std::array<bool, kLanes> free{};
  bool any = false;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].state == Path::kReady) continue;
    free[i] = waits_satisfied(others_[i]);
    any = any || free[i];
  }
  if (!any) return;
  // Lanes released at the same place by the same event run on together; split warp syncs keep their sets apart.
  std::vector<Path>& paths = others_;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!free[i]) continue;
    for (std::size_t k = i + 1; k < paths.size(); ++k) {
      if (!free[k] || paths[k].mask == 0 || paths[k].pc != paths[i].pc || paths[k].state != paths[i].state) continue;
      if (paths[i].barrier != paths[k].barrier) continue;
      if (paths[i].state == Path::kWarpSync && paths[i].barrier == 1 && paths[i].need != paths[k].need) continue;
      paths[i].mask |= paths[k].mask;
      paths[k].mask = 0;
    }
  }
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (free[i]) paths[i].state = Path::kReady;
  }
  paths.erase(std::remove_if(paths.begin(), paths.end(), [](const Path& p) { return p.mask == 0; }), paths.end());
}

void Warp::rotate() {
  backward_ = 0;
  for (std::size_t i = 0; i < others_.size(); ++i) {
    if (others_[i].state != Path::kReady) continue;
    const Path chosen = others_[i];
    others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(i));
    if (mask) others_.push_back({mask, pc});
    mask = chosen.mask;
    pc = chosen.pc;
    return;
  }
}

/// Chooses the path that runs next. A path in front of a block barrier runs only when no other path can: then all paths
/// of the warp that wait for that barrier arrive together.
void Warp::select() {
  const auto blocks = [&](std::uint32_t at) {
    return at < image_->ops.size() && image_->ops[at].instruction->op == OpClass::kBarrier;
  };
  if (mask != 0 && !blocks(pc)) return;
  std::size_t ready = others_.size();
  for (std::size_t i = others_.size(); i-- > 0;) {
    if (others_[i].state == Path::kReady && !blocks(others_[i].pc)) {
      ready = i;
      break;
    }
  }
  if (ready == others_.size() && mask == 0) {
    for (std::size_t i = 0; i < others_.size(); ++i) {
      if (others_[i].state == Path::kReady) ready = i;
    }
  }
  if (ready == others_.size() && mask == 0 && !others_.empty()) {
    // Every path waits for lanes that never come: illegal code, but it must not hang. The first in program order goes
    // on.
    ready = 0;
    for (std::size_t i = 1; i < others_.size(); ++i) {
      if (others_[i].pc < others_[ready].pc) ready = i;
    }
  }
  if (ready == others_.size()) return;
  const Path chosen = others_[ready];
  others_.erase(others_.begin() + static_cast<std::ptrdiff_t>(ready));
  if (mask) others_.push_back({mask, pc});
  mask = chosen.mask;
  pc = chosen.pc;
  backward_ = 0;
}

// --- block
// --------------------------------------------------------------------------------------------------------------

Block::Block(const Image& image, std::uint32_t slot_number) : slot(slot_number), image_(image) {
  shared.resize(image.shared_bytes);
  warps_.reserve(image.shape.warps_per_block());
  for (std::uint32_t w = 0; w < image.shape.warps_per_block(); ++w) {
    warps_.push_back(std::make_unique<Warp>());
    warps_.back()->attach(image, *this, w);
  }
}

void Block::start(std::uint64_t number, std::uint32_t sm_number) {
  linear = number;
  sm = sm_number;
  const Dim3& grid = image_.shape.grid;
  id = {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(number / grid.x % grid.y),
        static_cast<std::uint32_t>(number / grid.x / grid.y)};
  std::fill(shared.begin(), shared.end(), std::uint8_t{0});
  for (auto& w : warps_) w->reset();
  busy = true;
}

}  // namespace smpipe::sass
