#include "frontend/sass/sass_executor.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/error.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/lanes.h"
#include "frontend/sass/machine.h"

namespace smpipe {
namespace {

/// Layout of constant bank 0, which differs between generations.
struct ConstantLayout {
  std::uint32_t parameters;
  std::uint32_t descriptor;
};

constexpr std::uint32_t kSharedWindowAt = 0x18, kLocalWindowAt = 0x20, kStackAt = 0x28;
constexpr std::uint32_t kHopperReservedShared = 1024;
constexpr std::uint32_t kMaxThreads = 1024;
constexpr std::uint64_t kGlobalVariables = 0x7d0000000000;  ///< __device__ variables
constexpr std::uint64_t kVariableGap = 1 << 16;

template <class T>
void put(std::vector<std::uint8_t>& bank, std::size_t at, T value) {
  std::memcpy(bank.data() + at, &value, sizeof value);
}

std::vector<std::uint8_t> constant_bank(const Launch& launch, const sass::Image& image) {
  const ConstantLayout layout = image.hopper ? ConstantLayout{0x210, 0x208} : ConstantLayout{0x160, 0x118};
  // Parameters are read in words, so the last one is padded.
  const std::size_t bytes = layout.parameters + (launch.parameters.size() + 7) / 8 * 8;
  std::vector<std::uint8_t> bank(bytes);
  const LaunchShape& shape = launch.shape;
  put(bank, 0x0, shape.block.x);
  put(bank, 0x4, shape.block.y);
  put(bank, 0x8, shape.block.z);
  put(bank, 0xc, shape.grid.x);
  put(bank, 0x10, shape.grid.y);
  put(bank, 0x14, shape.grid.z);
  put(bank, kSharedWindowAt, sass::kSharedWindow);
  put(bank, kLocalWindowAt, sass::kLocalWindow);
  put(bank, kStackAt, image.local_bytes);
  put(bank, layout.descriptor, std::uint64_t{0});
  std::copy(launch.parameters.begin(), launch.parameters.end(), bank.begin() + layout.parameters);
  return bank;
}

/// Places the kernel's own global variables in memory and their addresses in constant bank 4.
void place_globals(sass::Image& image, DeviceMemory& memory) {
  std::vector<std::uint64_t> base;
  std::uint64_t next = kGlobalVariables;
  for (const GlobalSection& section : image.kernel.globals) {
    base.push_back(next);
    if (section.data.empty()) continue;
    if (memory.region(next)) {
      throw InputError(image.kernel.program.file, 0, "the device memory already holds this kernel's global variables",
                       "use a device memory for one executor only");
    }
    std::uint8_t* storage = memory.allocate(section.name, next, section.data.size());
    std::copy(section.data.begin(), section.data.end(), storage);
    next += (section.data.size() + kVariableGap) / kVariableGap * kVariableGap;
  }
  std::vector<std::uint8_t>& bank = image.banks[4];
  for (const AddressSlot& slot : image.kernel.address_slots) {
    if (slot.offset + 8 <= bank.size()) put(bank, slot.offset, base.at(slot.section) + slot.value);
  }
}

void check_shape(const Launch& launch) {
  const LaunchShape& s = launch.shape;
  if (s.grid.count() == 0) throw InputError(launch.file, 0, "the grid has no blocks", "every dimension is at least 1");
  if (s.block.count() == 0 || s.block.count() > kMaxThreads) {
    throw InputError(launch.file, 0, fmt::format("a block of {} threads", s.block.count()),
                     "a block has 1 to 1024 threads");
  }
}

}  // namespace

SassExecutor::SassExecutor(SassKernel kernel, const Launch& launch, DeviceMemory& memory, std::uint32_t sm_count,
                           double sm_clock_mhz)
    : image_(std::make_unique<sass::Image>()) {
  check_shape(launch);
  sass::Image& image = *image_;
  image.kernel = std::move(kernel);
  image.shape = launch.shape;
  image.memory = &memory;
  image.sm_count = sm_count;
  image.ns_per_cycle = 1000 / sm_clock_mhz;
  image.wide_host = sass::wide_host();
  const std::string& architecture = image.kernel.program.architecture;
  image.hopper = architecture.rfind("sm_9", 0) == 0;
  if (!image.hopper && architecture.rfind("sm_8", 0) != 0) {
    throw InputError(image.kernel.program.file, 0, fmt::format("architecture {} cannot be executed", architecture),
                     "smpipe executes sm_80 and sm_90 code");
  }
  std::uint32_t local = launch.shape.local_bytes_per_thread;
  if (image.kernel.resources) local = std::max(local, image.kernel.resources->local_bytes_per_thread);
  image.local_bytes = (local + 15) / 16 * 16;
  image.shared_bytes =
      launch.shape.static_shared_bytes + launch.shape.dynamic_shared_bytes + (image.hopper ? kHopperReservedShared : 0);
  for (auto& [bank, data] : image.kernel.constant_banks) {
    if (bank < image.banks.size()) image.banks[bank] = data;
  }
  image.banks[0] = constant_bank(launch, image);
  place_globals(image, memory);
  sass::decode_kernel(image);
}

SassExecutor::~SassExecutor() = default;

const Program& SassExecutor::program() const { return image_->kernel.program; }
const LaunchShape& SassExecutor::shape() const { return image_->shape; }

BlockStream& SassExecutor::start_block(std::uint64_t linear, std::uint32_t sm) {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<sass::Block>(*image_, static_cast<std::uint32_t>(blocks_.size())));
    free_.push_back(blocks_.back().get());
  }
  sass::Block* block = free_.back();
  free_.pop_back();
  block->start(linear, sm);
  return *block;
}

void SassExecutor::finish_block(BlockStream& block) {
  sass::Block& b = static_cast<sass::Block&>(block);
  if (!b.busy) throw ModelError("a block was finished twice");
  b.busy = false;
  free_.push_back(&b);
}

}  // namespace smpipe
