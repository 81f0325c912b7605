#include "frontend/sass/device_memory.h"

#include <algorithm>

#include <fmt/format.h>

namespace smpipe {

DeviceMemory::DeviceMemory(std::vector<Buffer>& buffers) {
  for (Buffer& buffer : buffers) add(buffer.name, buffer.address, buffer.data.data(), buffer.data.size());
}

void DeviceMemory::add(const std::string& name, std::uint64_t address, std::uint8_t* data, std::uint64_t bytes) {
  if (bytes == 0) return;
  Region region{address, address + bytes, data, name};
  auto at = std::upper_bound(regions_.begin(), regions_.end(), region,
                             [](const Region& a, const Region& b) { return a.begin < b.begin; });
  regions_.insert(at, region);
  last_ = nullptr;
}

std::uint8_t* DeviceMemory::allocate(const std::string& name, std::uint64_t address, std::uint64_t bytes) {
  owned_.emplace_back(bytes);
  add(name, address, owned_.back().data(), bytes);
  return owned_.back().data();
}

const DeviceMemory::Region* DeviceMemory::region(std::uint64_t address) const {
  auto after = std::upper_bound(regions_.begin(), regions_.end(), address,
                                [](std::uint64_t a, const Region& r) { return a < r.begin; });
  if (after == regions_.begin()) return nullptr;
  const Region& candidate = *std::prev(after);
  return address < candidate.end ? &candidate : nullptr;
}

std::uint8_t* DeviceMemory::find_slow(std::uint64_t address, std::uint64_t bytes) {
  const Region* r = region(address);
  if (!r || bytes > r->end - address) return nullptr;
  last_ = r;
  return r->data + (address - r->begin);
}

std::string DeviceMemory::nearest(std::uint64_t address) const {
  const Region* best = nullptr;
  std::uint64_t distance = ~std::uint64_t{0};
  for (const Region& r : regions_) {
    const std::uint64_t d = address < r.begin ? r.begin - address : address >= r.end ? address - r.end + 1 : 0;
    if (d < distance) {
      distance = d;
      best = &r;
    }
  }
  if (!best) return "the launch has no buffers";
  return fmt::format("nearest buffer '{}' is [{:#x}, {:#x})", best->name, best->begin, best->end);
}

}  // namespace smpipe
