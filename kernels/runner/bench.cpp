#include "bench.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "core/error.h"
#include "cubin.h"
#include "helper_kernels.h"
#include "launch/fill.h"

namespace smpipe::gpu {
namespace {

/// Long enough for the host to queue a repetition's launches behind it.
constexpr std::uint64_t kSpinNs = 40'000;
/// A repetition whose clock lies this far below the best one of its launch does not count.
constexpr double kLeastClockShare = 0.98;
/// Extra repetitions to make up for rejected ones, as a multiple of those asked for.
constexpr unsigned kMostTries = 3;
/// Untimed repetitions: the clock follows the load only after a while.
constexpr unsigned kWarmUps = 5;
constexpr std::size_t kClockSampleBytes = 32;

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

Driver::Geometry geometry_of(const LaunchShape& shape) {
  return {{shape.grid.x, shape.grid.y, shape.grid.z},
          {shape.block.x, shape.block.y, shape.block.z},
          shape.dynamic_shared_bytes};
}

template <class... Values>
std::vector<std::uint64_t> words(Values... values) {
  return {static_cast<std::uint64_t>(values)...};
}

void launch_helper(const Driver& driver, Function function, unsigned blocks, unsigned threads,
                   const std::vector<std::uint64_t>& parameters) {
  driver.launch(function, {{blocks, 1, 1}, {threads, 1, 1}, 0}, parameters.data(), parameters.size() * 8);
}

/// Device memory of one launch. Buffers that the kernel changes have a pristine copy, from which they are restored.
class Memory {
 public:
  Memory(const Driver& driver, Launch& launch) : driver_(driver), launch_(launch), pristine_(launch.buffers.size(), 0) {
    for (auto& buffer : launch.buffers) buffer.address = driver.allocate(buffer.bytes);
    pack_parameters(launch);
    fill_buffers(launch);
    for (const auto& buffer : launch.buffers) driver.to_device(buffer.address, buffer.data.data(), buffer.bytes);
  }
  ~Memory() {
    try {
      for (const auto& buffer : launch_.buffers) driver_.release(buffer.address);
      for (const Address copy : pristine_)
        if (copy) driver_.release(copy);
    } catch (const DeviceError&) {  // the context is lost; the error that lost it is on its way
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::vector<std::uint8_t> contents(std::size_t i) const {
    std::vector<std::uint8_t> bytes(launch_.buffers[i].bytes);
    driver_.to_host(bytes.data(), launch_.buffers[i].address, bytes.size());
    return bytes;
  }

  /// Compares the buffers with their initial contents, after a launch: what differs is restored from now on.
  void find_changed() {
    for (std::size_t i = 0; i < launch_.buffers.size(); ++i) {
      const auto& buffer = launch_.buffers[i];
      if (contents(i) == buffer.data) continue;
      pristine_[i] = driver_.allocate(buffer.bytes);
      driver_.to_device(pristine_[i], buffer.data.data(), buffer.bytes);
    }
  }

  void restore() const {
    for (std::size_t i = 0; i < pristine_.size(); ++i)
      if (pristine_[i]) driver_.copy_on_device(launch_.buffers[i].address, pristine_[i], launch_.buffers[i].bytes);
  }

 private:
  const Driver& driver_;
  Launch& launch_;
  std::vector<Address> pristine_;
};

/// The launch's kernel, loaded.
class Kernel {
 public:
  Kernel(const Driver& driver, const Launch& launch) : driver_(driver) {
    const auto image = load_cubin(launch);
    module_ = driver.load_module(image.data());
    try {
      function_ = driver.function(module_, launch.kernel);
      allow_dynamic_shared(launch);
    } catch (...) {
      driver.unload(module_);
      throw;
    }
  }
  ~Kernel() {
    try {
      driver_.unload(module_);
    } catch (const DeviceError&) {  // as in ~Memory
    }
  }
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Function function() const { return function_; }

  KernelResources resources() const {
    return {driver_.attribute(function_, FunctionAttribute::kRegisters),
            driver_.attribute(function_, FunctionAttribute::kStaticShared),
            driver_.attribute(function_, FunctionAttribute::kLocal)};
  }

 private:
  void allow_dynamic_shared(const Launch& launch) const {
    const int most = driver_.attribute(DeviceAttribute::kMostSharedPerBlock) -
                     driver_.attribute(function_, FunctionAttribute::kStaticShared);
    const auto wanted = static_cast<std::int64_t>(launch.shape.dynamic_shared_bytes);
    if (wanted > most)
      throw InputError(launch.file, launch.line_of("dynamic_shared_bytes"),
                       "a block asks for " + std::to_string(wanted) + " bytes of dynamic shared memory",
                       "this GPU allows " + std::to_string(most));
    driver_.set_attribute(function_, FunctionAttribute::kMostDynamicShared, static_cast<int>(wanted));
  }

  const Driver& driver_;
  Module module_ = nullptr;
  Function function_ = nullptr;
};

/// Registers and shared memory that the launch file states must be those of the code that runs.
void require_stated_resources(const Launch& launch, const KernelResources& found) {
  if (!launch.code_is_listing) return;
  const auto require = [&](const char* key, std::int64_t stated, int actual) {
    if (stated != actual)
      throw InputError(launch.file, launch.line_of(key), std::string(key) + " = " + std::to_string(stated),
                       "the kernel has " + std::to_string(actual));
  };
  require("registers", launch.shape.registers_per_thread, found.registers);
  require("static_shared_bytes", launch.shape.static_shared_bytes, found.static_shared_bytes);
  require("local_bytes", launch.shape.local_bytes_per_thread, found.local_bytes);
}

FinalContents read_back(const Memory& memory, const Launch& launch, const std::set<std::size_t>& wanted) {
  FinalContents contents(launch.buffers.size());
  for (const std::size_t i : wanted) contents[i] = memory.contents(i);
  return contents;
}

std::set<std::size_t> report_buffers(const Launch& launch) {
  std::set<std::size_t> indices;
  for (const auto& report : launch.reports)
    for (std::size_t i = 0; i < launch.buffers.size(); ++i)
      if (launch.buffers[i].name == report.buffer) indices.insert(i);
  return indices;
}

}  // namespace

Distribution distribution_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.25), quantile(samples, 0.75), samples.front(), samples.back()};
}

struct Bench::Sample {
  double time_us, clock_mhz;
  std::vector<double> reports;
};

/// What is launched in each repetition. A null memory means the empty kernel.
struct Bench::Target {
  Function function;
  Driver::Geometry geometry;
  const std::vector<std::uint8_t>* parameters = nullptr;
  const Launch* launch = nullptr;
  const Memory* memory = nullptr;

  void run(const Driver& driver) const {
    driver.launch(function, geometry, parameters ? parameters->data() : nullptr, parameters ? parameters->size() : 0);
  }
};

Bench::Bench(const Driver& driver, const ManagementLibrary& management) : driver_(driver), management_(management) {
  helpers_ = driver.load_module(kHelperKernels);
  clock_sample_ = driver.function(helpers_, "clock_sample");
  spin_ = driver.function(helpers_, "spin");
  sweep_ = driver.function(helpers_, "sweep");
  empty_ = driver.function(helpers_, "empty");
  clocks_ = driver.allocate(3 * kClockSampleBytes);
  from_ = driver.create_event();
  to_ = driver.create_event();
}

Bench::~Bench() {
  try {
    driver_.destroy(from_);
    driver_.destroy(to_);
    driver_.release(clocks_);
    if (flush_) driver_.release(flush_);
    driver_.unload(helpers_);
  } catch (const DeviceError&) {  // as in ~Memory
  }
}

/// Replaces everything in L2 by clean lines: a flush by writing would leave dirty ones, whose eviction the measured
/// kernel would pay for.
void Bench::sweep_l2() {
  if (!flush_) {
    flush_bytes_ = 4 * static_cast<std::size_t>(driver_.attribute(DeviceAttribute::kL2Bytes));
    flush_ = driver_.allocate(flush_bytes_);
    driver_.fill(flush_, 0, flush_bytes_ / 4);
  }
  const auto blocks = static_cast<unsigned>(driver_.attribute(DeviceAttribute::kMultiprocessors)) * 4;
  launch_helper(driver_, sweep_, blocks, 512, words(flush_, flush_bytes_, clocks_ + 2 * kClockSampleBytes));
}

/// Average SM clock between two samples in MHz; 0 when they were taken on different SMs, whose counters differ.
double Bench::clock_between(Address from, Address to) const {
  std::array<std::uint64_t, 3> a{}, b{};
  driver_.to_host(a.data(), from, sizeof a);
  driver_.to_host(b.data(), to, sizeof b);
  if (a[2] != b[2] || b[1] <= a[1]) return 0;
  return static_cast<double>(b[0] - a[0]) / static_cast<double>(b[1] - a[1]) * 1e3;
}

Bench::Sample Bench::sample(const Target& target) {
  if (target.memory) target.memory->restore();
  if (target.launch && target.launch->caches == Caches::kWarm) target.run(driver_);
  if (target.launch && target.launch->caches == Caches::kCold) sweep_l2();
  launch_helper(driver_, clock_sample_, 1, 1, words(clocks_));
  launch_helper(driver_, spin_, 1, 1, words(kSpinNs));
  driver_.record(from_);
  target.run(driver_);
  driver_.record(to_);
  launch_helper(driver_, clock_sample_, 1, 1, words(clocks_ + kClockSampleBytes));
  driver_.synchronize();
  Sample s{driver_.elapsed_us(from_, to_), clock_between(clocks_, clocks_ + kClockSampleBytes), {}};
  if (target.launch)
    for (const auto& report :
         evaluate_reports(*target.launch, read_back(*target.memory, *target.launch, report_buffers(*target.launch))))
      s.reports.push_back(report.value);
  return s;
}

Distribution Bench::launch_overhead_us(unsigned repetitions) {
  std::vector<double> times;
  const Target target{empty_, {{1, 1, 1}, {32, 1, 1}, 0}};
  sample(target);
  for (unsigned r = 0; r < repetitions; ++r) times.push_back(sample(target).time_us);
  return distribution_of(times);
}

Measurement Bench::measure(Launch& launch, unsigned repetitions) {
  const Kernel kernel(driver_, launch);
  Memory memory(driver_, launch);
  Measurement m;
  m.resources = kernel.resources();
  require_stated_resources(launch, m.resources);
  const Target target{kernel.function(), geometry_of(launch.shape), &launch.parameters, &launch, &memory};
  target.run(driver_);
  driver_.synchronize();
  memory.find_changed();
  for (unsigned r = 0; r < kWarmUps; ++r) sample(target);

  std::vector<Sample> samples;
  double best_clock = 0;
  const auto counts = [&](const Sample& s) { return s.clock_mhz == 0 || s.clock_mhz >= kLeastClockShare * best_clock; };
  const auto accepted = [&] { return static_cast<unsigned>(std::count_if(samples.begin(), samples.end(), counts)); };
  while (samples.size() < std::size_t{repetitions} * kMostTries && accepted() < repetitions) {
    samples.push_back(sample(target));
    best_clock = std::max(best_clock, samples.back().clock_mhz);
  }
  m.throttled = management_.throttle_reasons();

  std::vector<double> times, clocks;
  std::vector<std::vector<double>> reports(launch.reports.size());
  for (const auto& s : samples) {
    if (!counts(s)) continue;
    times.push_back(s.time_us);
    if (s.clock_mhz > 0) clocks.push_back(s.clock_mhz);
    for (std::size_t i = 0; i < reports.size(); ++i) reports[i].push_back(s.reports[i]);
  }
  m.accepted = static_cast<unsigned>(times.size());
  m.rejected = static_cast<unsigned>(samples.size() - times.size());
  m.time_us = distribution_of(times);
  m.sm_clock_mhz = distribution_of(clocks);
  for (std::size_t i = 0; i < reports.size(); ++i)
    m.reports.push_back({launch.reports[i].name, launch.reports[i].unit, distribution_of(reports[i])});
  const auto needed = needed_buffers(launch);
  m.checks = evaluate_checks(launch, read_back(memory, launch, {needed.begin(), needed.end()}));
  return m;
}

void Bench::run_for_profiler(Launch& launch) {
  const Kernel kernel(driver_, launch);
  const Memory memory(driver_, launch);
  const Target target{kernel.function(), geometry_of(launch.shape), &launch.parameters};
  if (launch.caches == Caches::kWarm) target.run(driver_);
  driver_.synchronize();
  driver_.start_profiler();
  target.run(driver_);
  driver_.synchronize();
  driver_.stop_profiler();
}

}  // namespace smpipe::gpu
