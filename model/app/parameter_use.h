// Which kernel parameters a listing reads: a listing does not state its parameter list, but its code shows a lower
// bound.
#pragma once

#include <cstdint>

#include "frontend/sass/sass_reader.h"

namespace smpipe::app {

struct ParameterUse {
  std::uint32_t bytes = 0;  ///< one past the highest parameter byte read, relative to the first parameter
  unsigned line = 0;        ///< line of the instruction that reads it
};

ParameterUse parameter_use(const SassKernel& kernel);

}  // namespace smpipe::app
