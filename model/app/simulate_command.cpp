// `smpipe simulate`: launch file and configuration in, prediction out.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/prepared_launch.h"
#include "app/run_result.h"
#include "core/error.h"
#include "core/output_file.h"
#include "gpu/simulate.h"
#include "launch/verify.h"

namespace smpipe::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

constexpr const char* kStandardOutput = "-";

struct Request {
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
  add_config_options(line);
  line.options()("json", po::value<std::string>()->value_name("FILE"),
                 "write the result as JSON to FILE; without FILE or with '-' to standard output, instead of the table");
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

Request read_request(const CommandLine& line) {
  launch_argument(line);
  Request request;
  if (line.has("json")) request.json = line.get<std::string>("json");
  if (line.has("dump-buffers")) request.dump_dir = line.get<std::string>("dump-buffers");
  if (line.has("max-blocks")) request.options.max_blocks = positive(line, "max-blocks");
  if (line.has("watchdog-cycles")) request.options.watchdog_cycles = positive(line, "watchdog-cycles");
  request.options.full = line.has("full");
  request.options.tick_everything = line.has("tick");
  if (request.options.full && line.has("max-blocks")) line.fail("--full and --max-blocks exclude each other");
  return request;
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
    OutputFile out(path);
    out.stream().write(reinterpret_cast<const char*>(contents[i].data()),
                       static_cast<std::streamsize>(contents[i].size()));
    out.finish();
  }
}

void write_result(const RunResult& result, const Request& request, std::optional<OutputFile>& json_file) {
  if (request.json != kStandardOutput) std::cout << result_table(result);
  if (!request.json) return;
  const std::string text = result_json(result).dump(2) + "\n";
  if (*request.json == kStandardOutput) {
    std::cout << text;
    return;
  }
  json_file->stream() << text;
  json_file->finish();
}

}  // namespace

int simulate_command(const std::vector<std::string>& words) {
  CommandLine line = make_command_line();
  if (line.parse(with_json_value(words))) return kFine;
  const Request request = read_request(line);

  // Opened before the simulation: a long run must not end at a missing folder.
  std::optional<OutputFile> json_file;
  if (request.json && *request.json != kStandardOutput) json_file.emplace(*request.json);
  make_dump_dir(request.dump_dir);
  const PreparedLaunch prepared = prepare_launch(line);
  const Launch& launch = prepared.launch;

  FinalContents contents;
  RunResult result{launch, prepared.config, run(prepared, request.options, &contents), {}, {}, true};
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
