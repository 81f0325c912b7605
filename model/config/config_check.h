// Finds values that no GPU can have, before the model divides by them.
#pragma once

#include "config/config_reader.h"

namespace smpipe {

/// Throws InputError at the file and line of the first impossible value.
void check_config(const LoadedConfig& loaded);

}  // namespace smpipe
