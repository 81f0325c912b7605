// `smpipe validate`: measured set or published figures in, predictions beside them out.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include "app/command_line.h"
#include "app/commands.h"
#include "config/config_reader.h"
#include "core/error.h"
#include "core/text.h"
#include "validate/comparison_json.h"
#include "validate/comparison_table.h"
#include "validate/inputs.h"
#include "validate/report.h"
#include "validate/run_predictions.h"

namespace smpipe::app {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;
namespace v = smpipe::validate;

constexpr const char* kStandardOutput = "-";
constexpr int kInterrupted = 130;  ///< as a shell reports a program that Ctrl-C ended

volatile std::sig_atomic_t interrupted = 0;
void on_interrupt(int) { interrupted = 1; }

struct Request {
  std::string measured;                  ///< empty with `published`
  std::optional<std::string> published;  ///< file; empty: the shipped one
  std::string config;                    ///< empty: by device
  std::string out;
  std::optional<std::string> json;  ///< file, or "-" for standard output
  std::vector<std::string> only, launches;
  v::Tolerances tolerances;
  unsigned jobs = 1;
  double timeout_s = 600;
};

/// Simulations to run and what they are compared with.
struct Work {
  std::vector<v::PredictionTask> tasks;
  v::Provenance provenance;
};

CommandLine make_command_line() {
  CommandLine line(
      "validate MEASURED.json [-c CONFIG] [-o DIR] [options]\n"
      "       smpipe validate --published [FILE] [-c CONFIG] [-o DIR] [options]",
      "Simulates every launch that was measured and sets prediction beside measurement: a table,\n"
      "comparison.json, plots (SVG and PNG) and one page, index.html, in DIR. MEASURED.json is what\n"
      "smpipe-measure wrote; the configuration is the one of the measured device unless -c names one.\n"
      "Finished simulations are kept in DIR: an interrupted run continues with the same command.\n\n"
      "Tolerances (default: " +
          v::describe({}) +
          ")\nare changed by --tolerance NAME=VALUE, 'off' for VALUE disables one. Names: component (%),\n"
          "component.cycles, pipeline.mean, pipeline.worst, kernel.mean, kernel.worst (%), mean and worst\n"
          "for both, stalls (points), counters (%), published (%).\n",
      "Examples:\n"
      "  smpipe validate traces/measured/h200.json\n"
      "  smpipe validate traces/measured/h200.json --only 'hgemm*' --tolerance kernel.worst=30\n"
      "  smpipe validate --published -c a100-sxm4-40gb -o published\n"
      "Exit codes: 0 fine, 1 a tolerance is broken or a launch could not be simulated, 2 bad input.\n");
  auto options = line.options();
  options("config,c", po::value<std::string>()->value_name("CONFIG"), "GPU configuration: file or stem");
  options("out,o", po::value<std::string>()->value_name("DIR")->default_value("validation"), "output folder");
  options(
      "json", po::value<std::string>()->value_name("FILE"),
      "write the comparison as JSON to FILE, too; without FILE or with '-' to standard output, instead of the table");
  options("published", po::value<std::string>()->value_name("FILE"),
          "compare with published figures instead; without FILE with validate/published-a100.toml");
  options("only", po::value<std::vector<std::string>>()->value_name("PATTERN")->composing(),
          "only launches that match, for example 'lds_*'; may be repeated");
  options("launches", po::value<std::vector<std::string>>()->value_name("DIR")->composing(),
          "folder of launch files (default: beside MEASURED.json, and traces/); may be repeated");
  options("tolerance", po::value<std::vector<std::string>>()->value_name("NAME=VALUE")->composing(),
          "change a tolerance, for example kernel.mean=12; may be repeated");
  options("jobs,j", po::value<int>()->value_name("N"), "simulations at a time (default: one per core)");
  options("timeout", po::value<double>()->value_name("SECONDS")->default_value(900, "900"), "limit for one launch");
  return line;
}

/// `--json` and `--published` take the next word as their file unless it is an option.
std::vector<std::string> with_values(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--json" && words[i] != "--published") {
      out.push_back(words[i]);
      continue;
    }
    const std::string option = words[i];
    const bool has_value =
        i + 1 < words.size() && !words[i + 1].empty() && (words[i + 1] == kStandardOutput || words[i + 1][0] != '-');
    out.push_back(option + "=" + (has_value ? words[++i] : kStandardOutput));
  }
  return out;
}

std::string shipped_published() {
  for (const std::string& configs : default_config_dirs()) {
    const fs::path path = fs::path(configs).parent_path() / "validate" / "published-a100.toml";
    std::error_code error;
    if (fs::exists(path, error)) return path.string();
  }
  throw InputError("published-a100.toml", 0, "is not found", "name the file: --published FILE");
}

void read_reference(const CommandLine& line, Request& request) {
  if (line.has("published")) {
    if (!line.positional().empty()) {
      line.fail(fmt::format("--published takes no measured set; there is one, '{}'", line.positional().front()));
    }
    const auto file = line.get<std::string>("published");
    request.published = file == kStandardOutput ? shipped_published() : file;
    return;
  }
  if (line.positional().empty()) line.fail("name a measured set, for example traces/measured/h200.json");
  if (line.positional().size() > 1) {
    line.fail(fmt::format("one measured set at a time; there is a second one, '{}'", line.positional()[1]));
  }
  request.measured = line.positional().front();
}

Request read_request(const CommandLine& line) {
  Request request;
  read_reference(line, request);
  if (line.has("config")) request.config = line.get<std::string>("config");
  request.out = line.get<std::string>("out");
  if (line.has("json")) request.json = line.get<std::string>("json");
  if (line.has("only")) request.only = line.get<std::vector<std::string>>("only");
  if (line.has("launches")) request.launches = line.get<std::vector<std::string>>("launches");
  if (line.has("tolerance")) {
    try {
      for (const auto& text : line.get<std::vector<std::string>>("tolerance"))
        v::set_tolerance(request.tolerances, text);
    } catch (const std::invalid_argument& error) {
      line.fail(error.what());
    }
  }
  request.jobs = std::max(1u, std::thread::hardware_concurrency());
  if (line.has("jobs")) {
    const int jobs = line.get<int>("jobs");
    if (jobs < 1 || jobs > 1024) line.fail(fmt::format("--jobs {} must be 1 to 1024", jobs));
    request.jobs = static_cast<unsigned>(jobs);
  }
  request.timeout_s = line.get<double>("timeout");
  if (!(request.timeout_s > 0 && request.timeout_s < 1e7)) line.fail("--timeout must be above 0 seconds");
  return request;
}

void add_config(v::Provenance& provenance, const LoadedConfig& config) {
  provenance.config_name = config.name;
  provenance.config_file = config.file;
  provenance.config_entries = config.entries;
}

std::vector<const v::MeasuredLaunch*> select(const v::MeasuredSet& set, const Request& request) {
  std::vector<const v::MeasuredLaunch*> selected;
  for (const v::MeasuredLaunch& launch : set.launches) {
    // The empty launch is the measure of the overhead, not a prediction's subject.
    if (&launch == v::empty_launch(set)) continue;
    if (v::wanted(launch.name, request.only)) selected.push_back(&launch);
  }
  if (selected.empty()) {
    throw InputError(set.file, 0, "no launch matches --only", "the first one is " + set.launches.front().name);
  }
  return selected;
}

std::string cycles_fact(const v::MeasuredSet& set, const std::vector<const v::MeasuredLaunch*>& launches) {
  std::size_t counted = 0, timed = 0;
  double overhead = 0;
  for (const v::MeasuredLaunch* launch : launches) {
    const auto net = v::net_cycles(set, *launch);
    if (!net) continue;
    (net->counted ? counted : timed) += 1;
    overhead = net->overhead;
  }
  std::string text;
  if (counted > 0) text += fmt::format("{} launches by sm__cycles_elapsed.max", counted);
  if (timed > 0) text += fmt::format("{}{} by event time and the clock held", text.empty() ? "" : ", ", timed);
  if (overhead > 0) return text + fmt::format(", less {:.0f} cycles of launch overhead", overhead);
  return text + "; launch overhead not known, not taken off";
}

std::string clock_fact(const std::vector<const v::MeasuredLaunch*>& launches) {
  double least = 0, most = 0;
  for (const v::MeasuredLaunch* launch : launches) {
    if (!launch->sm_clock_mhz) continue;
    const double clock = launch->sm_clock_mhz->median;
    least = least == 0 ? clock : std::min(least, clock);
    most = std::max(most, clock);
  }
  if (most == 0) return "not measured: the model runs at the configuration's clock";
  return fmt::format("{:.0f} to {:.0f} MHz held; the model runs each launch at the clock that was held", least, most);
}

void describe_set(const v::MeasuredSet& set, const std::vector<const v::MeasuredLaunch*>& launches, Work& work) {
  work.provenance.title = fmt::format("{} launches measured on {}, predicted with configuration {}", launches.size(),
                                      set.device, work.provenance.config_name);
  auto& facts = work.provenance.facts;
  facts.emplace_back("measured set", set.file);
  facts.emplace_back("device",
                     fmt::format("{}, {} SMs, memory clock {:.0f} MHz", set.device, set.sms, set.memory_clock_mhz));
  facts.emplace_back("driver", set.driver + (set.cuda.empty() ? "" : ", CUDA " + set.cuda));
  facts.emplace_back("date", set.date);
  facts.emplace_back("repetitions", std::to_string(set.repetitions));
  facts.emplace_back("SM clock", clock_fact(launches));
  facts.emplace_back("cycles", cycles_fact(set, launches));
}

/// Any measure of a simulation's length: most of it is instructions, a chase is time.
double cost_of(const v::MeasuredLaunch& launch) {
  return launch.metric("smsp__inst_executed.sum").value_or(0) + launch.cycles.value_or(0) / 10;
}

Work plan(const v::MeasuredSet& set, const std::vector<const v::MeasuredLaunch*>& launches, const Request& request) {
  const std::string stem =
      request.config.empty() ? v::config_for_device(set, list_configs(default_config_dirs())) : request.config;
  const LoadedConfig config = read_config(stem);
  const std::string& architecture = config.config.gpu.architecture;
  if (!set.architecture.empty() && set.architecture != architecture) {
    throw InputError(
        config.file, 0,
        fmt::format("is a configuration for {}, but {} was measured on {}", architecture, set.file, set.architecture),
        "use a configuration of that architecture, or leave -c out");
  }
  std::vector<std::string> names;
  for (const v::MeasuredLaunch* launch : launches) names.push_back(launch->name);
  const auto paths = v::find_launches(set.file, names, v::launch_folders(request.launches, set.file));
  Work work;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    v::check_same_launch(set, *launches[i], paths[i], architecture);
    v::PredictionTask task{names[i], paths[i], stem, {}, cost_of(*launches[i])};
    if (launches[i]->sm_clock_mhz) {
      task.overrides.push_back(fmt::format("gpu.sm_clock_mhz={:.1f}", launches[i]->sm_clock_mhz->median));
    }
    work.tasks.push_back(std::move(task));
  }
  add_config(work.provenance, config);
  describe_set(set, launches, work);
  return work;
}

Work plan(const v::PublishedSet& set, const std::vector<std::string>& launches, const Request& request) {
  const std::string stem = request.config.empty() ? set.config : request.config;
  const LoadedConfig config = read_config(stem);
  const auto paths = v::find_launches(set.file, launches, v::launch_folders(request.launches, set.file));
  Work work;
  for (std::size_t i = 0; i < launches.size(); ++i) work.tasks.push_back({launches[i], paths[i], stem, {}, 0});
  add_config(work.provenance, config);
  work.provenance.title = fmt::format("{} published figures of {}, predicted with configuration {}", set.figures.size(),
                                      set.device, config.name);
  work.provenance.facts.emplace_back("figures", set.file);
  work.provenance.facts.emplace_back("SM clock", fmt::format("{:.0f} MHz", config.config.gpu.sm_clock_mhz));
  work.provenance.facts.emplace_back(
      "grades",
      "A: raw logs or the code with its output are public; B: published and confirmed by an independent source; C: one "
      "source, second hand, or the conditions differ somewhat; D: doubtful");
  return work;
}

/// A line on stderr for people who watch.
class RunProgress {
 public:
  ~RunProgress() { clear(); }
  void operator()(std::size_t done, std::size_t total, const std::string& name) {
    if (!on_terminal_) return;
    fmt::print(stderr, "\r\033[K{} of {} launches, last {}", done, total, name);
    std::fflush(stderr);
    shown_ = true;
  }
  void clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw InputError(folder, 0, "cannot be made a folder", "name another one with -o");
}

v::RunOutcome simulate_all(const Work& work, const Request& request) {
  make_folder(request.out);
  v::PredictionStore store((fs::path(request.out) / "predictions.jsonl").string());
  RunProgress progress;
  v::RunOptions options;
  options.jobs = request.jobs;
  options.timeout_s = request.timeout_s;
  options.stop = [] { return interrupted != 0; };
  options.progress = [&](std::size_t done, std::size_t total, const std::string& name) { progress(done, total, name); };
  interrupted = 0;
  struct sigaction action {};
  action.sa_handler = on_interrupt;  // without SA_RESTART: waiting ends at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  v::RunOutcome run = v::run_predictions(work.tasks, store, options);
  progress.clear();
  return run;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) throw InputError(path, 0, "cannot be written", "check that its folder exists and the free space");
}

int report(const v::Comparison& comparison, const v::Provenance& provenance, const Request& request) {
  const std::string json = v::comparison_json(comparison, provenance).dump(1) + "\n";
  write_file((fs::path(request.out) / "comparison.json").string(), json);
  if (request.json && *request.json != kStandardOutput) write_file(*request.json, json);
  const bool json_out = request.json && *request.json == kStandardOutput;
  std::cout << (json_out ? json : v::comparison_table(comparison, provenance)) << std::flush;
  for (const std::string& warning : v::write_report(comparison, provenance, request.out)) {
    std::cerr << "smpipe validate: " << warning << "\n";
  }
  return comparison.passed() ? kFine : kFinding;
}

int tell_interrupted(const v::RunOutcome& run, const Request& request) {
  std::cerr << fmt::format(
      "smpipe validate: interrupted; {} of {} launches are done and kept in {}, the same command "
      "continues\n",
      run.from_store + run.simulated, run.predictions.size(), request.out);
  return kInterrupted;
}

int validate_measured(const Request& request) {
  const v::MeasuredSet set = v::read_measured(request.measured);
  const auto launches = select(set, request);
  const Work work = plan(set, launches, request);
  const v::RunOutcome run = simulate_all(work, request);
  if (run.stopped) return tell_interrupted(run, request);
  return report(v::compare(set, launches, run.predictions, request.tolerances), work.provenance, request);
}

int validate_published(const Request& request) {
  const v::PublishedSet set = v::read_published(*request.published);
  std::vector<std::string> launches;
  for (const std::string& launch : v::launches_of(set)) {
    if (v::wanted(launch, request.only)) launches.push_back(launch);
  }
  if (launches.empty()) throw InputError(set.file, 0, "no launch matches --only", "leave it out");
  const Work work = plan(set, launches, request);
  const v::RunOutcome run = simulate_all(work, request);
  if (run.stopped) return tell_interrupted(run, request);
  return report(v::compare_published(set, launches, run.predictions, request.tolerances), work.provenance, request);
}

}  // namespace

int validate_command(const std::vector<std::string>& words) {
  CommandLine line = make_command_line();
  if (line.parse(with_values(words))) return kFine;
  const Request request = read_request(line);
  return request.published ? validate_published(request) : validate_measured(request);
}

}  // namespace smpipe::app
