// Decides which names have a field of their own in the index that a build makes. They are at most
// so many, and always the same ones, whatever the threads, the memory and the timing of the build:
// the fields that the index already has, then the names that come first in the input.
//
// Most builds meet fewer names than the limit. Then all names have a field, in whatever order
// threads meet them. FieldAdmission says what happens otherwise:
//   kAll      A name beyond the limit is an overflow: the work of the run cannot be used. The
//             build scans the names in the order of the input (field_scan.h) and begins anew with
//             them, as kSettled.
//   kInOrder  For input that can be read only once. A thread that meets a new name waits until the
//             blocks before its own are parsed, so names come in the order of the input.
//   kSettled  Only the given names have a field.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/mutex.h"

namespace pmdex {

enum class FieldAdmission { kAll, kInOrder, kSettled };

class FieldRegistry {
 public:
  // `names` have a field already; they may be more than the limit.
  FieldRegistry(const std::vector<std::string>& names, size_t limit, FieldAdmission admission);

  // True if the name has a field of its own. `turn` is that of the block with the name, for
  // kInOrder; without a turn, Admit does not wait.
  bool Admit(std::string_view name, std::optional<uint64_t> turn) ABSL_LOCKS_EXCLUDED(mutex_);
  // Says that the block of this turn is parsed. Turns count from 0. The caller finishes each turn
  // once, and threads get blocks in the order of their turns.
  void FinishTurn(uint64_t turn) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all waiting, now and later.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // True if a name was refused that may come before others that were admitted. Never true for
  // kInOrder and kSettled.
  bool overflowed() const { return overflowed_.load(std::memory_order_relaxed); }

 private:
  struct Turn;
  bool Contains(std::string_view name) const;

  const size_t limit_;
  const FieldAdmission admission_;
  // A thread that reads true needs no lock, because names_ no longer changes.
  std::atomic<bool> settled_;
  std::atomic<bool> overflowed_{false};
  Mutex mutex_;
  std::set<std::string, std::less<>> names_;  // changed under the lock, until settled
  uint64_t next_turn_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> finished_ ABSL_GUARDED_BY(mutex_);  // turns behind next_turn_
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
