#include "app/parameter_use.h"

namespace smpipe::app {
namespace {

/// Offset of the first parameter in constant bank 0: 0x160 from Volta to Ada, 0x210 on Hopper.
std::int64_t first_parameter(const std::string& architecture) { return architecture == "sm_90" ? 0x210 : 0x160; }

std::uint32_t bytes_read(const sass::TextInstruction& instruction) {
  if (instruction.has("128")) return 16;
  if (instruction.has("64")) return 8;
  return 4;
}

}  // namespace

ParameterUse parameter_use(const SassKernel& kernel) {
  const std::int64_t first = first_parameter(kernel.program.architecture);
  ParameterUse use;
  for (std::size_t i = 0; i < kernel.text.size(); ++i) {
    for (const sass::TextOperand& operand : kernel.text[i].operands) {
      const bool fixed = operand.kind == sass::OperandKind::kConstant && operand.bank == 0 && !operand.bindless &&
                         operand.index == sass::kNoIndex && operand.uniform == sass::kNoIndex;
      if (!fixed || operand.value < first) continue;
      const auto end = static_cast<std::uint32_t>(operand.value - first) + bytes_read(kernel.text[i]);
      if (end > use.bytes) use = {end, kernel.program.code[i].line};
    }
  }
  return use;
}

}  // namespace smpipe::app
