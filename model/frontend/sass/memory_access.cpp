#include "frontend/sass/memory_access.h"

#include <fmt/format.h>

#include "frontend/sass/lanes.h"

namespace smpipe::sass {

void compute_addresses(Warp& warp, const Op& op, LaneMask, bool wide, std::uint64_t* address) {
  const AddressOperand& a = op.address;
  const std::uint32_t* low = warp.row(a.index);
  if (wide) {
    std::uint64_t base = static_cast<std::uint64_t>(a.offset);
    if (a.uniform != kUniformZero) base += a.uniform_wide ? warp.uniform_pair(a.uniform) : warp.uniform[a.uniform];
    if (a.wide && a.has_register) {
      const std::uint32_t* high = warp.row(static_cast<std::uint16_t>(a.index + 1));
      for (unsigned i = 0; i < kLanes; ++i) address[i] = join64(low[i], high[i]) + base;
    } else {
      for (unsigned i = 0; i < kLanes; ++i) address[i] = (std::uint64_t{low[i]} << a.scale) + base;
    }
    return;
  }
  const std::uint32_t base = static_cast<std::uint32_t>(a.offset) + warp.uniform[a.uniform];
  for (unsigned i = 0; i < kLanes; ++i) address[i] = static_cast<std::uint32_t>((low[i] << a.scale) + base);
}

std::uint8_t* global_pointer(Warp& warp, const Op& op, unsigned lane, std::uint64_t address, unsigned bytes) {
  DeviceMemory& memory = *warp.image().memory;
  std::uint8_t* p = memory.find(address, bytes);
  if (p && (address & (bytes - 1)) == 0) return p;
  if (p) {
    warp.fault(op, lane, fmt::format("misaligned access of {} bytes at global address {:#x}", bytes, address),
               fmt::format("{}-byte accesses need {}-byte alignment", bytes, bytes));
  }
  warp.fault(op, lane,
             fmt::format("access of {} bytes at global address {:#x} is outside of every buffer; {}", bytes, address,
                         memory.nearest(address)),
             "check the buffer sizes, the grid and the kernel's arguments");
}

std::uint8_t* shared_pointer(Warp& warp, const Op& op, unsigned lane, std::uint64_t address, unsigned bytes) {
  std::vector<std::uint8_t>& shared = warp.block().shared;
  if ((address & (bytes - 1)) != 0) {
    warp.fault(op, lane, fmt::format("misaligned access of {} bytes at shared address {:#x}", bytes, address),
               fmt::format("{}-byte accesses need {}-byte alignment", bytes, bytes));
  }
  const std::uint64_t offset = address;
  if (offset + bytes > shared.size()) {
    warp.fault(
        op, lane,
        fmt::format("access of {} bytes at shared address {:#x} is beyond the block's {} bytes of shared memory{}",
                    bytes, address, shared.size(), warp.image().hopper ? " (1024 of them reserved by the system)" : ""),
        "check static_shared_bytes and dynamic_shared_bytes");
  }
  return shared.data() + offset;
}

unsigned local_word(Warp& warp, const Op& op, unsigned lane, std::uint64_t address, unsigned bytes) {
  if ((address & (bytes - 1)) != 0) {
    warp.fault(op, lane, fmt::format("misaligned access of {} bytes at local address {:#x}", bytes, address));
  }
  if (address + bytes > warp.image().local_bytes) {
    warp.fault(op, lane,
               fmt::format("access of {} bytes at local address {:#x} is beyond the thread's {} bytes of stack", bytes,
                           static_cast<std::uint32_t>(address), warp.image().local_bytes),
               "local_bytes must say how much stack and spill memory the kernel needs");
  }
  return static_cast<unsigned>(address / 4);
}

Space resolve_generic(std::uint64_t& address) {
  if (address >> 32 == kSharedWindow >> 32) {
    address &= 0xffffffff;
    return Space::kShared;
  }
  if (address >> 32 == kLocalWindow >> 32) {
    address &= 0xffffffff;
    return Space::kLocal;
  }
  return Space::kGlobal;
}

std::uint64_t local_backing(Warp& warp, unsigned word, unsigned lane) {
  const std::uint64_t words = warp.image().local_bytes / 4;
  const std::uint64_t owner = std::uint64_t{warp.block().slot} * warp.image().shape.warps_per_block() + warp.index();
  return kLocalBacking + ((owner * words + word) * kLanes + lane) * 4;
}

}  // namespace smpipe::sass
