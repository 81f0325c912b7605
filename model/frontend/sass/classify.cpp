#include "frontend/sass/classify.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace smpipe::sass {
namespace {

const std::unordered_map<std::string_view, OpClass>& class_table() {
  static const std::unordered_map<std::string_view, OpClass> table = [] {
    std::unordered_map<std::string_view, OpClass> t;
    const auto put = [&](OpClass op, std::initializer_list<std::string_view> names) {
      for (std::string_view name : names) t[name] = op;
    };
    put(OpClass::kNop, {"NOP", "PMTRIG", "PREEXIT", "ACQBULK", "ENDCOLLECTIVE", "CGAERRBAR", "DEPBAR"});
    put(OpClass::kIntAlu,
        {"IADD3",     "IADD",  "LOP3",  "LOP",      "PLOP3",     "SHF",    "SHL",    "SHR",    "LEA",
         "ISETP",     "SEL",   "PRMT",  "MOV",      "IMNMX",     "IABS",   "VIADD",  "VIMNMX", "VIMNMX3",
         "VIADDMNMX", "I2FP",  "FSETP", "FSET",     "FSEL",      "FMNMX",  "FCHK",   "SGXT",   "BMSK",
         "R2P",       "P2R",   "CSEL",  "VABSDIFF", "VABSDIFF4", "F2FP",   "I2IP",   "LEPC",   "MOVM",
         "ISET",      "PSETP", "BFE",   "BFI",      "F2FP",      "MOV32I", "FMNMX3", "FSWZADD"});
    put(OpClass::kIntMul, {"IMAD", "IMUL", "IDP", "IDP4A", "XMAD"});
    put(OpClass::kFp32, {"FFMA", "FADD", "FMUL", "FFMA2", "FADD2", "FMUL2"});
    put(OpClass::kFp16, {"HFMA2", "HADD2", "HMUL2", "HSETP2", "HSET2", "HMNMX2"});
    put(OpClass::kFp64, {"DFMA", "DADD", "DMUL", "DSETP", "DMNMX"});
    put(OpClass::kXu, {"MUFU", "POPC", "FLO", "BREV", "I2F", "F2I", "F2F", "FRND", "I2I"});
    put(OpClass::kTensor, {"HMMA", "IMMA", "DMMA", "BMMA"});
    put(OpClass::kUniform, {"R2UR", "UR2UP", "UP2UR"});
    put(OpClass::kBranch, {"BRA", "JMP", "BRX", "JMX", "CALL", "RET", "BSSY", "BSYNC", "BREAK", "WARPSYNC", "YIELD",
                           "EXIT", "KILL", "NANOSLEEP", "BMOV", "BPT", "RTT", "BRXU", "JMXU"});
    put(OpClass::kVote, {"VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX"});
    put(OpClass::kSpecialRead, {"S2R", "S2UR", "CS2R", "B2R", "CS2UR"});
    put(OpClass::kBarrier, {"BAR"});
    put(OpClass::kMembar, {"MEMBAR", "FENCE", "ERRBAR", "CCTL", "CCTLL", "CCTLT", "QSPC"});
    put(OpClass::kShuffle, {"SHFL"});
    put(OpClass::kConstLoad, {"LDC"});
    put(OpClass::kGroupCommit, {"LDGDEPBAR", "ARRIVES"});
    put(OpClass::kMemory, {"LD", "LDG", "LDS", "LDL", "LDSM", "ST", "STG", "STS", "STL", "STSM", "ATOM", "ATOMG",
                           "ATOMS", "RED", "REDG", "REDS", "LDGSTS", "SYNCS"});
    return t;
  }();
  return table;
}

OpClass class_of(const TextInstruction& text) {
  const std::string& m = text.mnemonic;
  if (m == "DEPBAR") return text.has("LE") ? OpClass::kDepbar : OpClass::kNop;
  if (m == "IMAD" && (text.has("WIDE") || text.has("HI"))) return OpClass::kIntMulWide;
  const auto found = class_table().find(m);
  if (found != class_table().end()) return found->second;
  if (m.size() > 1 && m[0] == 'U') return OpClass::kUniform;
  return OpClass::kIntAlu;
}

unsigned access_bytes(const TextInstruction& text) {
  for (const std::string& m : text.modifiers) {
    if (m == "128" || m == "F32x4") return 16;
    if (m == "64" || m == "F32x2" || m == "F64" || m == "S64" || m == "TRANS64") return 8;
    if (m == "U8" || m == "S8") return 1;
    if (m == "U16" || m == "S16") return 2;
  }
  return 4;
}

Space space_of(std::string_view mnemonic) {
  static const std::unordered_map<std::string_view, Space> table = {
      {"LD", Space::kGeneric},    {"ST", Space::kGeneric},   {"ATOM", Space::kGeneric}, {"LDG", Space::kGlobal},
      {"STG", Space::kGlobal},    {"RED", Space::kGlobal},   {"REDG", Space::kGlobal},  {"ATOMG", Space::kGlobal},
      {"LDGSTS", Space::kGlobal}, {"LDS", Space::kShared},   {"STS", Space::kShared},   {"LDSM", Space::kShared},
      {"STSM", Space::kShared},   {"ATOMS", Space::kShared}, {"REDS", Space::kShared},  {"SYNCS", Space::kShared},
      {"LDL", Space::kLocal},     {"STL", Space::kLocal}};
  const auto found = table.find(mnemonic);
  return found == table.end() ? Space::kGlobal : found->second;
}

MemoryKind kind_of(std::string_view m) {
  if (m == "LDSM") return MemoryKind::kLoadMatrix;
  if (m == "LDGSTS") return MemoryKind::kAsyncCopy;
  if (m == "RED" || m == "REDG" || m == "REDS") return MemoryKind::kReduction;
  if (m == "ATOM" || m == "ATOMG" || m == "ATOMS" || m == "SYNCS") return MemoryKind::kAtomic;
  if (m.substr(0, 2) == "ST") return MemoryKind::kStore;
  return MemoryKind::kLoad;
}

/// PTX cache operators as SASS spells them: .EF evict first (cs), .LU last use, .STRONG.GPU cg, .STRONG.SYS cv.
CacheOp cache_of(const TextInstruction& text) {
  if (text.has("EF")) return CacheOp::kCs;
  if (text.has("LU")) return CacheOp::kLu;
  if (text.has("SYS") || text.has("MMIO")) return CacheOp::kCv;
  if (text.has("STRONG") && !text.has("SM") && !text.has("CTA")) return CacheOp::kCg;
  if (text.has("BYPASS")) return CacheOp::kCg;
  return CacheOp::kCa;
}

unsigned matrices(const TextInstruction& text) { return text.has("4") ? 4 : text.has("2") ? 2 : 1; }

/// Registers that travel to the load/store unit: addresses, and the data of stores and atomics.
unsigned operand_registers(const TextInstruction& text, const MemoryOp& op) {
  unsigned count = 0;
  const bool has_result = op.kind == MemoryKind::kLoad || op.kind == MemoryKind::kLoadMatrix || text.mnemonic[0] == 'A';
  bool result = has_result;
  for (const TextOperand& operand : text.operands) {
    const bool zero = operand.index == kRegisterZero || operand.index == kNoIndex;
    if (operand.kind == OperandKind::kAddress && !zero) {
      count += operand.wide || (text.has("E") && text.mnemonic != "LDGSTS" && !operand.unsigned32) ? 2 : 1;
    } else if (operand.kind == OperandKind::kRegister) {
      if (!result) count += std::max(1, op.bytes / 4);
      result = false;
    }
  }
  return std::max(count, 1u);
}

MemoryOp memory_of(const TextInstruction& text) {
  MemoryOp op;
  op.kind = kind_of(text.mnemonic);
  op.space = space_of(text.mnemonic);
  op.bytes = static_cast<std::uint8_t>(access_bytes(text));
  op.cache = cache_of(text);
  const bool atomic = op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction;
  const bool off_chip = op.space == Space::kGlobal || op.space == Space::kGeneric;
  op.bypass_l1 = off_chip && (atomic || op.cache == CacheOp::kCg || op.cache == CacheOp::kCv || text.has("BYPASS"));
  if (text.mnemonic == "LDSM" || text.mnemonic == "STSM") {
    op.bytes = static_cast<std::uint8_t>(4 * matrices(text));
  }
  op.registers = static_cast<std::uint8_t>(std::max(1, op.bytes / 4));
  if (op.kind == MemoryKind::kAsyncCopy) op.registers = 0;
  op.operand_registers = static_cast<std::uint8_t>(operand_registers(text, op));
  return op;
}

std::uint32_t tensor_macs(const TextInstruction& text) {
  if (text.modifiers.empty()) return 0;
  const std::string& shape = text.modifiers[0];
  static const std::unordered_map<std::string_view, std::uint32_t> table = {
      {"1684", 16 * 8 * 4},     {"1688", 16 * 8 * 8},     {"16816", 16 * 8 * 16}, {"16832", 16 * 8 * 32},
      {"16864", 16 * 8 * 64},   {"8816", 8 * 8 * 16},     {"8832", 8 * 8 * 32},   {"884", 8 * 8 * 4},
      {"8x8x4", 8 * 8 * 4},     {"16x8x4", 16 * 8 * 4},   {"16x8x8", 16 * 8 * 8}, {"16x8x16", 16 * 8 * 16},
      {"168128", 16 * 8 * 128}, {"168256", 16 * 8 * 256}, {"88128", 8 * 8 * 128}};
  const auto found = table.find(shape);
  return found == table.end() ? 0 : found->second;
}

/// Whether the first register operand is written.
bool writes_register(const TextInstruction& text) {
  static const std::unordered_map<std::string_view, bool> readers = {
      {"ST", true},     {"STG", true},    {"STS", true},  {"STL", true},       {"STSM", true},  {"RED", true},
      {"REDG", true},   {"REDS", true},   {"BAR", true},  {"NANOSLEEP", true}, {"BRX", true},   {"RET", true},
      {"CALL", true},   {"R2P", true},    {"CCTL", true}, {"WARPSYNC", true},  {"ISETP", true}, {"FSETP", true},
      {"DSETP", true},  {"HSETP2", true}, {"FCHK", true}, {"LDGSTS", true},    {"R2UR", true},  {"JMX", true},
      {"DEPBAR", true}, {"BRXU", true}};
  return readers.find(text.mnemonic) == readers.end();
}

void sources_of(const TextInstruction& text, Instruction& out) {
  const auto add = [&](std::uint16_t index) {
    if (index == kRegisterZero || index == kNoIndex || out.source_count == 4) return;
    out.source_registers[out.source_count++] = static_cast<std::uint8_t>(index);
  };
  bool destination = writes_register(text);
  for (const TextOperand& operand : text.operands) {
    if (operand.kind == OperandKind::kRegister) {
      if (!destination) add(operand.index);
      destination = false;
    } else if (operand.kind == OperandKind::kAddress || operand.kind == OperandKind::kConstant) {
      add(operand.index);
      destination = false;
    } else if (operand.kind != OperandKind::kPredicate && operand.kind != OperandKind::kConvergence) {
      destination = false;
    }
  }
}

bool reads_clock(const TextInstruction& text) {
  return std::any_of(text.operands.begin(), text.operands.end(), [](const TextOperand& o) {
    return o.kind == OperandKind::kSpecial &&
           (o.name.find("CLOCK") != std::string::npos || o.name.find("GLOBALTIMER") != std::string::npos);
  });
}

void depbar_of(const TextInstruction& text, Instruction& out) {
  for (const TextOperand& operand : text.operands) {
    if (operand.kind == OperandKind::kScoreboard) out.depbar_counter = static_cast<std::uint8_t>(operand.index);
    if (operand.kind == OperandKind::kInteger) out.depbar_limit = static_cast<std::uint8_t>(operand.value & 63);
    // Further counters that must reach zero: the same as a wait mask.
    if (operand.kind == OperandKind::kSet) {
      out.control.wait_mask = static_cast<std::uint8_t>(out.control.wait_mask | (operand.value & 63));
    }
  }
}

}  // namespace

ControlCode control_code(std::uint64_t high) {
  const std::uint64_t bits = high >> 41;
  ControlCode code;
  code.stall = static_cast<std::uint8_t>(bits & 15);
  code.yield = (bits >> 4 & 1) == 0;
  code.write_counter = static_cast<std::uint8_t>(bits >> 5 & 7);
  code.read_counter = static_cast<std::uint8_t>(bits >> 8 & 7);
  code.wait_mask = static_cast<std::uint8_t>(bits >> 11 & 63);
  code.reuse = static_cast<std::uint8_t>(bits >> 17 & 15);
  return code;
}

bool has_target(const TextInstruction& text) {
  static const std::unordered_map<std::string_view, bool> table = {{"BRA", true}, {"BSSY", true}, {"JMP", true}};
  if (table.find(text.mnemonic) != table.end()) return true;
  if (text.mnemonic == "WARPSYNC") return text.has("COLLECTIVE");
  return text.mnemonic == "CALL" && text.has("REL");
}

bool branch_target(const TextInstruction& text, std::uint64_t& target) {
  if (text.operands.empty() || text.operands.back().kind != OperandKind::kInteger) return false;
  target = static_cast<std::uint64_t>(text.operands.back().value);
  return true;
}

void classify(const TextInstruction& text, Instruction& out) {
  out.opcode = text.mnemonic;
  for (const std::string& m : text.modifiers) out.opcode += "." + m;
  out.control = control_code(text.high);
  out.op = class_of(text);
  out.is_exit = text.mnemonic == "EXIT";
  out.sets_clock = reads_clock(text);
  if (out.op == OpClass::kMemory) out.memory = memory_of(text);
  if (out.op == OpClass::kTensor) out.tensor_macs = tensor_macs(text);
  if (text.mnemonic == "DEPBAR") depbar_of(text, out);
  sources_of(text, out);
}

}  // namespace smpipe::sass
