#include "frontend/sass/sass_reader.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "frontend/sass/classify.h"

namespace smpipe {
namespace {

constexpr std::uint32_t kInstructionBytes = 16;

std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

bool starts_with(std::string_view s, std::string_view prefix) { return s.substr(0, prefix.size()) == prefix; }

bool parse_hex(std::string_view s, std::uint64_t& value) {
  if (s.empty() || s.size() > 16) return false;
  value = 0;
  for (char c : s) {
    if (!std::isxdigit(static_cast<unsigned char>(c))) return false;
    const int d = std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : std::tolower(c) - 'a' + 10;
    value = value << 4 | static_cast<unsigned>(d);
  }
  return true;
}

/// Content of the comment `/*...*/` that starts at `s[0]`.
bool take_comment(std::string_view s, std::string_view& inside, std::string_view& rest) {
  if (!starts_with(s, "/*")) return false;
  const std::size_t end = s.find("*/", 2);
  if (end == std::string_view::npos) return false;
  inside = trim(s.substr(2, end - 2));
  rest = s.substr(end + 2);
  return true;
}

bool parse_encoding(std::string_view comment, std::uint64_t& word) {
  return starts_with(comment, "0x") && parse_hex(comment.substr(2), word);
}

struct Line {
  unsigned number;
  std::string_view text;
};

/// Where one kernel's code lies in the listing.
struct Section {
  std::string kernel;
  std::string architecture;
  unsigned line = 0;
  std::size_t first = 0, last = 0;  // lines [first, last)
};

std::vector<Line> split_lines(std::string_view text) {
  std::vector<Line> lines;
  unsigned number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back({++number, trim(text.substr(0, end))});
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Images dumped by `cuobjdump -elf`: from their `64-bit ELF:` line to the next image or code.
std::vector<ElfDump> find_dumps(const std::vector<Line>& lines) {
  std::vector<ElfDump> dumps;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!starts_with(lines[i].text, "64-bit ELF:")) continue;
    std::vector<std::string_view> dump{lines[i].text};
    for (++i; i < lines.size(); ++i) {
      const std::string_view text = lines[i].text;
      if (starts_with(text, "64-bit ELF:") || starts_with(text, "code for ") || starts_with(text, "Fatbin ")) break;
      dump.push_back(text);
    }
    --i;
    dumps.emplace_back(dump);
  }
  return dumps;
}

/// `code for sm_80` / `arch = sm_80` headers and `Function : name` lines.
std::vector<Section> find_sections(const std::vector<Line>& lines) {
  std::vector<Section> sections;
  std::string architecture;
  bool open = false;
  const auto close = [&](std::size_t at) {
    if (open) sections.back().last = at;
    open = false;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string_view text = lines[i].text;
    if (starts_with(text, "code for ")) {
      close(i);
      architecture = std::string(trim(text.substr(9)));
    } else if (starts_with(text, "arch = ")) {
      close(i);
      architecture = std::string(trim(text.substr(7)));
    } else if (starts_with(text, "Fatbin ")) {
      close(i);
    } else if (starts_with(text, "Function :")) {
      close(i);
      sections.push_back({std::string(trim(text.substr(10))), architecture, lines[i].number, i + 1, lines.size()});
      open = true;
    }
  }
  return sections;
}

std::string join(const std::set<std::string>& names, const char* otherwise) {
  if (names.empty()) return otherwise;
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Chip suffixes such as sm_90a run the same code as sm_90.
bool same_architecture(std::string_view listed, std::string_view wanted) {
  return listed == wanted || (starts_with(listed, wanted) && listed.size() == wanted.size() + 1 &&
                              std::isalpha(static_cast<unsigned char>(listed.back())));
}

const Section& pick(const std::vector<Section>& sections, const std::string& file, const std::string& name,
                    const std::string& architecture) {
  if (sections.empty()) {
    throw InputError(file, 0, "this is no SASS listing: it has no 'Function : name' line",
                     "make it with cuobjdump -sass");
  }
  std::set<std::string> architectures, kernels;
  const Section* found = nullptr;
  unsigned matches = 0;
  for (const Section& section : sections) {
    architectures.insert(section.architecture);
    if (!same_architecture(section.architecture, architecture)) continue;
    kernels.insert(section.kernel);
    if (section.kernel != name && !name.empty()) continue;
    if (!found) found = &section;
    ++matches;
  }
  if (kernels.empty()) {
    throw InputError(file, 0, fmt::format("no code for {}", architecture),
                     "the listing has code for " + join(architectures, "no named architecture"));
  }
  if (!found) {
    throw InputError(file, 0, fmt::format("no kernel '{}' for {}", name, architecture),
                     "the listing has " + join(kernels, "none"));
  }
  if (name.empty() && matches > 1) {
    throw InputError(file, 0, "the listing has several kernels", "name one of " + join(kernels, "none"));
  }
  return *found;
}

class KernelReader {
 public:
  KernelReader(const std::vector<Line>& lines, const std::string& file, const Section& section)
      : lines_(lines), file_(file), section_(section) {
    kernel_.program.kernel = section.kernel;
    kernel_.program.architecture = section.architecture;
    kernel_.program.file = file;
  }

  SassKernel read() {
    for (std::size_t i = section_.first; i < section_.last; ++i) {
      std::string_view comment, rest;
      if (!take_comment(lines_[i].text, comment, rest)) {
        check_other(lines_[i]);
        continue;
      }
      std::uint64_t ignored = 0;
      if (parse_encoding(comment, ignored)) {
        throw InputError(file_, lines_[i].number, "an encoding word without its instruction",
                         "the listing is damaged; make it again with cuobjdump -sass");
      }
      i = read_instruction(i, comment, rest);
    }
    check_complete();
    return std::move(kernel_);
  }

 private:
  [[noreturn]] void fail(unsigned line, const std::string& what) const {
    throw InputError(file_, line, fmt::format("kernel '{}': {}", section_.kernel, what),
                     "the listing is damaged or cut; make it again with cuobjdump -sass");
  }

  /// Anything but an instruction: headers and the dotted line that ends a function.
  void check_other(const Line& line) const {
    if (line.text.empty() || line.text.front() == '.') return;
    if (kernel_.text.empty() || line.text.find(';') == std::string_view::npos) return;
    fail(line.number, "a line that is no instruction");
  }

  std::size_t read_instruction(std::size_t at, std::string_view comment, std::string_view rest) {
    const Line& line = lines_[at];
    std::uint64_t address = 0;
    if (!parse_hex(comment, address)) fail(line.number, fmt::format("'{}' is no instruction address", comment));
    const std::uint64_t expected = std::uint64_t{kernel_.text.size()} * kInstructionBytes;
    if (address != expected) {
      fail(line.number, fmt::format("instruction at {:#x} where {:#x} was expected", address, expected));
    }
    const std::size_t end = rest.find(';');
    if (end == std::string_view::npos) fail(line.number, "an instruction without its ';'");
    const std::string_view text = trim(rest.substr(0, end));
    sass::TextInstruction parsed;
    const std::string problem = sass::parse_instruction(text, parsed);
    if (!problem.empty()) fail(line.number, fmt::format("'{}': {}", text, problem));
    std::string_view word, remainder;
    if (!take_comment(trim(rest.substr(end + 1)), word, remainder) || !parse_encoding(word, parsed.low)) {
      fail(line.number, fmt::format("'{}' has no encoding word", text));
    }
    if (at + 1 >= section_.last || !take_comment(lines_[at + 1].text, word, remainder) ||
        !parse_encoding(word, parsed.high)) {
      fail(line.number, fmt::format("'{}' has no second encoding word", text));
    }
    append(line.number, text, std::move(parsed));
    return at + 1;
  }

  void append(unsigned line, std::string_view text, sass::TextInstruction parsed) {
    Instruction instruction;
    instruction.index = static_cast<std::uint32_t>(kernel_.text.size());
    instruction.address = instruction.index * kInstructionBytes;
    instruction.line = line;
    instruction.text = std::string(text);
    instruction.reads_constants = instruction.text.find("c[0x") != std::string::npos;
    sass::classify(parsed, instruction);
    kernel_.program.code.push_back(std::move(instruction));
    kernel_.text.push_back(std::move(parsed));
  }

  void check_complete() const {
    if (kernel_.text.empty()) fail(section_.line, "it has no instructions");
    bool exits = false;
    for (std::size_t i = 0; i < kernel_.text.size(); ++i) {
      const sass::TextInstruction& text = kernel_.text[i];
      exits = exits || text.mnemonic == "EXIT";
      std::uint64_t target = 0;
      if (!sass::has_target(text)) continue;
      const unsigned line = kernel_.program.code[i].line;
      if (!sass::branch_target(text, target)) {
        fail(line, fmt::format("'{}' has no branch target", kernel_.program.code[i].text));
      }
      if (target % kInstructionBytes != 0 || target / kInstructionBytes >= kernel_.text.size()) {
        fail(line, fmt::format("branch target {:#x} is not in the listing", target));
      }
    }
    if (!exits) fail(section_.line, "it has no EXIT");
  }

  const std::vector<Line>& lines_;
  const std::string& file_;
  const Section& section_;
  SassKernel kernel_;
};

}  // namespace

SassKernel read_sass_text(std::string_view listing, const std::string& file, const std::string& name,
                          const std::string& architecture) {
  if (trim(listing).empty()) throw InputError(file, 0, "the listing is empty", "make it with cuobjdump -sass");
  const std::vector<Line> lines = split_lines(listing);
  const std::vector<Section> sections = find_sections(lines);
  const Section& section = pick(sections, file, name, architecture);
  SassKernel kernel = KernelReader(lines, file, section).read();
  for (const ElfDump& dump : find_dumps(lines)) {
    if (!same_architecture(dump.architecture(), architecture) || !dump.has_kernel(section.kernel)) continue;
    kernel.constant_banks = dump.constant_banks(section.kernel);
    kernel.globals = dump.globals();
    kernel.address_slots = dump.address_slots();
    kernel.resources = dump.resources(section.kernel);
    break;
  }
  return kernel;
}

SassKernel read_sass(const std::string& file, const std::string& name, const std::string& architecture) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(file, 0, "cannot open the listing", "check the path");
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (stream.bad()) throw InputError(file, 0, "cannot read the listing", "it must be a regular file");
  return read_sass_text(text, file, name, architecture);
}

}  // namespace smpipe
