#include "core/text.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace smpipe {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, previous(b.size() + 1), row(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), previous[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(previous, row);
  }
  return previous[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  // Long inputs cannot be typos of short keys, and the distance is quadratic.
  constexpr std::size_t kLongest = 200;
  if (word.size() > kLongest) return {};
  // An abbreviation says more than its distance does: "a100" means "a100-sxm4-40gb", not "h200".
  if (!word.empty()) {
    for (const std::string& candidate : candidates) {
      if (candidate.starts_with(word)) return candidate;
    }
  }
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  return candidates.empty() ? std::string{} : "use " + alternatives(candidates);
}

std::string grouped(unsigned long long value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

}  // namespace smpipe
