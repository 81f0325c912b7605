// Small text helpers for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace smpipe {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or an empty string when none is near enough to be a likely typo.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b or c"; an empty list gives an empty text.
std::string alternatives(const std::vector<std::string>& words);

/// Remedy for an unknown word: "did you mean 'x'?" when one is near, else "use a, b or c".
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

/// 1234567 → "1,234,567".
std::string grouped(unsigned long long value);

}  // namespace smpipe
