#include "frontend/sass/decode.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "frontend/sass/lanes.h"

namespace smpipe::sass {
namespace {

const DecodeTable& decode_table() {
  static const DecodeTable table = [] {
    DecodeTable t;
    register_integer(t);
    register_float(t);
    register_half(t);
    register_double(t);
    register_convert(t);
    register_memory(t);
    register_atomic(t);
    register_mbarrier(t);
    register_control(t);
    register_warp(t);
    register_uniform(t);
    register_tensor(t);
    register_special(t);
    return t;
  }();
  return table;
}

void run_trap(Warp& warp, const Op& op, LaneMask, Step&) { warp.fault(op, kLanes, warp.image().traps[op.extra[0]]); }

void make_trap(Image& image, Op& op, const std::string& reason) {
  op.run = run_trap;
  op.flow = true;
  op.extra[0] = static_cast<std::uint32_t>(image.traps.size());
  image.traps.push_back(reason);
}

void decode_one(Image& image, std::size_t index) {
  const TextInstruction& text = image.kernel.text[index];
  const Instruction& instruction = image.kernel.program.code[index];
  Op op;
  const auto found = decode_table().find(text.mnemonic);
  try {
    if (found == decode_table().end()) throw Unsupported{"this opcode is not supported"};
    Decoder decoder(image, text, instruction, op);
    op.dst = image.trash_row;
    found->second(decoder);
    decoder.check_modifiers();
    if (!op.run) throw Unsupported{"this form is not supported"};
  } catch (const Unsupported& problem) {
    op = Op{};
    make_trap(image, op, fmt::format("cannot execute {}: {}", instruction.opcode, problem.reason));
  }
  op.guarded = text.guarded && !(text.guard == kPredicateTrue && !text.guard_negated);
  op.guard = text.guard;
  op.guard_uniform = text.guard_uniform;
  op.guard_negated = text.guard_negated;
  op.instruction = &instruction;
  image.ops[index] = op;
}

unsigned registers_used(const SassKernel& kernel) {
  unsigned highest = 0;
  for (const TextInstruction& text : kernel.text) {
    for (const TextOperand& operand : text.operands) {
      const bool base = operand.kind == OperandKind::kAddress || operand.kind == OperandKind::kConstant;
      if (operand.kind != OperandKind::kRegister && !base) continue;
      if (operand.index == kRegisterZero || operand.index == kNoIndex) continue;
      highest = std::max<unsigned>(highest, operand.index);
    }
  }
  return highest;
}

}  // namespace

bool Decoder::modifier(std::string_view name) {
  bool found = false;
  for (std::size_t i = 0; i < text.modifiers.size(); ++i) {
    if (text.modifiers[i] == name) found = used_[i] = true;
  }
  return found;
}

int Decoder::modifier_of(std::initializer_list<std::string_view> names) {
  int k = 0;
  for (std::string_view name : names) {
    if (modifier(name)) return k;
    ++k;
  }
  return -1;
}

void Decoder::ignore(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) modifier(name);
}

void Decoder::check_modifiers() const {
  for (std::size_t i = 0; i < used_.size(); ++i) {
    if (!used_[i]) throw Unsupported{fmt::format("modifier .{} is not supported", text.modifiers[i])};
  }
  if (next_ != text.operands.size()) throw Unsupported{"it has more operands than expected"};
}

const TextOperand& Decoder::peek(std::size_t ahead) const {
  if (next_ + ahead >= text.operands.size()) throw Unsupported{"an operand is missing"};
  return text.operands[next_ + ahead];
}

const TextOperand& Decoder::take() {
  const TextOperand& operand = peek();
  ++next_;
  return operand;
}

bool Decoder::next_is(OperandKind kind, std::size_t ahead) const {
  return next_ + ahead < text.operands.size() && text.operands[next_ + ahead].kind == kind;
}

void Decoder::refuse(const std::string& why) const { throw Unsupported{why}; }

std::uint16_t Decoder::register_row(std::uint16_t index, unsigned count, unsigned alignment) {
  if (index == kRegisterZero) return image_.zero_row;
  if (index % alignment != 0) refuse(fmt::format("R{} is not a multiple of {}", index, alignment));
  if (index + count > 255) refuse(fmt::format("R{} to R{} do not exist", index, index + count - 1));
  return index;
}

void Decoder::dst(unsigned count) {
  const TextOperand& operand = take();
  if (operand.kind != OperandKind::kRegister) refuse("the destination is not a register");
  op.dst = operand.index == kRegisterZero ? image_.trash_row : register_row(operand.index, count);
}

void Decoder::uniform_dst() {
  const TextOperand& operand = take();
  if (operand.kind != OperandKind::kUniform) refuse("the destination is not a uniform register");
  op.uniform_dst = static_cast<std::uint8_t>(operand.index);
}

bool Decoder::optional_dst_predicate(unsigned k) {
  if (!next_is(OperandKind::kPredicate) && !next_is(OperandKind::kUniformPredicate)) return false;
  op.dst_predicate[k] = static_cast<std::uint8_t>(take().index);
  return true;
}

void Decoder::dst_predicate(unsigned k) {
  if (!optional_dst_predicate(k)) refuse("a destination predicate is missing");
}

const Row* Decoder::constant_row(std::uint32_t value) {
  for (const auto& row : image_.rows) {
    if (row->lane[0] == value) return row.get();
  }
  auto row = std::make_unique<Row>();
  std::fill(std::begin(row->lane), std::end(row->lane), value);
  image_.rows.push_back(std::move(row));
  return image_.rows.back().get();
}

namespace {

void set_modifiers(Source& s, const TextOperand& operand, ValueType type) {
  const bool any = operand.negate || operand.absolute || operand.invert;
  s.modified = any;
  if (!any) return;
  if (operand.invert) s.xor_mask = ~0u;
  switch (type) {
    case ValueType::kBits:
      if (operand.negate || operand.absolute) throw Unsupported{"a sign modifier is not expected here"};
      break;
    case ValueType::kInteger:
      if (operand.absolute) throw Unsupported{"|x| is not expected here"};
      if (operand.negate) {
        s.xor_mask ^= ~0u;
        s.increment = 1;
      }
      break;
    case ValueType::kFloat:
    case ValueType::kDoubleHigh:
      if (operand.absolute) s.and_mask = 0x7fffffff;
      if (operand.negate) s.xor_mask ^= 0x80000000;
      break;
    case ValueType::kHalf2:
      if (operand.absolute) s.and_mask = 0x7fff7fff;
      if (operand.negate) s.xor_mask ^= 0x80008000;
      break;
  }
}

}  // namespace

void Decoder::source_from(unsigned k, const TextOperand& operand, ValueType type) {
  Source& s = op.src[k];
  s = Source{};
  set_modifiers(s, operand, type);
  const auto fix = [&](std::uint32_t raw) {
    s.kind = SourceKind::kFixed;
    s.value = ((raw & s.and_mask) ^ s.xor_mask) + s.increment;
    s.row = constant_row(s.value);
  };
  switch (operand.kind) {
    case OperandKind::kRegister:
      if (operand.index == kRegisterZero) return fix(0);
      s.kind = SourceKind::kRegister;
      s.index = register_row(operand.index);
      return;
    case OperandKind::kUniform:
      if (operand.index == kUniformZero) return fix(0);
      s.kind = SourceKind::kUniform;
      s.index = operand.index;
      return;
    case OperandKind::kInteger:
      // Floating-point immediates may be written in hex; integers are written exactly.
      return fix(static_cast<std::uint32_t>(operand.value));
    case OperandKind::kFloat:
      // The text rounds literals; the encoding has the exact bits.
      s.and_mask = ~0u;
      s.xor_mask = s.increment = 0;
      return fix(static_cast<std::uint32_t>(text.low >> 32));
    case OperandKind::kConstant: {
      if (operand.bindless) refuse("bindless constants are not supported");
      const bool indexed = operand.index != kNoIndex && operand.index != kRegisterZero;
      const bool uniform = operand.uniform != kNoIndex && operand.uniform != kUniformZero;
      if (!indexed && !uniform) {
        const auto& bank = image_.banks[operand.bank];
        const std::uint64_t offset = static_cast<std::uint64_t>(operand.value);
        if (offset % 4 == 0 && offset + 4 <= bank.size()) {
          std::uint32_t raw = 0;
          std::memcpy(&raw, bank.data() + offset, 4);
          return fix(raw);
        }
      }
      s.kind = SourceKind::kIndexedConstant;
      s.modified = true;
      s.index = indexed ? register_row(operand.index) : image_.zero_row;
      s.uniform = uniform ? operand.uniform : kUniformZero;
      s.bank = operand.bank;
      s.offset = static_cast<std::uint32_t>(operand.value);
      return;
    }
    default:
      refuse("an operand is not a value");
  }
}

void Decoder::source(unsigned k, ValueType type) { source_from(k, take(), type); }

void Decoder::source_pair(unsigned low, ValueType type) {
  const TextOperand& operand = take();
  TextOperand first = operand, second = operand;
  const bool is_double = type == ValueType::kDoubleHigh;
  if (is_double) first.negate = first.absolute = false;
  if (operand.kind == OperandKind::kRegister && operand.index != kRegisterZero) {
    register_row(operand.index, 2);
    second.index = static_cast<std::uint16_t>(operand.index + 1);
  } else if (operand.kind == OperandKind::kUniform && operand.index != kUniformZero) {
    second.index = static_cast<std::uint16_t>(operand.index + 1);
  } else if (operand.kind == OperandKind::kConstant) {
    second.value += 4;
  } else if (operand.kind == OperandKind::kFloat || (operand.kind == OperandKind::kInteger && is_double)) {
    // A 32-bit immediate is the high word of a double.
    first = TextOperand{};
    first.value = 0;
    second = TextOperand{};
    second.value = static_cast<std::int64_t>(text.low >> 32);
    if (!is_double) std::swap(first, second);
  } else if (operand.kind == OperandKind::kInteger) {
    second.value = operand.value >> 32;
  }
  if (!is_double && operand.negate) refuse("a negated 64-bit integer is not supported");
  source_from(low, first, is_double ? ValueType::kBits : type);
  source_from(low + 1, second, type);
}

PredicateSource Decoder::predicate_from(const TextOperand& operand) {
  PredicateSource p;
  p.index = static_cast<std::uint8_t>(operand.index);
  p.uniform = operand.kind == OperandKind::kUniformPredicate;
  p.negated = operand.logical_not;
  if (operand.kind != OperandKind::kPredicate && operand.kind != OperandKind::kUniformPredicate) {
    refuse("an operand is not a predicate");
  }
  return p;
}

void Decoder::predicate(unsigned k) { op.predicate[k] = predicate_from(take()); }

bool Decoder::optional_predicate(unsigned k) {
  if (!next_is(OperandKind::kPredicate) && !next_is(OperandKind::kUniformPredicate)) return false;
  predicate(k);
  return true;
}

std::int64_t Decoder::integer() {
  const TextOperand& operand = take();
  if (operand.kind != OperandKind::kInteger && operand.kind != OperandKind::kFloat) refuse("a number is expected");
  return operand.value;
}

void Decoder::address(bool wide_registers) {
  const TextOperand& operand = take();
  if (operand.kind != OperandKind::kAddress) refuse("an address is expected");
  AddressOperand& a = op.address;
  a.offset = operand.value;
  a.scale = operand.scale;
  a.has_register = operand.index != kNoIndex && operand.index != kRegisterZero;
  a.wide = operand.wide || (wide_registers && !operand.unsigned32);
  a.index = a.has_register ? register_row(operand.index, a.wide ? 2 : 1) : image_.zero_row;
  a.uniform = operand.uniform == kNoIndex ? kUniformZero : static_cast<std::uint8_t>(operand.uniform);
  a.uniform_wide = wide_registers;
}

void decode_kernel(Image& image) {
  const unsigned highest = std::max<unsigned>(registers_used(image.kernel), 1);
  // Vector operands reach up to eight registers beyond the one that is named.
  image.zero_row = static_cast<std::uint16_t>(highest + 17);
  image.trash_row = static_cast<std::uint16_t>(image.zero_row + 8);
  image.register_rows = static_cast<std::uint16_t>(image.trash_row + 16);
  image.ops.resize(image.kernel.text.size());
  for (std::size_t i = 0; i < image.ops.size(); ++i) decode_one(image, i);
}

}  // namespace smpipe::sass
