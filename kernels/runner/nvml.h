// What only NVIDIA's management library knows: driver version, present clocks, reasons for a lowered clock. Optional:
// without the library the fields stay empty.
#pragma once

#include <string>
#include <vector>

namespace smpipe::gpu {

class ManagementLibrary {
 public:
  explicit ManagementLibrary(const std::string& pci_bus_id);

  std::string driver_version() const;  ///< empty when unknown
  int sm_clock_mhz() const;            ///< 0 when unknown
  int memory_clock_mhz() const;
  int most_sm_clock_mhz() const;
  /// Reasons for a clock below the maximum that make a sample unfit: heat, power brake, power cap.
  std::vector<std::string> throttle_reasons() const;

 private:
  int clock(const char* function, int domain) const;
  void* library_ = nullptr;
  void* device_ = nullptr;
};

}  // namespace smpipe::gpu
