#include "frontend/sass/sass_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

namespace smpipe::sass {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

/// Splits at `separator` outside of brackets and braces.
std::vector<std::string_view> split(std::string_view s, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '[' || s[i] == '{' || s[i] == '(') ++depth;
    if (s[i] == ']' || s[i] == '}' || s[i] == ')') --depth;
    if (s[i] == separator && depth == 0) {
      parts.push_back(trim(s.substr(start, i - start)));
      start = i + 1;
    }
  }
  parts.push_back(trim(s.substr(start)));
  return parts;
}

/// Splits operands at commas and also at blanks outside of brackets (`BRX R4 -0x130`, `RET.REL.NODEC R2 0x0`).
std::vector<std::string_view> split_operands(std::string_view s) {
  std::vector<std::string_view> result;
  for (std::string_view part : split(s, ',')) {
    for (std::string_view piece : split(part, ' ')) {
      if (!piece.empty()) result.push_back(piece);
    }
  }
  return result;
}

bool parse_integer(std::string_view s, std::int64_t& value) {
  bool negative = false;
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) {
    negative = s.front() == '-';
    s.remove_prefix(1);
  }
  int base = 10;
  if (s.size() > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    base = 16;
    s.remove_prefix(2);
  }
  if (s.empty() || s.size() > 16) return false;
  std::uint64_t v = 0;
  for (char c : s) {
    const int d = is_digit(c)                                    ? c - '0'
                  : std::isxdigit(static_cast<unsigned char>(c)) ? (std::tolower(c) - 'a' + 10)
                                                                 : 99;
    if (d >= base) return false;
    v = v * static_cast<unsigned>(base) + static_cast<unsigned>(d);
  }
  value = static_cast<std::int64_t>(negative ? 0 - v : v);
  return true;
}

bool parse_float(std::string_view s, double& value) {
  double sign = 1;
  if (!s.empty() && (s.front() == '-' || s.front() == '+')) {
    if (s.front() == '-') sign = -1;
    s.remove_prefix(1);
  }
  if (s == "INF") {
    value = sign * std::numeric_limits<double>::infinity();
    return true;
  }
  if (s == "QNAN" || s == "SNAN" || s == "NAN") {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  if (s.empty() || !(is_digit(s.front()) || s.front() == '.')) return false;
  const std::string copy(s);
  char* end = nullptr;
  value = sign * std::strtod(copy.c_str(), &end);
  return *end == 0;
}

/// Number after `prefix`; the whole of `s` must be used.
bool parse_indexed(std::string_view s, std::string_view prefix, unsigned limit, std::uint16_t& index) {
  if (s.size() <= prefix.size() || s.substr(0, prefix.size()) != prefix) return false;
  s.remove_prefix(prefix.size());
  if (s.size() > 3) return false;
  unsigned v = 0;
  for (char c : s) {
    if (!is_digit(c)) return false;
    v = v * 10 + static_cast<unsigned>(c - '0');
  }
  if (v > limit) return false;
  index = static_cast<std::uint16_t>(v);
  return true;
}

bool parse_register(std::string_view s, std::uint16_t& index) {
  if (s == "RZ") {
    index = kRegisterZero;
    return true;
  }
  return parse_indexed(s, "R", 254, index);
}

bool parse_uniform(std::string_view s, std::uint16_t& index) {
  if (s == "URZ") {
    index = kUniformZero;
    return true;
  }
  return parse_indexed(s, "UR", 62, index);
}

/// Inside of [...]: sums of registers and offsets.
bool parse_sum(std::string_view s, TextOperand& out) {
  out.index = kNoIndex;
  out.uniform = kNoIndex;
  // A sign separates terms and belongs to the offset: R14+-0x4.
  std::size_t start = 0;
  std::vector<std::string_view> terms;
  for (std::size_t i = 0; i <= s.size(); ++i) {
    if (i == s.size() || s[i] == '+') {
      terms.push_back(trim(s.substr(start, i - start)));
      start = i + 1;
    }
  }
  for (std::string_view term : terms) {
    if (term.empty()) return false;
    const std::size_t dot = term.find('.');
    const std::string_view base = term.substr(0, dot);
    std::uint16_t index = 0;
    std::int64_t value = 0;
    if (parse_register(base, index)) {
      if (out.index != kNoIndex) return false;
      out.index = index;
      if (dot != std::string_view::npos) {
        for (std::string_view suffix : split(term.substr(dot + 1), '.')) {
          if (suffix == "64")
            out.wide = true;
          else if (suffix == "U32")
            out.unsigned32 = true;
          else if (suffix == "X4")
            out.scale = 2;
          else if (suffix == "X8")
            out.scale = 3;
          else if (suffix == "X16")
            out.scale = 4;
          else if (suffix != "reuse")
            return false;
        }
      }
    } else if (parse_uniform(base, index)) {
      if (out.uniform != kNoIndex) return false;
      out.uniform = index;
    } else if (parse_integer(term, value)) {
      out.value += value;
    } else {
      return false;
    }
  }
  return true;
}

/// Contents of the bracket pair that starts at `s[0]`; `rest` is what follows it.
bool take_brackets(std::string_view s, std::string_view& inside, std::string_view& rest) {
  if (s.empty() || s.front() != '[') return false;
  const std::size_t close = s.find(']');
  if (close == std::string_view::npos) return false;
  inside = trim(s.substr(1, close - 1));
  rest = s.substr(close + 1);
  return true;
}

bool parse_constant(std::string_view s, TextOperand& out) {
  out.kind = OperandKind::kConstant;
  std::string_view first, second, rest;
  if (s.substr(0, 2) == "cx") {
    out.bindless = true;
    s.remove_prefix(2);
  } else {
    s.remove_prefix(1);
  }
  if (!take_brackets(s, first, rest) || !take_brackets(rest, second, rest)) return false;
  if (out.bindless) {
    if (!parse_sum(second, out)) return false;
    std::uint16_t ignored = 0;
    return parse_uniform(first, ignored);
  }
  std::int64_t bank = 0;
  if (!parse_integer(first, bank) || bank < 0 || bank > 31) return false;
  out.bank = static_cast<std::uint8_t>(bank);
  if (!parse_sum(second, out)) return false;
  for (std::string_view suffix : split(rest, '.')) {
    if (!suffix.empty() && suffix != "reuse") out.suffixes.emplace_back(suffix);
  }
  return true;
}

bool parse_address(std::string_view s, TextOperand& out) {
  out.kind = OperandKind::kAddress;
  std::string_view inside, rest;
  if (s.substr(0, 4) == "desc") {
    std::uint16_t ignored = 0;
    if (!take_brackets(s.substr(4), inside, rest) || !parse_uniform(inside, ignored)) return false;
    s = rest;
  }
  if (!take_brackets(s, inside, rest)) return false;
  for (std::string_view suffix : split(rest, '.')) {
    if (!suffix.empty()) out.suffixes.emplace_back(suffix);
  }
  return parse_sum(inside, out);
}

bool parse_set(std::string_view s, TextOperand& out) {
  out.kind = OperandKind::kSet;
  if (s.size() < 2 || s.back() != '}') return false;
  for (std::string_view part : split(s.substr(1, s.size() - 2), ',')) {
    std::int64_t v = 0;
    if (!parse_integer(part, v) || v < 0 || v > 7) return false;
    out.value |= std::int64_t{1} << v;
  }
  return true;
}

bool parse_plain(std::string_view s, TextOperand& out) {
  if (parse_float(s, out.number) && !(s.find('x') != std::string_view::npos)) {
    std::int64_t v = 0;
    out.kind = OperandKind::kFloat;
    if (parse_integer(s, v)) out.value = v;
    return true;
  }
  if (parse_integer(s, out.value)) {
    out.kind = OperandKind::kInteger;
    return true;
  }
  if (s.substr(0, 2) == "SR") {
    out.kind = OperandKind::kSpecial;
    out.name = std::string(s);
    return true;
  }
  const std::vector<std::string_view> parts = split(s, '.');
  const std::string_view base = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "64")
      out.wide = true;
    else if (parts[i] == "reuse")
      continue;
    else
      out.suffixes.emplace_back(parts[i]);
  }
  if (parse_register(base, out.index)) {
    out.kind = OperandKind::kRegister;
    return true;
  }
  if (parse_uniform(base, out.index)) {
    out.kind = OperandKind::kUniform;
    return true;
  }
  if (base == "PT" || parse_indexed(base, "P", 6, out.index)) {
    out.kind = OperandKind::kPredicate;
    if (base == "PT") out.index = kPredicateTrue;
    return true;
  }
  if (base == "UPT" || parse_indexed(base, "UP", 6, out.index)) {
    out.kind = OperandKind::kUniformPredicate;
    if (base == "UPT") out.index = kPredicateTrue;
    return true;
  }
  if (parse_indexed(base, "SB", 5, out.index)) {
    out.kind = OperandKind::kScoreboard;
    return true;
  }
  if (parse_indexed(base, "B", 15, out.index)) {
    out.kind = OperandKind::kConvergence;
    return true;
  }
  if (base == "PR" || base == "UPR") {
    out.kind = OperandKind::kAllPredicates;
    return true;
  }
  // Other named state (A0, THREAD_STATE_ENUM.., ATEXIT_PC): kept by name, judged when executed.
  if (!base.empty() && std::isupper(static_cast<unsigned char>(base.front()))) {
    out.kind = OperandKind::kSpecial;
    out.name = std::string(s);
    return true;
  }
  return false;
}

bool parse_operand(std::string_view s, TextOperand& out) {
  std::int64_t integer = 0;
  double number = 0;
  // Signs of literals belong to the literal.
  if (s.size() > 1 && (s[0] == '-' || s[0] == '+') && (parse_integer(s, integer) || parse_float(s, number))) {
    return parse_plain(s, out);
  }
  for (bool more = true; more && !s.empty();) {
    switch (s.front()) {
      case '!':
        out.logical_not = true;
        break;
      case '-':
        out.negate = true;
        break;
      case '~':
        out.invert = true;
        break;
      default:
        more = false;
        continue;
    }
    s.remove_prefix(1);
  }
  if (s.size() > 2 && s.front() == '|') {
    const std::size_t close = s.find('|', 1);
    if (close == std::string_view::npos) return false;
    out.absolute = true;
    const std::string inner = std::string(s.substr(1, close - 1)) + std::string(s.substr(close + 1));
    TextOperand base;
    if (!parse_operand(inner, base)) return false;
    base.absolute = true;
    base.negate = out.negate;
    base.invert = out.invert;
    out = base;
    return true;
  }
  if (s.empty()) return false;
  if (s.substr(0, 2) == "c[" || s.substr(0, 3) == "cx[") return parse_constant(s, out);
  if (s.front() == '[' || s.substr(0, 5) == "desc[") return parse_address(s, out);
  if (s.front() == '{') return parse_set(s, out);
  return parse_plain(s, out);
}

}  // namespace

bool TextOperand::has(std::string_view suffix) const {
  return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

bool TextInstruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::string parse_instruction(std::string_view text, TextInstruction& out) {
  text = trim(text);
  if (!text.empty() && text.front() == '@') {
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) return "a guard without an instruction";
    std::string_view guard = text.substr(1, end - 1);
    out.guarded = true;
    if (!guard.empty() && guard.front() == '!') {
      out.guard_negated = true;
      guard.remove_prefix(1);
    }
    TextOperand p;
    if (guard.empty() || !parse_plain(guard, p) ||
        (p.kind != OperandKind::kPredicate && p.kind != OperandKind::kUniformPredicate)) {
      return "the guard '" + std::string(guard) + "' is not a predicate";
    }
    out.guard = static_cast<std::uint8_t>(p.index);
    out.guard_uniform = p.kind == OperandKind::kUniformPredicate;
    text = trim(text.substr(end));
  }
  if (text.empty() || !std::isalpha(static_cast<unsigned char>(text.front()))) return "no mnemonic";
  const std::size_t end = text.find(' ');
  const std::vector<std::string_view> parts = split(text.substr(0, end), '.');
  out.mnemonic = std::string(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) out.modifiers.emplace_back(parts[i]);
  if (end == std::string_view::npos) return {};
  for (std::string_view piece : split_operands(text.substr(end))) {
    TextOperand operand;
    if (!parse_operand(piece, operand)) return "cannot read operand '" + std::string(piece) + "'";
    out.operands.push_back(std::move(operand));
  }
  return {};
}

}  // namespace smpipe::sass
