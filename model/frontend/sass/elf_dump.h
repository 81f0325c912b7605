// The sections that `cuobjdump -elf` prints: constant banks, global variables and resource usage, which a plain
// disassembly lacks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smpipe {

/// What the code itself says about its needs.
struct CodeResources {
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
};

/// A section of global variables with its initial contents.
struct GlobalSection {
  std::string name;
  std::vector<std::uint8_t> data;
};

/// A 64-bit slot of constant bank 4 that holds the address of a global variable.
struct AddressSlot {
  std::uint32_t offset = 0;   ///< in bank 4
  std::uint32_t section = 0;  ///< index into the global sections
  std::uint64_t value = 0;    ///< offset in that section
};

/// One dumped ELF image.
class ElfDump {
 public:
  /// Takes the trimmed lines of one dump, from its `64-bit ELF:` line on.
  explicit ElfDump(const std::vector<std::string_view>& lines);

  const std::string& architecture() const { return architecture_; }
  bool has_kernel(const std::string& name) const;
  std::map<unsigned, std::vector<std::uint8_t>> constant_banks(const std::string& kernel) const;
  const std::vector<GlobalSection>& globals() const { return globals_; }
  std::vector<AddressSlot> address_slots() const;
  std::optional<CodeResources> resources(const std::string& kernel) const;

 private:
  struct Section {
    unsigned index = 0;
    std::uint64_t size = 0;
    bool no_bits = false;
    std::vector<std::uint8_t> data;
  };
  struct Symbol {
    std::uint64_t value = 0;
    unsigned section = 0;
  };
  struct Relocation {
    std::uint32_t offset = 0;
    std::string symbol;
    std::uint64_t addend = 0;
  };

  void read_line(std::string_view line);
  void read_words(std::string_view line);
  void read_section_header(const std::vector<std::string_view>& fields);
  void read_info(std::string_view line);
  void collect_globals();
  std::vector<std::uint8_t> data_of(const std::string& section) const;

  std::string architecture_;
  std::map<std::string, Section> sections_;
  std::map<std::string, Symbol> symbols_;
  std::vector<Relocation> relocations_;
  std::map<std::string, std::uint32_t> register_count_, stack_size_;
  std::vector<GlobalSection> globals_;
  std::map<unsigned, std::uint32_t> global_of_section_;
  // Reading position.
  enum class Part { kHeaders, kSymbols, kRelocations, kWords, kOther } part_ = Part::kOther;
  Section* current_ = nullptr;
  bool relocates_bank4_ = false;
};

}  // namespace smpipe
