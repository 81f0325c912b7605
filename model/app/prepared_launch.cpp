#include "app/prepared_launch.h"

#include <fmt/format.h>

#include "app/parameter_use.h"
#include "app/progress.h"
#include "core/error.h"
#include "frontend/sass/sass_executor.h"
#include "launch/fill.h"
#include "launch/launch_reader.h"

namespace smpipe::app {

namespace po = boost::program_options;

void add_config_options(CommandLine& line) {
  line.options()("config,c", po::value<std::string>()->value_name("CONFIG")->default_value("a100-sxm4-40gb"),
                 "GPU configuration: file or stem");
  line.options()("set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE")->composing(),
                 "change one configuration value, for example l2.slices=160; may be repeated");
}

LoadedConfig read_config(const CommandLine& line) {
  std::vector<std::string> overrides;
  if (line.has("set")) overrides = line.get<std::vector<std::string>>("set");
  return smpipe::read_config(line.get<std::string>("config"), default_config_dirs(), overrides);
}

std::string launch_argument(const CommandLine& line) {
  if (line.positional().empty()) line.fail("name a launch file, for example traces/hgemm_3stage.toml");
  if (line.positional().size() > 1) {
    line.fail(fmt::format("one launch at a time; there is a second one, '{}'", line.positional()[1]));
  }
  return line.positional().front();
}

PreparedLaunch prepare_launch(const CommandLine& line) {
  const std::string file = launch_argument(line);
  LoadedConfig config = read_config(line);
  Launch launch = read_launch(file, config.config.gpu.architecture);
  check_resources(launch, config.config);
  fill_buffers(launch);
  return {std::move(config), std::move(launch)};
}

namespace {

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

}  // namespace

SimulationResult run(const PreparedLaunch& prepared, SimulateOptions options, FinalContents* contents) {
  SassKernel kernel = read_code(prepared.launch);
  const GpuIdentity& gpu = prepared.config.config.gpu;
  // The kernel works on a copy: checks need the initial contents afterwards.
  std::vector<Buffer> device = prepared.launch.buffers;
  DeviceMemory memory(device);
  SassExecutor source(std::move(kernel), prepared.launch, memory, gpu.sm_count, gpu.sm_clock_mhz);
  SimulationResult result;
  {
    Progress progress;
    options.progress = [&progress](double fraction, Cycle now) { progress(fraction, now); };
    result = simulate(prepared.config.config, source, prepared.launch, options);
  }
  if (contents != nullptr) {
    for (Buffer& buffer : device) contents->push_back(std::move(buffer.data));
  }
  return result;
}

std::uint64_t positive(const CommandLine& line, const std::string& name) {
  const auto value = line.get<std::int64_t>(name);
  if (value < 1) line.fail(fmt::format("--{} = {} must be at least 1", name, value));
  return static_cast<std::uint64_t>(value);
}

std::vector<std::string> with_json_value(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--json") {
      out.push_back(words[i]);
      continue;
    }
    const bool has_file = i + 1 < words.size() && !words[i + 1].empty() && !words[i + 1].ends_with(".toml") &&
                          (words[i + 1] == "-" || words[i + 1].front() != '-');
    out.push_back("--json=" + (has_file ? words[++i] : std::string("-")));
  }
  return out;
}

}  // namespace smpipe::app
