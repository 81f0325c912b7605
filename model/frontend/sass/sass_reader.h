// Reads `cuobjdump -sass` listings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sass/elf_dump.h"
#include "frontend/sass/sass_text.h"
#include "program/instruction.h"

namespace smpipe {

/// One kernel of a listing: what the timing core sees and what the executor decodes, index by index.
struct SassKernel {
  Program program;
  std::vector<sass::TextInstruction> text;
  /// Constant banks other than 0: literals and jump tables (bank 2), __constant__ variables (bank 3), addresses of
  /// globals (bank 4). A plain disassembly holds none; `cuobjdump -sass -elf` prints them into the same listing.
  std::map<unsigned, std::vector<std::uint8_t>> constant_banks;
  std::vector<GlobalSection> globals;      ///< __device__ variables, known under the same condition
  std::vector<AddressSlot> address_slots;  ///< where bank 4 points at them
  std::optional<CodeResources> resources;  ///< likewise
};

/// Reads kernel `name` for `architecture` ("sm_80", "sm_90") from the listing in `file`. An empty `name` stands for the
/// only kernel. Throws InputError for anything that is not a complete listing of that kernel.
SassKernel read_sass(const std::string& file, const std::string& name, const std::string& architecture);

/// The same for a listing in memory; `file` only labels messages.
SassKernel read_sass_text(std::string_view listing, const std::string& file, const std::string& name,
                          const std::string& architecture);

}  // namespace smpipe
