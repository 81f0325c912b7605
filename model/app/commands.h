// The verbs of the tool. Each takes the words after the verb and returns the exit code.
#pragma once

#include <string>
#include <vector>

namespace smpipe::app {

inline constexpr int kFine = 0;     ///< done
inline constexpr int kFinding = 1;  ///< a check failed
inline constexpr int kBadInput = 2;
inline constexpr int kInternal = 3;  ///< the model contradicted itself

int simulate_command(const std::vector<std::string>& words);
int config_command(const std::vector<std::string>& words);
int validate_command(const std::vector<std::string>& words);

}  // namespace smpipe::app
