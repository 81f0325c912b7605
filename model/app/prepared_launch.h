// From the command line's words to a launch that can be simulated: what every verb that runs a launch begins with.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "config/config_reader.h"
#include "gpu/simulate.h"
#include "launch/launch.h"
#include "launch/verify.h"

namespace smpipe::app {

/// Adds `-c CONFIG` and `--set PATH=VALUE`.
void add_config_options(CommandLine& line);
/// The configuration that these options name. Throws InputError.
LoadedConfig read_config(const CommandLine& line);

/// A launch resolved for a configuration, its buffers filled.
struct PreparedLaunch {
  LoadedConfig config;
  Launch launch;
};

/// The one positional argument and the options above. Throws UsageError and InputError.
PreparedLaunch prepare_launch(const CommandLine& line);

/// The only positional argument, a launch file. Throws UsageError.
std::string launch_argument(const CommandLine& line);

/// Runs the launch on a copy of its buffers, with progress on a terminal; once per process. `contents`, if not null,
/// receives what the kernel left in the buffers. Throws InputError.
SimulationResult run(const PreparedLaunch& prepared, SimulateOptions options, FinalContents* contents = nullptr);

/// An option's value that must be at least 1. Throws UsageError.
std::uint64_t positive(const CommandLine& line, const std::string& name);

/// `--json` takes its file as the next word, as in `--json result.json`; a launch file or an option there means that
/// there is none, which becomes `--json=-`.
std::vector<std::string> with_json_value(const std::vector<std::string>& words);

}  // namespace smpipe::app
