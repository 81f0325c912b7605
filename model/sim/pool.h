// Recycled storage: nothing is allocated in the steady state of a simulation.
#pragma once

#include <cstddef>
#include <deque>

namespace smpipe {

/// Free list over objects with an intrusive `T* next`. Objects are never destroyed before the pool.
template <class T>
class Pool {
 public:
  T* take() {
    ++in_use_;
    if (free_ == nullptr) return &storage_.emplace_back();
    T* object = free_;
    free_ = object->next;
    return object;
  }
  void give(T* object) {
    --in_use_;
    object->next = free_;
    free_ = object;
  }
  /// Objects taken and not given back: zero at the end of every launch, or something was lost.
  std::size_t in_use() const { return in_use_; }

 private:
  std::deque<T> storage_;
  T* free_ = nullptr;
  std::size_t in_use_ = 0;
};

}  // namespace smpipe
