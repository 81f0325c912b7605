#include "cubin.h"

#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>

#include "core/error.h"

namespace smpipe::gpu {
namespace {

std::vector<char> read_file(const std::string& path, const std::string& remedy) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, 0, "cannot be read", remedy);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A value of type T at `at`; nothing when the file ends before.
template <class T>
std::optional<T> value_at(std::span<const char> file, std::uint64_t at) {
  if (at > file.size() || file.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + at, sizeof(T));
  return value;
}

std::span<const char> section_bytes(std::span<const char> file, const Elf64_Shdr& header) {
  if (header.sh_offset > file.size() || header.sh_size > file.size() - header.sh_offset) return {};
  return file.subspan(header.sh_offset, header.sh_size);
}

/// Contents of the ELF section `name`; empty when there is none or the file is damaged.
std::span<const char> find_section(std::span<const char> file, const std::string& name) {
  const auto elf = value_at<Elf64_Ehdr>(file, 0);
  if (!elf || std::memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_ident[EI_CLASS] != ELFCLASS64) return {};
  const auto header = [&](unsigned i) { return value_at<Elf64_Shdr>(file, elf->e_shoff + i * sizeof(Elf64_Shdr)); };
  const auto names_header = header(elf->e_shstrndx);
  if (!names_header) return {};
  const auto names = section_bytes(file, *names_header);
  for (unsigned i = 0; i < elf->e_shnum; ++i) {
    const auto h = header(i);
    if (!h || h->sh_name >= names.size()) continue;
    const char* text = names.data() + h->sh_name;
    const std::size_t most = names.size() - h->sh_name;
    if (strnlen(text, most) < most && name == text) return section_bytes(file, *h);
  }
  return {};
}

struct Word {
  std::uint64_t bits;
  unsigned line;
};

/// The last `/* 0x0123456789abcdef */` of a line.
std::optional<std::uint64_t> encoding_of(const std::string& line) {
  const auto at = line.rfind("/* 0x");
  if (at == std::string::npos || line.size() < at + 21) return std::nullopt;
  std::uint64_t bits = 0;
  for (const char c : line.substr(at + 5, 16)) {
    const auto digit = std::string_view("0123456789abcdef").find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 4 | digit;
  }
  return bits;
}

/// Encodings of one kernel in a `cuobjdump -sass` listing, two words for each instruction.
std::vector<Word> listing_words(const std::string& path, const std::string& kernel) {
  std::ifstream in(path);
  if (!in) throw InputError(path, 0, "cannot be read", "name a cuobjdump -sass listing");
  std::vector<Word> words;
  bool inside = false;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (const auto at = line.find("Function : "); at != std::string::npos) {
      const std::string name = line.substr(at + 11);
      inside = name.substr(0, name.find_last_not_of(" \r\t") + 1) == kernel;
    } else if (inside) {
      if (const auto bits = encoding_of(line)) words.push_back({*bits, number});
    }
  }
  if (words.empty())
    throw InputError(path, 0, "holds no kernel " + kernel, "name a listing of the code that is launched");
  return words;
}

void require_same_code(const Launch& launch, const std::string& cubin, std::span<const char> file) {
  const auto remedy = "build listing and cubin together with kernels/build_listings";
  const auto text = find_section(file, ".text." + launch.kernel);
  if (text.empty()) throw InputError(cubin, 0, "holds no code of kernel " + launch.kernel, remedy);
  const auto words = listing_words(launch.code, launch.kernel);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto bits = value_at<std::uint64_t>(text, i * 8);
    if (!bits || *bits != words[i].bits)
      throw InputError(launch.code, words[i].line, "is not the code of " + cubin, remedy);
  }
  if (words.size() * 8 != text.size())
    throw InputError(launch.code, words.back().line, "ends before the code of " + cubin, remedy);
}

}  // namespace

std::string cubin_path(const Launch& launch) {
  if (!launch.code_is_listing) return launch.code;
  return std::filesystem::path(launch.code).replace_extension(".cubin").string();
}

std::vector<char> load_cubin(const Launch& launch) {
  const std::string path = cubin_path(launch);
  auto file = read_file(path, "the GPU needs the cubin beside the listing; kernels/build_listings writes both");
  if (find_section(file, ".text." + launch.kernel).empty())
    throw InputError(path, 0, "is not a cubin that holds kernel " + launch.kernel, "name a cubin (nvcc -cubin)");
  if (launch.code_is_listing) require_same_code(launch, path, file);
  file.push_back(0);
  return file;
}

}  // namespace smpipe::gpu
