// A comparison as JSON. Format: docs/validate.md.
#pragma once

#include <nlohmann/json.hpp>

#include "validate/comparison.h"
#include "validate/comparison_table.h"

namespace smpipe::validate {

nlohmann::ordered_json comparison_json(const Comparison& comparison, const Provenance& provenance);

}  // namespace smpipe::validate
