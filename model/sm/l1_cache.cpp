#include "sm/l1_cache.h"

#include <algorithm>
#include <bit>

namespace smpipe {

void L1Cache::reset(std::uint64_t capacity_bytes) {
  const std::size_t count = static_cast<std::size_t>(capacity_bytes / kLineBytes);
  lines_.assign(count + 1, Line{});
  const unsigned log2_buckets = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(count, 1) * 2));
  buckets_.assign(std::size_t{1} << log2_buckets, kNil);
  shift_ = 64 - log2_buckets;
  used_ = 0;
}

L1Cache::Line* L1Cache::find(std::uint64_t address) {
  for (std::uint32_t i = buckets_[bucket(address)]; i != kNil; i = lines_[i].chain) {
    if (lines_[i].address == address) return &lines_[i];
  }
  return nullptr;
}

L1Cache::Line* L1Cache::touch(std::uint64_t address) {
  if (Line* line = find(address); line != nullptr) {
    const auto i = static_cast<std::uint32_t>(line - lines_.data());
    unlink(i);
    make_newest(i);
    return line;
  }
  const std::uint32_t i = used_ + 1 < lines_.size() ? ++used_ : victim();
  if (i == kNil) return nullptr;
  Line& line = lines_[i];
  line = Line{};
  line.address = address;
  const std::size_t b = bucket(address);
  line.chain = buckets_[b];
  buckets_[b] = i;
  make_newest(i);
  return &line;
}

void L1Cache::unlink(std::uint32_t i) {
  lines_[lines_[i].newer].older = lines_[i].older;
  lines_[lines_[i].older].newer = lines_[i].newer;
}

void L1Cache::make_newest(std::uint32_t i) {
  // Circular through the head: head.older is the newest line, head.newer the oldest.
  Line& head = lines_[kNil];
  lines_[i].newer = kNil;
  lines_[i].older = head.older;
  lines_[head.older].newer = i;
  head.older = i;
}

void L1Cache::forget(std::uint32_t i) {
  std::uint32_t* link = &buckets_[bucket(lines_[i].address)];
  while (*link != i) link = &lines_[*link].chain;
  *link = lines_[i].chain;
}

std::uint32_t L1Cache::victim() {
  for (std::uint32_t i = lines_[kNil].newer; i != kNil; i = lines_[i].newer) {
    if (lines_[i].pending != 0 || lines_[i].waiters != nullptr) continue;
    unlink(i);
    forget(i);
    return i;
  }
  return kNil;
}

}  // namespace smpipe
