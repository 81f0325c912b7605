// Static view of one machine instruction: what the timing core needs to know and nothing about its meaning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/types.h"

namespace smpipe {

/// Timing class of an instruction. The configuration maps each class to a pipe, an issue interval and, where the
/// latency is not covered by the compiler's stall counts, a latency.
enum class OpClass : std::uint8_t {
  kNop,     ///< NOP, PMTRIG and other instructions that occupy only an issue slot
  kDepbar,  ///< DEPBAR.LE SBn, k (and ERRBAR-free waits): waits on a dependence counter at issue
  kIntAlu,  ///< IADD3 LOP3 SHF LEA ISETP SEL PRMT MOV IMNMX IABS VIADD I2FP.. (ALU pipe), also FSETP FSEL FMNMX FCHK
  kIntMul,  ///< IMAD and its MOV / SHL / IADD / X forms, IMUL, IDP
  kIntMulWide,   ///< IMAD.WIDE, IMAD.HI (two result registers or a double-length product)
  kFp32,         ///< FFMA FADD FMUL
  kFp16,         ///< HFMA2 HADD2 HMUL2 HSETP2 HMNMX2 (and .BF16 forms), HFMA2.MMA
  kFp64,         ///< DFMA DADD DMUL DSETP
  kXu,           ///< MUFU, POPC, FLO, BREV, I2F F2I F2F FRND
  kTensor,       ///< HMMA IMMA DMMA; `tensor_macs` gives the multiply-accumulates of one warp instruction
  kUniform,      ///< uniform datapath: UMOV UIADD3 ULOP3 ULDC ULEA USHF UISETP UIMAD R2UR...
  kBranch,       ///< BRA JMP BRX CALL RET BSSY BSYNC BREAK WARPSYNC YIELD EXIT KILL NANOSLEEP
  kVote,         ///< VOTE, VOTEU, MATCH, REDUX
  kSpecialRead,  ///< S2R, S2UR, CS2R, B2R
  kBarrier,      ///< BAR.*
  kMembar,       ///< MEMBAR, FENCE, ERRBAR, CCTL
  kShuffle,      ///< SHFL
  kConstLoad,    ///< LDC with an index register or with a dependence counter
  kMemory,       ///< everything described by `MemoryOp`
  kGroupCommit,  ///< LDGDEPBAR: closes a cp.async group on its write dependence counter; ARRIVES.LDGSTSBAR likewise
};
inline constexpr unsigned kOpClasses = static_cast<unsigned>(OpClass::kGroupCommit) + 1;

enum class MemoryKind : std::uint8_t {
  kNone,
  kLoad,        ///< LD LDG LDS LDL
  kLoadMatrix,  ///< LDSM
  kStore,       ///< ST STG STS STL STSM
  kAtomic,      ///< ATOM ATOMG ATOMS: returns a value
  kReduction,   ///< RED REDG: returns nothing
  kAsyncCopy,   ///< LDGSTS
};

enum class Space : std::uint8_t { kGeneric, kGlobal, kShared, kLocal };

/// PTX cache operators. `kCg` and everything stronger does not allocate in L1.
enum class CacheOp : std::uint8_t { kCa, kCg, kCs, kLu, kCv };

struct MemoryOp {
  MemoryKind kind = MemoryKind::kNone;
  Space space = Space::kGlobal;
  CacheOp cache = CacheOp::kCa;
  bool bypass_l1 = false;      ///< LDGSTS.BYPASS, .STRONG.GPU/.SYS and volatile accesses, atomics
  std::uint8_t bytes = 0;      ///< bytes per lane; for LDSM 4 × number of 8×8 matrices
  std::uint8_t registers = 0;  ///< data registers per lane that are written (loads) or handed off (stores)
  std::uint8_t operand_registers =
      1;  ///< 32-bit registers per lane that the instruction takes to the LSU: address and data
};

/// Scheduling information that the compiler put into the instruction word.
/// Source of the layout: bits 105..125 of the 128-bit word (Volta and later): reuse 4, wait mask 6, read counter 3,
/// write counter 3, yield 1, stall 4, most significant first.
struct ControlCode {
  static constexpr std::uint8_t kNoCounter = 7;
  std::uint8_t stall = 1;                   ///< cycles before the warp's next instruction may issue
  bool yield = false;                       ///< hint: prefer another warp next
  std::uint8_t write_counter = kNoCounter;  ///< dependence counter decremented at write-back
  std::uint8_t read_counter = kNoCounter;   ///< dependence counter decremented when the operands were read
  std::uint8_t wait_mask = 0;               ///< counters that must be zero before issue
  std::uint8_t reuse = 0;                   ///< operand reuse cache flags
};

struct Instruction {
  std::uint32_t index = 0;    ///< position in Program::code
  std::uint32_t address = 0;  ///< byte offset in the kernel
  std::uint32_t line = 0;     ///< 1-based line in the listing
  OpClass op = OpClass::kNop;
  ControlCode control;
  MemoryOp memory;
  std::uint8_t depbar_counter = 0;  ///< kDepbar only
  std::uint8_t depbar_limit = 0;    ///< kDepbar only: issue when counter <= limit
  bool is_exit = false;             ///< EXIT: used for attribution of drain
  bool sets_clock = false;          ///< reads SR_CLOCK*, globaltimer
  bool reads_constants = false;     ///< has a constant-bank operand
  std::uint32_t tensor_macs = 0;    ///< kTensor only: multiply-accumulates per warp instruction (HMMA.16816: 2048)
  std::uint8_t source_registers[4] = {255, 255, 255, 255};  ///< operands read from the register file, 255 = none
  std::uint8_t source_count = 0;
  std::string opcode;  ///< full mnemonic with modifiers, e.g. LDGSTS.E.BYPASS.128
  std::string text;    ///< the instruction as listed
};

/// Whether the profiler calls a wait for this instruction long_scoreboard (L1TEX) or short_scoreboard.
inline bool is_long_class(const Instruction& in) {
  if (in.op == OpClass::kGroupCommit) return true;
  return in.op == OpClass::kMemory && in.memory.space != Space::kShared;
}

/// The machine code of one kernel.
struct Program {
  std::string kernel;        ///< symbol
  std::string architecture;  ///< "sm_80"
  std::string file;          ///< where it was read from
  std::vector<Instruction> code;
};

}  // namespace smpipe
