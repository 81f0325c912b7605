#include "cuda_driver.h"

#include <dlfcn.h>

#include <array>

namespace smpipe::gpu {

// Entry points with the ABI of cuda.h; CUresult, CUdevice and the enumerations are ints there.
struct Driver::Api {
  int (*cuInit)(unsigned);
  int (*cuDriverGetVersion)(int*);
  int (*cuDeviceGetCount)(int*);
  int (*cuDeviceGet)(int*, int);
  int (*cuDeviceGetName)(char*, int, int);
  int (*cuDeviceGetPCIBusId)(char*, int, int);
  int (*cuDeviceTotalMem_v2)(std::size_t*, int);
  int (*cuDeviceGetAttribute)(int*, int, int);
  int (*cuDevicePrimaryCtxRetain)(void**, int);
  int (*cuCtxSetCurrent)(void*);
  int (*cuCtxSynchronize)();
  int (*cuModuleLoadData)(Module*, const void*);
  int (*cuModuleUnload)(Module);
  int (*cuModuleGetFunction)(Function*, Module, const char*);
  int (*cuFuncGetAttribute)(int*, int, Function);
  int (*cuFuncSetAttribute)(Function, int, int);
  int (*cuMemAlloc_v2)(Address*, std::size_t);
  int (*cuMemFree_v2)(Address);
  int (*cuMemcpyHtoD_v2)(Address, const void*, std::size_t);
  int (*cuMemcpyDtoH_v2)(void*, Address, std::size_t);
  int (*cuMemcpyDtoDAsync_v2)(Address, Address, std::size_t, Stream);
  int (*cuMemsetD32Async)(Address, unsigned, std::size_t, Stream);
  int (*cuLaunchKernel)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**,
                        void**);
  int (*cuEventCreate)(Event*, unsigned);
  int (*cuEventDestroy_v2)(Event);
  int (*cuEventRecord)(Event, Stream);
  int (*cuEventSynchronize)(Event);
  int (*cuEventElapsedTime)(float*, Event, Event);
  int (*cuGetErrorName)(int, const char**);
  int (*cuGetErrorString)(int, const char**);
  int (*cuProfilerStart)();
  int (*cuProfilerStop)();

  void check(int status, const char* call) const {
    if (status == 0) return;
    const char* name = nullptr;
    const char* text = nullptr;
    cuGetErrorName(status, &name);
    cuGetErrorString(status, &text);
    throw DeviceError(std::string(call) + ": " + (name ? name : "unknown CUDA error") + " (" + (text ? text : "?") +
                      ")");
  }

  static const Api& loaded();
};

namespace {

void* open_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) throw DeviceError("no NVIDIA driver on this machine: libcuda.so.1 cannot be loaded");
  return library;
}

template <class Pointer>
void resolve(void* library, const char* name, Pointer& out) {
  void* symbol = dlsym(library, name);
  if (!symbol) throw DeviceError(std::string("this NVIDIA driver is too old: it lacks ") + name);
  out = reinterpret_cast<Pointer>(symbol);
}

}  // namespace

const Driver::Api& Driver::Api::loaded() {
  static const Api api = [] {
    Api a{};
    void* library = open_driver();
#define SMPIPE_RESOLVE(name) resolve(library, #name, a.name)
    SMPIPE_RESOLVE(cuInit);
    SMPIPE_RESOLVE(cuDriverGetVersion);
    SMPIPE_RESOLVE(cuDeviceGetCount);
    SMPIPE_RESOLVE(cuDeviceGet);
    SMPIPE_RESOLVE(cuDeviceGetName);
    SMPIPE_RESOLVE(cuDeviceGetPCIBusId);
    SMPIPE_RESOLVE(cuDeviceTotalMem_v2);
    SMPIPE_RESOLVE(cuDeviceGetAttribute);
    SMPIPE_RESOLVE(cuDevicePrimaryCtxRetain);
    SMPIPE_RESOLVE(cuCtxSetCurrent);
    SMPIPE_RESOLVE(cuCtxSynchronize);
    SMPIPE_RESOLVE(cuModuleLoadData);
    SMPIPE_RESOLVE(cuModuleUnload);
    SMPIPE_RESOLVE(cuModuleGetFunction);
    SMPIPE_RESOLVE(cuFuncGetAttribute);
    SMPIPE_RESOLVE(cuFuncSetAttribute);
    SMPIPE_RESOLVE(cuMemAlloc_v2);
    SMPIPE_RESOLVE(cuMemFree_v2);
    SMPIPE_RESOLVE(cuMemcpyHtoD_v2);
    SMPIPE_RESOLVE(cuMemcpyDtoH_v2);
    SMPIPE_RESOLVE(cuMemcpyDtoDAsync_v2);
    SMPIPE_RESOLVE(cuMemsetD32Async);
    SMPIPE_RESOLVE(cuLaunchKernel);
    SMPIPE_RESOLVE(cuEventCreate);
    SMPIPE_RESOLVE(cuEventDestroy_v2);
    SMPIPE_RESOLVE(cuEventRecord);
    SMPIPE_RESOLVE(cuEventSynchronize);
    SMPIPE_RESOLVE(cuEventElapsedTime);
    SMPIPE_RESOLVE(cuGetErrorName);
    SMPIPE_RESOLVE(cuGetErrorString);
    SMPIPE_RESOLVE(cuProfilerStart);
    SMPIPE_RESOLVE(cuProfilerStop);
#undef SMPIPE_RESOLVE
    return a;
  }();
  return api;
}

#define SMPIPE_CALL(name, ...) api_->check(api_->name(__VA_ARGS__), #name)

Driver::Driver(int ordinal) : api_(&Api::loaded()) {
  SMPIPE_CALL(cuInit, 0);
  int devices = 0;
  SMPIPE_CALL(cuDeviceGetCount, &devices);
  if (ordinal < 0 || ordinal >= devices)
    throw DeviceError("there is no GPU " + std::to_string(ordinal) + " on this machine; it has " +
                      std::to_string(devices));
  SMPIPE_CALL(cuDeviceGet, &device_, ordinal);
  void* context = nullptr;
  SMPIPE_CALL(cuDevicePrimaryCtxRetain, &context, device_);
  SMPIPE_CALL(cuCtxSetCurrent, context);
}

std::string Driver::device_name() const {
  std::array<char, 128> name{};
  SMPIPE_CALL(cuDeviceGetName, name.data(), static_cast<int>(name.size()), device_);
  return name.data();
}

std::string Driver::pci_bus_id() const {
  std::array<char, 32> id{};
  SMPIPE_CALL(cuDeviceGetPCIBusId, id.data(), static_cast<int>(id.size()), device_);
  return id.data();
}

std::uint64_t Driver::memory_bytes() const {
  std::size_t bytes = 0;
  SMPIPE_CALL(cuDeviceTotalMem_v2, &bytes, device_);
  return bytes;
}

int Driver::attribute(DeviceAttribute which) const {
  int value = 0;
  SMPIPE_CALL(cuDeviceGetAttribute, &value, static_cast<int>(which), device_);
  return value;
}

int Driver::api_version() const {
  int version = 0;
  SMPIPE_CALL(cuDriverGetVersion, &version);
  return version;
}

Module Driver::load_module(const void* image) const {
  Module module = nullptr;
  SMPIPE_CALL(cuModuleLoadData, &module, image);
  return module;
}

void Driver::unload(Module module) const { SMPIPE_CALL(cuModuleUnload, module); }

Function Driver::function(Module module, const std::string& name) const {
  Function found = nullptr;
  SMPIPE_CALL(cuModuleGetFunction, &found, module, name.c_str());
  return found;
}

int Driver::attribute(Function function, FunctionAttribute which) const {
  int value = 0;
  SMPIPE_CALL(cuFuncGetAttribute, &value, static_cast<int>(which), function);
  return value;
}

void Driver::set_attribute(Function function, FunctionAttribute which, int value) const {
  SMPIPE_CALL(cuFuncSetAttribute, function, static_cast<int>(which), value);
}

Address Driver::allocate(std::size_t bytes) const {
  Address address = 0;
  SMPIPE_CALL(cuMemAlloc_v2, &address, bytes);
  return address;
}

void Driver::release(Address address) const { SMPIPE_CALL(cuMemFree_v2, address); }

void Driver::to_device(Address to, const void* from, std::size_t bytes) const {
  SMPIPE_CALL(cuMemcpyHtoD_v2, to, from, bytes);
}

void Driver::to_host(void* to, Address from, std::size_t bytes) const { SMPIPE_CALL(cuMemcpyDtoH_v2, to, from, bytes); }

void Driver::copy_on_device(Address to, Address from, std::size_t bytes) const {
  SMPIPE_CALL(cuMemcpyDtoDAsync_v2, to, from, bytes, nullptr);
}

void Driver::fill(Address to, std::uint32_t word, std::size_t words) const {
  SMPIPE_CALL(cuMemsetD32Async, to, word, words, nullptr);
}

void Driver::launch(Function function, const Geometry& g, const void* parameters, std::size_t bytes) const {
  // CU_LAUNCH_PARAM_BUFFER_POINTER, _BUFFER_SIZE and _END of cuda.h.
  std::array<void*, 5> extra = {reinterpret_cast<void*>(1), const_cast<void*>(parameters), reinterpret_cast<void*>(2),
                                &bytes, nullptr};
  SMPIPE_CALL(cuLaunchKernel, function, g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1], g.block[2],
              g.dynamic_shared_bytes, nullptr, nullptr, bytes ? extra.data() : nullptr);
}

void Driver::synchronize() const { SMPIPE_CALL(cuCtxSynchronize); }

Event Driver::create_event() const {
  Event event = nullptr;
  SMPIPE_CALL(cuEventCreate, &event, 0);
  return event;
}

void Driver::destroy(Event event) const { SMPIPE_CALL(cuEventDestroy_v2, event); }

void Driver::record(Event event) const { SMPIPE_CALL(cuEventRecord, event, nullptr); }

double Driver::elapsed_us(Event from, Event to) const {
  SMPIPE_CALL(cuEventSynchronize, to);
  float milliseconds = 0;
  SMPIPE_CALL(cuEventElapsedTime, &milliseconds, from, to);
  return static_cast<double>(milliseconds) * 1e3;
}

void Driver::start_profiler() const { SMPIPE_CALL(cuProfilerStart); }
void Driver::stop_profiler() const { SMPIPE_CALL(cuProfilerStop); }

}  // namespace smpipe::gpu
