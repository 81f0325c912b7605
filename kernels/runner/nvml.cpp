#include "nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace smpipe::gpu {
namespace {

template <class Signature>
Signature* symbol(void* library, const char* name) {
  return library ? reinterpret_cast<Signature*>(dlsym(library, name)) : nullptr;
}

constexpr int kSmClock = 1, kMemoryClock = 2;  // nvmlClockType_t

// nvmlClocksEventReason* bits of nvml.h.
constexpr std::pair<unsigned long long, const char*> kReasons[] = {{0x4, "software power cap"},
                                                                   {0x8, "hardware slowdown"},
                                                                   {0x20, "software thermal slowdown"},
                                                                   {0x40, "hardware thermal slowdown"},
                                                                   {0x80, "hardware power brake"}};

}  // namespace

ManagementLibrary::ManagementLibrary(const std::string& pci_bus_id) {
  library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto init = symbol<int()>(library_, "nvmlInit_v2");
  const auto find = symbol<int(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
  if (!init || !find || init() != 0 || find(pci_bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

std::string ManagementLibrary::driver_version() const {
  std::array<char, 96> text{};
  const auto get = symbol<int(char*, unsigned)>(library_, "nvmlSystemGetDriverVersion");
  if (!device_ || !get || get(text.data(), static_cast<unsigned>(text.size())) != 0) return {};
  return text.data();
}

int ManagementLibrary::clock(const char* function, int domain) const {
  const auto get = symbol<int(void*, int, unsigned*)>(library_, function);
  unsigned mhz = 0;
  return device_ && get && get(device_, domain, &mhz) == 0 ? static_cast<int>(mhz) : 0;
}

int ManagementLibrary::sm_clock_mhz() const { return clock("nvmlDeviceGetClockInfo", kSmClock); }
int ManagementLibrary::memory_clock_mhz() const { return clock("nvmlDeviceGetClockInfo", kMemoryClock); }
int ManagementLibrary::most_sm_clock_mhz() const { return clock("nvmlDeviceGetMaxClockInfo", kSmClock); }

std::vector<std::string> ManagementLibrary::throttle_reasons() const {
  const auto get = symbol<int(void*, unsigned long long*)>(library_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long bits = 0;
  std::vector<std::string> names;
  if (!device_ || !get || get(device_, &bits) != 0) return names;
  for (const auto& [bit, name] : kReasons)
    if (bits & bit) names.emplace_back(name);
  return names;
}

}  // namespace smpipe::gpu
