// Turns parsed instructions into Ops: operand access with checks, and the table of mnemonics.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/sass/machine.h"

namespace smpipe::sass {

/// Why an instruction cannot be executed. Raised while decoding, reported when the instruction is about to execute.
struct Unsupported {
  std::string reason;
};

/// How modifiers of a source (-, |x|, ~) act.
enum class ValueType : std::uint8_t { kBits, kInteger, kFloat, kHalf2, kDoubleHigh };

class Decoder {
 public:
  Decoder(Image& image, const TextInstruction& parsed, const Instruction& instruction, Op& out)
      : op(out), text(parsed), image_(image), instruction_(instruction), used_(parsed.modifiers.size(), false) {}

  Op& op;
  const TextInstruction& text;
  Image& image() { return image_; }
  std::uint32_t next_address() const { return instruction_.address + 16; }

  // Modifiers: each must be asked for, or the instruction is refused.
  bool modifier(std::string_view name);
  /// First of `names` that is present, or -1.
  int modifier_of(std::initializer_list<std::string_view> names);
  void ignore(std::initializer_list<std::string_view> names);
  void check_modifiers() const;

  // Operands, left to right.
  std::size_t left() const { return text.operands.size() - next_; }
  const TextOperand& peek(std::size_t ahead = 0) const;
  const TextOperand& take();
  bool next_is(OperandKind kind, std::size_t ahead = 0) const;

  std::uint16_t register_row(std::uint16_t index, unsigned count = 1, unsigned alignment = 1);
  /// Destination register of `count` consecutive registers.
  void dst(unsigned count = 1);
  void uniform_dst();
  /// Destination predicate k, when the next operand is one; otherwise it stays PT.
  void dst_predicate(unsigned k);
  bool optional_dst_predicate(unsigned k);
  void source(unsigned k, ValueType type = ValueType::kBits);
  void source_from(unsigned k, const TextOperand& operand, ValueType type);
  /// Low and high word of a 64-bit source into src[low] and src[low + 1]; modifiers act on the high word of a double.
  void source_pair(unsigned low, ValueType type = ValueType::kBits);
  void predicate(unsigned k);
  PredicateSource predicate_from(const TextOperand& operand);
  bool optional_predicate(unsigned k);
  std::int64_t integer();
  void address(bool wide_registers);

  [[noreturn]] void refuse(const std::string& why) const;
  const Row* constant_row(std::uint32_t value);

 private:
  Image& image_;
  const Instruction& instruction_;
  std::vector<bool> used_;
  std::size_t next_ = 0;
};

using DecodeFunction = void (*)(Decoder&);
using DecodeTable = std::unordered_map<std::string_view, DecodeFunction>;

void register_integer(DecodeTable& table);
void register_float(DecodeTable& table);
void register_half(DecodeTable& table);
void register_double(DecodeTable& table);
void register_convert(DecodeTable& table);
void register_memory(DecodeTable& table);
void register_atomic(DecodeTable& table);
void register_mbarrier(DecodeTable& table);
void register_control(DecodeTable& table);
void register_warp(DecodeTable& table);
void register_uniform(DecodeTable& table);
void register_tensor(DecodeTable& table);
void register_special(DecodeTable& table);

/// ATOMS.ARRIVE, which belongs to the mbarriers.
void decode_shared_arrive(Decoder& d);

/// Decodes the whole kernel of `image`. Never throws for an unknown instruction: it becomes a trap.
void decode_kernel(Image& image);

}  // namespace smpipe::sass
