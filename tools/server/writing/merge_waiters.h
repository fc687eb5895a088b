// Bounds how many requests wait for merges. Each of them keeps a thread that other requests could
// have, so that those beyond the bound are refused. Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>

namespace pmdex {

class MergeWaiters {
 public:
  explicit MergeWaiters(size_t most) : most_(most) {}

  // A place for one request, for as long as it lives. The waiters outlive it.
  class Place {
   public:
    // waiters: nullptr has a place for everybody.
    explicit Place(MergeWaiters* waiters) : waiters_(waiters) {
      if (waiters_ == nullptr) return;
      has_place_ = waiters_->count_.fetch_add(1) < waiters_->most_;
      if (!has_place_) waiters_->count_.fetch_sub(1);
    }
    ~Place() {
      if (waiters_ != nullptr && has_place_) waiters_->count_.fetch_sub(1);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    // False: all places are taken, and the request is not to wait.
    bool has_place() const { return has_place_; }

   private:
    MergeWaiters* const waiters_;
    bool has_place_ = true;
  };

  size_t count() const { return count_; }

 private:
  const size_t most_;
  std::atomic<size_t> count_{0};
};

}  // namespace pmdex
