// Finds what belongs to a measured set: configuration of the device, and launch files.
#pragma once

#include <string>
#include <vector>

#include "validate/measured_set.h"

namespace smpipe::validate {

/// Stem of the configuration whose name is part of the device's ("NVIDIA H200": h200), the longest if several are.
/// Throws InputError that lists the configurations.
std::string config_for_device(const MeasuredSet& set, const std::vector<std::string>& stems);

/// Folders in which launch files are looked up: those given, the measured file's folder and the one above, traces/
/// beside each folder of configurations.
std::vector<std::string> launch_folders(const std::vector<std::string>& given, const std::string& measured_file);

/// Path of every launch file, in the order of `names`; sub-folder sweep/ is looked into. Throws one InputError that
/// names the first missing one, how many more are missing, and the folders. `file` is the one that names the launches.
std::vector<std::string> find_launches(const std::string& file, const std::vector<std::string>& names,
                                       const std::vector<std::string>& folders);

/// Throws InputError if the launch file now asks for something else than what was measured.
void check_same_launch(const MeasuredSet& set, const MeasuredLaunch& launch, const std::string& launch_file,
                       const std::string& architecture);

/// Name of `launch` matches one of the shell patterns; true if there are none.
bool wanted(const std::string& launch, const std::vector<std::string>& patterns);

}  // namespace smpipe::validate
