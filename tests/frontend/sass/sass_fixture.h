// Helpers for tests of the SASS front end: launches built in code, and one-instruction programs.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "frontend/sass/sass_executor.h"
#include "frontend/sass/untimed_run.h"

namespace smpipe::test {

inline std::string data_file(const std::string& name) {
  return std::string(SMPIPE_SOURCE_DIR) + "/tests/frontend/sass/data/" + name;
}

/// Message of the InputError that `action` throws, or an empty string.
inline std::string input_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Pseudo-random 32-bit numbers.
class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(generator_()); }

 private:
  std::mt19937 generator_;
};

/// A launch under construction, and its run.
class SassRun {
 public:
  SassRun(const std::string& kernel, const std::string& architecture) {
    launch_.kernel = kernel;
    launch_.architecture = architecture;
    launch_.file = "launch.toml";
    launch_.shape.block = {32, 1, 1};
    launch_.buffers.reserve(16);
  }
  SassRun& grid(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    launch_.shape.grid = {x, y, z};
    return *this;
  }
  SassRun& block(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    launch_.shape.block = {x, y, z};
    return *this;
  }
  SassRun& shared(std::uint32_t fixed, std::uint32_t dynamic = 0) {
    launch_.shape.static_shared_bytes = fixed;
    launch_.shape.dynamic_shared_bytes = dynamic;
    return *this;
  }
  SassRun& local(std::uint32_t bytes) {
    launch_.shape.local_bytes_per_thread = bytes;
    return *this;
  }
  /// A buffer that is also the next argument.
  template <class T>
  SassRun& buffer(const std::vector<T>& values) {
    Buffer b;
    b.name = std::string(1, static_cast<char>('A' + launch_.buffers.size()));
    b.bytes = values.size() * sizeof(T);
    b.address = 0x7f0000000000 + launch_.buffers.size() * 0x1000000;
    b.data.resize(b.bytes);
    std::memcpy(b.data.data(), values.data(), b.bytes);
    const std::uint64_t address = b.address;
    launch_.buffers.push_back(std::move(b));
    return argument(address);
  }
  template <class T>
  SassRun& output(std::size_t count) {
    return buffer(std::vector<T>(count));
  }
  template <class T>
  SassRun& argument(const T& value) {
    std::vector<std::uint8_t>& p = launch_.parameters;
    const std::size_t at = (p.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    p.resize(at + sizeof(T));
    std::memcpy(p.data() + at, &value, sizeof(T));
    return *this;
  }
  UntimedResult run_listing(const std::string& listing) {
    return run(read_sass_text(listing, "test.sass", launch_.kernel, launch_.architecture));
  }
  UntimedResult run_file(const std::string& file) { return run(read_sass(file, launch_.kernel, launch_.architecture)); }
  /// The shipped test kernels.
  UntimedResult run() { return run_file(data_file("kernels." + launch_.architecture + ".sass")); }

  template <class T>
  std::vector<T> values(std::size_t buffer) const {
    const std::vector<std::uint8_t>& data = launch_.buffers.at(buffer).data;
    std::vector<T> v(data.size() / sizeof(T));
    std::memcpy(v.data(), data.data(), v.size() * sizeof(T));
    return v;
  }
  Launch& launch() { return launch_; }
  static constexpr std::uint64_t kLimit = 20'000'000;

 private:
  UntimedResult run(SassKernel kernel) {
    DeviceMemory memory(launch_.buffers);
    SassExecutor executor(std::move(kernel), launch_, memory, 108);
    return run_untimed(executor, kLimit);
  }
  Launch launch_;
};

template <class T>
std::vector<T> random_values(std::size_t count, double low, double high, unsigned seed = 1) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  std::vector<T> v(count);
  for (T& x : v) x = static_cast<T>(distribution(generator));
  return v;
}

/// A listing from instruction texts. `immediate`, if given, goes into the encoding's immediate field of every
/// instruction: floating-point literals are read from there.
inline std::string listing(const std::vector<std::string>& instructions, const std::string& architecture = "sm_80",
                           const std::string& kernel = "k", std::uint32_t immediate = 0) {
  std::string text = fmt::format("\tcode for {}\n\t\tFunction : {}\n", architecture, kernel);
  unsigned address = 0;
  for (const std::string& i : instructions) {
    text += fmt::format("        /*{:04x}*/                   {} ;   /* 0x{:08x}00000000 */\n", address, i, immediate);
    text += "                                            /* 0x000fe20000000000 */\n";
    address += 16;
  }
  return text + "\t\t..........\n";
}

/// Operands and results of a small program: R4..R11 come in, R12..R19 go out, lane by lane.
struct LaneWords {
  std::array<std::uint32_t, 8> word{};
};

/// Runs `body` for one warp. Registers R4..R11 hold `input`; returns R12..R19. Predicates go out by SEL.
inline std::vector<LaneWords> run_lanes(const std::vector<std::string>& body, const std::vector<LaneWords>& input,
                                        const std::string& architecture = "sm_80", std::uint32_t immediate = 0) {
  const unsigned at = architecture == "sm_90" ? 0x210 : 0x160;
  std::vector<std::string> program = {
      "S2R R0, SR_TID.X",
      fmt::format("MOV R2, c[0x0][{:#x}]", at),
      fmt::format("MOV R3, c[0x0][{:#x}]", at + 4),
      "IMAD.WIDE.U32 R2, R0, 0x20, R2",
      "LDG.E.128 R4, [R2.64]",
      "LDG.E.128 R8, [R2.64+0x10]",
      "CS2R R12, SRZ",
      "CS2R R14, SRZ",
      "CS2R R16, SRZ",
      "CS2R R18, SRZ",
  };
  program.insert(program.end(), body.begin(), body.end());
  program.insert(program.end(), {"STG.E.128 [R2.64], R12", "STG.E.128 [R2.64+0x10], R16", "EXIT"});
  std::vector<LaneWords> lanes = input;
  lanes.resize(32);
  SassRun run("k", architecture);
  run.buffer(lanes);
  run.run_listing(listing(program, architecture, "k", immediate));
  return run.values<LaneWords>(0);
}

inline std::vector<LaneWords> random_lanes(unsigned seed) {
  Random generator(seed);
  std::vector<LaneWords> lanes(32);
  // Corner values among random ones.
  static constexpr std::uint32_t corners[] = {0, 1, ~0u, 0x80000000, 0x7fffffff, 31, 32, 33};
  for (LaneWords& l : lanes) {
    for (std::uint32_t& w : l.word) w = generator() % 5 == 0 ? corners[generator() % 8] : generator();
  }
  return lanes;
}

}  // namespace smpipe::test
