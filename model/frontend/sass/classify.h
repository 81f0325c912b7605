// Timing view of an instruction: operation class, memory access, control code, sources.
#pragma once

#include <cstdint>

#include "frontend/sass/sass_text.h"
#include "program/instruction.h"

namespace smpipe::sass {

/// Fills everything of `out` that follows from mnemonic, operands and encoding.
void classify(const TextInstruction& text, Instruction& out);

/// Control code in the encoding's bits 105..125.
ControlCode control_code(std::uint64_t high);

/// Whether the instruction's last operand is an address in the code.
bool has_target(const TextInstruction& text);
/// That address; false when the operand is missing.
bool branch_target(const TextInstruction& text, std::uint64_t& target);

}  // namespace smpipe::sass
