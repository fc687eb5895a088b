// Which names get a field of their own in the index that a build makes: at most so many, and always
// the same ones, whatever the threads, the memory and the timing of the build. They are those that
// come first: the fields that the index has, then names in the order of the input.
//
// Most builds see fewer names than the limit, and then all have a field, in whatever order threads
// meet them. Otherwise:
// - kAll: a name too many is an overflow. What the run does is then worth nothing; the build scans
//   the names in the order of the input (field_scan.h) and begins anew with these, settled.
// - kInOrder: of input that can be read only once. A thread that meets a new name waits until the
//   blocks before its own are parsed, so names come in the order of the input.
// - settled: the names are those given, and no other.
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
  // names: that have a field already, perhaps more than the limit.
  FieldRegistry(const std::vector<std::string>& names, size_t limit, FieldAdmission admission);

  // turn: of the block that the name is in (kInOrder; without one, nobody is waited for).
  bool Admit(std::string_view name, std::optional<uint64_t> turn) ABSL_LOCKS_EXCLUDED(mutex_);
  // The block of this turn, and so every name in it, is done with. Turns count from 0, each is
  // finished once, and a block is given to a thread only after those before it.
  void FinishTurn(uint64_t turn) ABSL_LOCKS_EXCLUDED(mutex_);
  // Nobody waits any more.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // A name was turned down that may belong before others: never when in order or settled.
  bool overflowed() const { return overflowed_.load(std::memory_order_relaxed); }

 private:
  struct Turn;
  bool Contains(std::string_view name) const;

  const size_t limit_;
  const FieldAdmission admission_;
  // Whoever reads true needs no lock: names_ changes no more.
  std::atomic<bool> settled_;
  std::atomic<bool> overflowed_{false};
  Mutex mutex_;
  std::set<std::string, std::less<>> names_;  // changed under the lock, until settled
  uint64_t next_turn_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> finished_ ABSL_GUARDED_BY(mutex_);  // of the turns behind it
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
