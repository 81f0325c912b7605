// `smpipe simulate`: launch file and configuration in, prediction out.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/parameter_use.h"
#include "app/progress.h"
#include "app/run_result.h"
#include "config/config_reader.h"
#include "core/error.h"
#include "frontend/sass/sass_executor.h"
#include "gpu/simulate.h"
#include "launch/fill.h"
#include "launch/launch_reader.h"
#include "launch/verify.h"

namespace smpipe::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr const char* kStandardOutput = "-";

struct Request {
  std::string launch;
  std::string config;
  std::vector<std::string> overrides;
  std::optional<std::string> json;  ///< file, or "-" for standard output
  std::string dump_dir;
  SimulateOptions options;
};

CommandLine make_command_line() {
  CommandLine line(
      "simulate LAUNCH [-c CONFIG] [--json [FILE]] [--set path=value]... [options]",
      "Simulates one kernel launch from its machine code and prints cycles, the reasons for which\n"
      "warps wait, counters under Nsight Compute's names, and the values that the kernel reports.\n\n"
      "LAUNCH is a launch file (docs/launch-file.md). CONFIG is a file or the stem of one in configs/;\n"
      "its architecture picks the code.\n",
      "Examples:\n"
      "  smpipe simulate traces/hgemm_3stage.toml\n"
      "  smpipe simulate traces/hgemm_3stage.toml -c h200 --json result.json\n"
      "  smpipe simulate traces/tile_stream_3stage.toml --set l2.slices=160   # a GPU that does not exist\n"
      "Exit codes: 0 fine, 1 a [check] of the launch failed, 2 bad input.\n");
  line.options()("config,c", po::value<std::string>()->value_name("CONFIG")->default_value("a100-sxm4-40gb"),
                 "GPU configuration: file or stem");
  line.options()("json", po::value<std::string>()->value_name("FILE"),
                 "write the result as JSON to FILE; without FILE or with '-' to standard output, instead of the table");
  line.options()("set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE")->composing(),
                 "change one configuration value, for example l2.slices=160; may be repeated");
  line.options()("max-blocks", po::value<std::int64_t>()->value_name("N"),
                 "simulate the first N blocks and extrapolate");
  line.options()("full", "simulate every block, whatever the size");
  line.options()("tick", "step every unit in every cycle: slow, for comparison");
  line.options()("watchdog-cycles", po::value<std::int64_t>()->value_name("N"),
                 "give up when no block ends for N cycles");
  line.options()("dump-buffers", po::value<std::string>()->value_name("DIR"),
                 "write the final contents of every buffer to DIR/NAME.bin");
  return line;
}

/// `--json` takes its file as the next word, as in `--json result.json`; a launch file or an option there means that
/// there is none.
std::vector<std::string> with_json_value(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--json") {
      out.push_back(words[i]);
      continue;
    }
    const bool has_file = i + 1 < words.size() && !words[i + 1].empty() && !words[i + 1].ends_with(".toml") &&
                          (words[i + 1] == kStandardOutput || words[i + 1].front() != '-');
    out.push_back("--json=" + (has_file ? words[++i] : kStandardOutput));
  }
  return out;
}

std::uint64_t positive(const CommandLine& line, const std::string& name) {
  const auto value = line.get<std::int64_t>(name);
  if (value < 1) line.fail(fmt::format("--{} = {} must be at least 1", name, value));
  return static_cast<std::uint64_t>(value);
}

Request read_request(const CommandLine& line) {
  if (line.positional().empty()) line.fail("name a launch file, for example traces/hgemm_3stage.toml");
  if (line.positional().size() > 1) {
    line.fail(fmt::format("one launch at a time; there is a second one, '{}'", line.positional()[1]));
  }
  Request request;
  request.launch = line.positional().front();
  request.config = line.get<std::string>("config");
  if (line.has("set")) request.overrides = line.get<std::vector<std::string>>("set");
  if (line.has("json")) request.json = line.get<std::string>("json");
  if (line.has("dump-buffers")) request.dump_dir = line.get<std::string>("dump-buffers");
  if (line.has("max-blocks")) request.options.max_blocks = positive(line, "max-blocks");
  if (line.has("watchdog-cycles")) request.options.watchdog_cycles = positive(line, "watchdog-cycles");
  request.options.full = line.has("full");
  request.options.tick_everything = line.has("tick");
  if (request.options.full && line.has("max-blocks")) line.fail("--full and --max-blocks exclude each other");
  return request;
}

/// Opens output before the simulation: a long run must not end at a missing folder.
std::ofstream open_output(const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  if (!out) throw InputError(path, 0, "cannot be written", "check that its folder exists and may be written to");
  return out;
}

void make_dump_dir(const std::string& dir) {
  if (dir.empty()) return;
  std::error_code error;
  fs::create_directories(dir, error);
  if (error || !fs::is_directory(dir)) throw InputError(dir, 0, "cannot be made a folder", "name another one");
}

void dump_buffers(const std::string& dir, const Launch& launch, const FinalContents& contents) {
  if (dir.empty()) return;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    const std::string path = (fs::path(dir) / (launch.buffers[i].name + ".bin")).string();
    std::ofstream out = open_output(path);
    out.write(reinterpret_cast<const char*>(contents[i].data()), static_cast<std::streamsize>(contents[i].size()));
    out.flush();
    if (!out) throw InputError(path, 0, "cannot be written", "check the free space");
  }
}

SassKernel read_code(const Launch& launch) {
  if (!launch.code_is_listing) {
    throw InputError(launch.file, launch.line_of("code"), "'" + launch.code + "' is not a listing",
                     "the model reads disassemblies so far: cuobjdump -sass " + launch.code + " > listing.sass");
  }
  SassKernel kernel = read_sass(launch.code, launch.kernel, launch.architecture);
  const ParameterUse use = parameter_use(kernel);
  check_parameters(launch, use.bytes, use.line);
  return kernel;
}

/// Runs the launch; `contents` receives what the kernel left in the buffers.
SimulationResult run(const Request& request, const LoadedConfig& config, const Launch& launch,
                     FinalContents& contents) {
  SassKernel kernel = read_code(launch);
  // The kernel works on a copy: checks need the initial contents afterwards.
  std::vector<Buffer> device = launch.buffers;
  DeviceMemory memory(device);
  SassExecutor source(std::move(kernel), launch, memory, config.config.gpu.sm_count, config.config.gpu.sm_clock_mhz);
  SimulationResult result;
  {
    Progress progress;
    SimulateOptions options = request.options;
    options.progress = [&progress](double fraction, Cycle now) { progress(fraction, now); };
    result = simulate(config.config, source, launch, options);
  }
  for (Buffer& buffer : device) contents.push_back(std::move(buffer.data));
  return result;
}

void write_result(const RunResult& result, const Request& request, std::ofstream& json_file) {
  if (request.json != kStandardOutput) std::cout << result_table(result);
  if (!request.json) return;
  const std::string text = result_json(result).dump(2) + "\n";
  if (*request.json == kStandardOutput) {
    std::cout << text;
    return;
  }
  json_file << text;
  json_file.flush();
  if (!json_file) throw InputError(*request.json, 0, "cannot be written", "check the free space");
}

}  // namespace

int simulate_command(const std::vector<std::string>& words) {
  CommandLine line = make_command_line();
  if (line.parse(with_json_value(words))) return kFine;
  const Request request = read_request(line);

  const LoadedConfig config = read_config(request.config, default_config_dirs(), request.overrides);
  Launch launch = read_launch(request.launch, config.config.gpu.architecture);
  check_resources(launch, config.config);
  std::ofstream json_file;
  if (request.json && *request.json != kStandardOutput) json_file = open_output(*request.json);
  make_dump_dir(request.dump_dir);
  fill_buffers(launch);

  FinalContents contents;
  RunResult result{launch, config, run(request, config, launch, contents), {}, {}, true};
  result.reports = evaluate_reports(launch, contents);
  // Part of the blocks never ran: their results are not there to be verified.
  result.checked = result.simulation.coverage.blocks == result.simulation.coverage.blocks_total;
  if (result.checked) result.checks = evaluate_checks(launch, contents);
  if (launch.checks.empty()) result.checked = true;
  dump_buffers(request.dump_dir, launch, contents);
  write_result(result, request, json_file);
  for (const CheckResult& check : result.checks) {
    if (!check.passed) return kFinding;
  }
  return kFine;
}

}  // namespace smpipe::app
