// The part of the CUDA driver that the runner uses, loaded at run time: the program builds without the CUDA Toolkit and
// runs wherever a driver is installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace smpipe::gpu {

/// The machine cannot do it: no GPU, no driver, a CUDA call that failed. Exit code 2.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Address = unsigned long long;  ///< CUdeviceptr
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Event = struct OpaqueEvent*;

enum class DeviceAttribute : int {
  kClockKhz = 13,
  kMultiprocessors = 16,
  kEcc = 32,
  kMemoryClockKhz = 36,
  kL2Bytes = 38,
  kMajor = 75,
  kMinor = 76,
  kMostSharedPerBlock = 97,
};

enum class FunctionAttribute : int {
  kStaticShared = 1,
  kLocal = 3,
  kRegisters = 4,
  kMostDynamicShared = 8,
};

/// One GPU with its primary context. Calls throw DeviceError with the CUDA error's name.
class Driver {
 public:
  explicit Driver(int ordinal);

  std::string device_name() const;
  std::string pci_bus_id() const;
  std::uint64_t memory_bytes() const;
  int attribute(DeviceAttribute which) const;
  int api_version() const;  ///< 13000 = CUDA 13.0

  Module load_module(const void* image) const;
  void unload(Module module) const;
  Function function(Module module, const std::string& name) const;
  int attribute(Function function, FunctionAttribute which) const;
  void set_attribute(Function function, FunctionAttribute which, int value) const;

  Address allocate(std::size_t bytes) const;
  void release(Address address) const;
  void to_device(Address to, const void* from, std::size_t bytes) const;
  void to_host(void* to, Address from, std::size_t bytes) const;
  void copy_on_device(Address to, Address from, std::size_t bytes) const;
  void fill(Address to, std::uint32_t word, std::size_t words) const;

  struct Geometry {
    unsigned grid[3];
    unsigned block[3];
    unsigned dynamic_shared_bytes;
  };
  /// Queues a launch on the default stream; `parameters` is the packed parameter block.
  void launch(Function function, const Geometry& geometry, const void* parameters, std::size_t bytes) const;
  void synchronize() const;

  Event create_event() const;
  void destroy(Event event) const;
  void record(Event event) const;
  double elapsed_us(Event from, Event to) const;  ///< waits for `to`

  void start_profiler() const;
  void stop_profiler() const;

 private:
  struct Api;
  const Api* api_;
  int device_ = 0;
};

}  // namespace smpipe::gpu
