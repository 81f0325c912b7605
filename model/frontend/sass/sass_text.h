// Grammar of one disassembled instruction: guard, mnemonic, modifiers, operands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smpipe::sass {

enum class OperandKind : std::uint8_t {
  kRegister,          ///< R7, RZ (255)
  kUniform,           ///< UR7, URZ (63 or 255 as listed, stored as kUniformZero)
  kPredicate,         ///< P3, PT (7)
  kUniformPredicate,  ///< UP3, UPT (7)
  kConvergence,       ///< B5
  kScoreboard,        ///< SB0
  kSpecial,           ///< SR_TID.X, SRZ: name in `name`
  kInteger,           ///< 0x10, -0x3
  kFloat,             ///< 1.5, +INF, -QNAN
  kConstant,          ///< c[0x0][0x160], c[0x2][R3+0x10], cx[UR4][0x10]
  kAddress,           ///< [R2.64+UR4+0x10], desc[UR4][R2.64]
  kSet,               ///< {2,1}: bit mask in `value`
  kAllPredicates,     ///< PR
};

inline constexpr std::uint16_t kRegisterZero = 255;
inline constexpr std::uint8_t kUniformZero = 63;
inline constexpr std::uint8_t kPredicateTrue = 7;
inline constexpr std::uint16_t kNoIndex = 256;  ///< address or constant without a (uniform) register

struct TextOperand {
  OperandKind kind = OperandKind::kInteger;
  bool logical_not = false;           ///< !P0
  bool negate = false;                ///< -R0
  bool absolute = false;              ///< |R0|
  bool invert = false;                ///< ~R0
  std::uint16_t index = 0;            ///< register number; for kAddress and kConstant the base register or kNoIndex
  std::uint16_t uniform = kNoIndex;   ///< kAddress, kConstant: uniform register that is added
  std::uint8_t scale = 0;             ///< kAddress: log2 of the .X4/.X8/.X16 factor
  bool wide = false;                  ///< register written as R2.64
  bool unsigned32 = false;            ///< register written as R2.U32
  std::uint8_t bank = 0;              ///< kConstant
  bool bindless = false;              ///< cx[..]
  std::int64_t value = 0;             ///< integer, constant offset, address offset
  double number = 0;                  ///< kFloat
  std::string name;                   ///< kSpecial
  std::vector<std::string> suffixes;  ///< H0_H0, ROW, B1... (.reuse is dropped)
  bool has(std::string_view suffix) const;
};

struct TextInstruction {
  std::string mnemonic;                ///< LDG
  std::vector<std::string> modifiers;  ///< E, 128, CONSTANT
  bool guarded = false, guard_negated = false, guard_uniform = false;
  std::uint8_t guard = kPredicateTrue;
  std::vector<TextOperand> operands;
  std::uint64_t low = 0, high = 0;  ///< the encoding
  bool has(std::string_view modifier) const;
};

/// Parses `text` (without the trailing semicolon). Returns an empty string or what is wrong.
std::string parse_instruction(std::string_view text, TextInstruction& out);

}  // namespace smpipe::sass
