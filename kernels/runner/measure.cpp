// smpipe-measure: launches launch files on the GPU at hand and writes what it measured.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "bench.h"
#include "core/error.h"
#include "launch/launch_reader.h"
#include "measured_json.h"
#include "profiler.h"

namespace smpipe::gpu {
namespace {

constexpr char kUsage[] =
    "usage: smpipe-measure LAUNCH... -o MEASURED.json [--repeat N] [--ncu] [--device N]\n"
    "\n"
    "Launches the code of each launch file on a GPU and writes times, clocks, reports and check verdicts as JSON.\n"
    "  -o FILE      where to write; - is standard output\n"
    "  --repeat N   timed repetitions of each launch (default 20)\n"
    "  --ncu        also collect hardware counters with Nsight Compute's ncu\n"
    "  --device N   which GPU (default 0)\n"
    "Exit status: 0 fine, 1 a check failed or a launch was throttled throughout, 2 bad input or no usable GPU.\n";

struct Options {
  std::vector<std::string> launches;
  std::string output;
  unsigned repetitions = 20;
  int device = 0;
  bool counters = false;
  bool help = false;
  bool under_profiler = false;
};

unsigned number(const std::string& option, const std::string& text, unsigned least, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    throw InputError({}, 0, option + " " + text,
                     "give a number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

Options parse(const std::vector<std::string>& words) {
  Options o;
  std::size_t i = 0;
  const auto operand = [&](const std::string& option) {
    if (++i >= words.size()) throw InputError({}, 0, option + " lacks its value", "see smpipe-measure --help");
    return words[i];
  };
  for (; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-h" || word == "--help")
      o.help = true;
    else if (word == "-o" || word == "--output")
      o.output = operand(word);
    else if (word == "--repeat")
      o.repetitions = number(word, operand(word), 1, 100000);
    else if (word == "--device")
      o.device = static_cast<int>(number(word, operand(word), 0, 1023));
    else if (word == "--ncu")
      o.counters = true;
    else if (word == kProfileOption) {
      o.under_profiler = true;
      o.device = static_cast<int>(number(word, operand(word), 0, 1023));
    } else if (word.size() > 1 && word[0] == '-')
      throw InputError({}, 0, "unknown option " + word, "see smpipe-measure --help");
    else
      o.launches.push_back(word);
  }
  if (o.help) return o;
  if (o.launches.empty()) throw InputError({}, 0, "no launch file given", "see smpipe-measure --help");
  if (o.output.empty() && !o.under_profiler)
    throw InputError({}, 0, "-o is missing", "say where to write the measured set");
  return o;
}

std::string architecture_of(const Driver& driver) {
  return "sm_" + std::to_string(driver.attribute(DeviceAttribute::kMajor)) +
         std::to_string(driver.attribute(DeviceAttribute::kMinor));
}

std::string this_program() {
  std::vector<char> path(4096);
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) throw DeviceError("/proc/self/exe cannot be read");
  return {path.data(), static_cast<std::size_t>(length)};
}

/// A verdict for each launch on standard error, so that a long run shows where it is.
bool announce(const Json& launch) {
  bool good = true;
  std::string note;
  for (const auto& check : launch["checks"]) {
    if (check["passed"]) continue;
    good = false;
    note += "  FAILED " + check["kind"].get<std::string>() + ": " + check["detail"].get<std::string>();
  }
  if (launch["rejected"] > 0) note += "  " + launch["rejected"].dump() + " samples rejected: the clock dropped";
  std::fprintf(stderr, "%-32s %10.2f us  %5.1f %%%s\n", launch["launch"].get<std::string>().c_str(),
               launch["time_us"]["median"].get<double>(), launch["time_us"]["spread"].get<double>() * 100,
               note.c_str());
  return good;
}

/// Counters of all launches that want the same treatment of caches come from one run of ncu.
void collect_counters(const Options& options, const std::vector<Launch>& launches, Json& measured) {
  for (const Caches state : {Caches::kCold, Caches::kWarm}) {
    std::vector<std::string> files;
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (launches[i].caches != state) continue;
      files.push_back(launches[i].file);
      indices.push_back(i);
    }
    if (files.empty()) continue;
    const auto results = profile(this_program(), std::to_string(options.device), files, state == Caches::kCold);
    for (std::size_t k = 0; k < indices.size(); ++k) add_metrics(measured["launches"][indices[k]], results[k]);
  }
}

void write(const std::string& path, const Json& measured) {
  const std::string text = measured.dump(1) + "\n";
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw InputError(path, 0, "cannot be written", "name a file in a folder that exists");
}

/// Reads every file before the first launch, so that a mistake in the last one costs no time on the GPU.
std::vector<Launch> read_all(const std::vector<std::string>& files, const std::string& architecture) {
  std::vector<Launch> launches;
  for (const auto& file : files) launches.push_back(read_launch(file, architecture));
  return launches;
}

/// Runs `work`; a CUDA error in it says which launch it was.
template <class Work>
auto naming(const Launch& launch, Work work) {
  try {
    return work();
  } catch (const DeviceError& error) {
    throw DeviceError(launch.file + ": " + error.what());
  }
}

int measure_all(const Options& options) {
  const Driver driver(options.device);
  const ManagementLibrary management(driver.pci_bus_id());
  const auto launches = read_all(options.launches, architecture_of(driver));
  Bench bench(driver, management);
  Json measured = describe_run(driver, management, options.repetitions, bench.launch_overhead_us(options.repetitions));
  if (options.output != "-") write(options.output, measured);  // an unwritable file is found out before the work
  bool good = true;
  for (const Launch& declared : launches) {
    Launch launch = declared;  // its buffers' contents are dropped after the launch
    const Measurement m = naming(launch, [&] { return bench.measure(launch, options.repetitions); });
    measured["launches"].push_back(describe_launch(launch, m));
    const Json& last = measured["launches"].back();
    good = announce(last) && last["repetitions"].get<unsigned>() == options.repetitions && good;
  }
  // The measured set is written before the profiler runs: should that fail, the times are not lost.
  write(options.output, measured);
  if (options.counters) {
    collect_counters(options, launches, measured);
    write(options.output, measured);
  }
  return good ? 0 : 1;
}

int run_under_profiler(const Options& options) {
  const Driver driver(options.device);
  const ManagementLibrary management(driver.pci_bus_id());
  Bench bench(driver, management);
  for (Launch& launch : read_all(options.launches, architecture_of(driver))) {
    naming(launch, [&] { bench.run_for_profiler(launch); });
    launch.buffers.clear();
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  const Options options = parse(words);
  if (options.help) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  return options.under_profiler ? run_under_profiler(options) : measure_all(options);
}

}  // namespace
}  // namespace smpipe::gpu

int main(int argc, char** argv) {
  try {
    return smpipe::gpu::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "smpipe-measure: %s\n", error.what());
    return 2;
  }
}
