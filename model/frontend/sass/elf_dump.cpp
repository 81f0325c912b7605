#include "frontend/sass/elf_dump.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace smpipe {
namespace {

/// No section of a GPU image is larger; a damaged dump must not make us allocate more.
constexpr std::uint64_t kLargestSection = std::uint64_t{1} << 30;
constexpr std::uint32_t kHopperReservedShared = 1024;

bool starts_with(std::string_view s, std::string_view prefix) { return s.substr(0, prefix.size()) == prefix; }

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && std::isspace(static_cast<unsigned char>(line[at]))) ++at;
    const std::size_t start = at;
    while (at < line.size() && !std::isspace(static_cast<unsigned char>(line[at]))) ++at;
    if (at > start) fields.push_back(line.substr(start, at - start));
  }
  return fields;
}

/// Hexadecimal number with or without 0x.
bool number(std::string_view s, std::uint64_t& value) {
  if (starts_with(s, "0x")) s.remove_prefix(2);
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, 16);
  return error == std::errc{} && end == s.data() + s.size() && !s.empty();
}

/// `name` in "function: name(0x86)", and the number after `label`.
bool function_value(std::string_view line, std::string_view label, int base, std::string& name, std::uint32_t& value) {
  const std::size_t at = line.find("function: ");
  const std::size_t labelled = line.find(label);
  if (at == std::string_view::npos || labelled == std::string_view::npos) return false;
  const std::size_t open = line.rfind('(', labelled);
  if (open == std::string_view::npos || open < at + 10) return false;
  name = std::string(line.substr(at + 10, open - at - 10));
  std::string_view digits = line.substr(labelled + label.size());
  while (!digits.empty() && (digits.front() == ' ' || digits.front() == ':')) digits.remove_prefix(1);
  if (starts_with(digits, "0x")) {
    digits.remove_prefix(2);
    base = 16;
  }
  return std::from_chars(digits.data(), digits.data() + digits.size(), value, base).ec == std::errc{};
}

}  // namespace

ElfDump::ElfDump(const std::vector<std::string_view>& lines) {
  for (std::string_view line : lines) read_line(line);
  collect_globals();
}

void ElfDump::read_line(std::string_view line) {
  if (const std::size_t at = line.find(" sm="); starts_with(line, "64-bit ELF:") && at != std::string_view::npos) {
    std::string_view rest = line.substr(at + 4);
    architecture_ = "sm_" + std::string(rest.substr(0, rest.find(',')));
    return;
  }
  if (line == "Sections:") {
    part_ = Part::kHeaders;
    return;
  }
  if (starts_with(line, ".section .symtab")) {
    part_ = Part::kSymbols;
    return;
  }
  if (starts_with(line, ".section ")) {
    part_ = Part::kRelocations;
    relocates_bank4_ = line.find(".nv.constant4") != std::string_view::npos;
    return;
  }
  if (line.size() > 1 && line.front() == '.' && line.find_first_of(" \t") == std::string_view::npos) {
    const auto found = sections_.find(std::string(line));
    current_ = found == sections_.end() ? nullptr : &found->second;
    part_ = current_ ? Part::kWords : Part::kOther;
    return;
  }
  read_info(line);
  switch (part_) {
    case Part::kWords:
      read_words(line);
      return;
    case Part::kHeaders:
      read_section_header(fields_of(line));
      return;
    case Part::kSymbols: {
      const std::vector<std::string_view> f = fields_of(line);
      std::uint64_t value = 0, section = 0;
      if (f.size() == 7 && number(f[1], value) && number(f[5], section)) {
        symbols_[std::string(f[6])] = {value, static_cast<unsigned>(section)};
      }
      return;
    }
    case Part::kRelocations: {
      const std::vector<std::string_view> f = fields_of(line);
      std::uint64_t offset = 0, addend = 0;
      if (relocates_bank4_ && f.size() >= 3 && number(f[0], offset)) {
        if (f.size() > 3) number(f[3], addend);
        relocations_.push_back({static_cast<std::uint32_t>(offset), std::string(f[1]), addend});
      }
      return;
    }
    case Part::kOther:
      return;
  }
}

void ElfDump::read_section_header(const std::vector<std::string_view>& f) {
  std::uint64_t index = 0, size = 0;
  if (f.size() < 10 || !number(f[0], index) || !number(f[2], size) || size > kLargestSection) return;
  Section section;
  section.index = static_cast<unsigned>(index);
  section.size = size;
  section.no_bits = f[5] == "NOBITS";
  sections_[std::string(f.back())] = std::move(section);
}

void ElfDump::read_words(std::string_view line) {
  for (std::string_view field : fields_of(line)) {
    std::uint64_t word = 0;
    if (!starts_with(field, "0x") || !number(field, word)) return;
    for (unsigned k = 0; k < 4; ++k) {
      if (current_->data.size() < current_->size) current_->data.push_back(static_cast<std::uint8_t>(word >> (8 * k)));
    }
  }
}

void ElfDump::read_info(std::string_view line) {
  std::string name;
  std::uint32_t value = 0;
  if (function_value(line, "register count", 10, name, value)) register_count_[name] = value;
  if (function_value(line, "min stack size", 16, name, value)) stack_size_[name] = value;
}

void ElfDump::collect_globals() {
  for (const auto& [name, section] : sections_) {
    if (name != ".nv.global" && name != ".nv.global.init") continue;
    global_of_section_[section.index] = static_cast<std::uint32_t>(globals_.size());
    globals_.push_back({name, data_of(name)});
  }
}

std::vector<std::uint8_t> ElfDump::data_of(const std::string& name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) return {};
  std::vector<std::uint8_t> data = found->second.data;
  data.resize(found->second.size);
  return data;
}

bool ElfDump::has_kernel(const std::string& name) const { return sections_.count(".text." + name) != 0; }

std::map<unsigned, std::vector<std::uint8_t>> ElfDump::constant_banks(const std::string& kernel) const {
  std::map<unsigned, std::vector<std::uint8_t>> banks;
  for (unsigned bank = 1; bank < 18; ++bank) {
    const std::string section = ".nv.constant" + std::to_string(bank);
    std::vector<std::uint8_t> data = data_of(section + "." + kernel);
    if (data.empty()) data = data_of(section);
    if (!data.empty()) banks[bank] = std::move(data);
  }
  return banks;
}

std::vector<AddressSlot> ElfDump::address_slots() const {
  std::vector<AddressSlot> slots;
  for (const Relocation& relocation : relocations_) {
    const auto symbol = symbols_.find(relocation.symbol);
    if (symbol == symbols_.end()) continue;
    const auto global = global_of_section_.find(symbol->second.section);
    if (global == global_of_section_.end()) continue;
    slots.push_back({relocation.offset, global->second, symbol->second.value + relocation.addend});
  }
  return slots;
}

std::optional<CodeResources> ElfDump::resources(const std::string& kernel) const {
  const auto registers = register_count_.find(kernel);
  if (registers == register_count_.end()) return std::nullopt;
  CodeResources r;
  r.registers_per_thread = registers->second;
  const auto stack = stack_size_.find(kernel);
  if (stack != stack_size_.end()) r.local_bytes_per_thread = stack->second;
  const auto shared = sections_.find(".nv.shared." + kernel);
  if (shared != sections_.end()) {
    r.static_shared_bytes = static_cast<std::uint32_t>(shared->second.size);
    // On sm_90 the section begins with the kilobyte that the system keeps.
    if (architecture_.rfind("sm_9", 0) == 0 && r.static_shared_bytes >= kHopperReservedShared) {
      r.static_shared_bytes -= kHopperReservedShared;
    }
  }
  return r;
}

}  // namespace smpipe
