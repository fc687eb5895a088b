// Decides which names have a field of their own in the index that a build makes, and of which type.
// They are at most so many, and always the same ones, whatever the threads, the memory and the
// timing of the build: the fields that the index already has, then the names that come first in the
// input. The type of a field that is not known when the build begins is that of its first value, in
// the order of the input.
//
// Most builds meet fewer names than the limit, and a field that comes late mostly has one type.
// Then all names have a field, in whatever order threads meet them. FieldAdmission says what
// happens otherwise:
//   kAll      A name beyond the limit is an overflow, and so is a value whose type is another one,
//             and which comes before the value that has decided the type. The work of the run
//             cannot be used. The build scans the names and types in the order of the input
//             (field_scan.h) and begins anew with them, as kSettled.
//   kInOrder  For input that can be read only once, and for builds that readers see parts of. A
//             thread that meets a new name in standard input waits until the blocks before its own
//             are parsed, so names come in the order of the input; in other input the value that a
//             thread meets first counts.
//   kListed   Only the given names have a field; otherwise as kAll.
//   kSettled  Only the given names have a field, and all types are right that are given.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"

#include "engine/columns/field_spec.h"
#include "engine/ingest/fields/known_fields.h"
#include "pmem/mutex.h"

namespace pmdex {

enum class FieldAdmission { kAll, kInOrder, kListed, kSettled };

// A value of a field that a thread has met.
struct FieldSighting {
  FieldSpec spec;  // that the value would give a new field
  InputPosition position;
  std::optional<uint64_t> turn;  // that of the block with the value, for kInOrder
};

class FieldRegistry {
 public:
  // `fields` have a place already; they may be more than the limit.
  FieldRegistry(const KnownFields& fields, size_t limit, FieldAdmission admission);

  // The field of this name; nullopt if the name has none. For a field that is_late, callers show
  // its first value of each block, because values before it may decide another type. Without a turn
  // Admit does not wait.
  std::optional<KnownField> Admit(std::string_view name, const FieldSighting& sighting)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The field of this name if its type was known before the build; nullopt otherwise.
  std::optional<FieldSpec> FindEarly(std::string_view name) const;
  // Says that a document has given an array to a field that is Multiplicity::kOpen.
  void TakeArrays(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);
  // Says that the block of this turn is parsed. Turns count from 0. The caller finishes each turn
  // once, and threads get blocks in the order of their turns.
  void FinishTurn(uint64_t turn) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all waiting, now and later.
  void Cancel() ABSL_LOCKS_EXCLUDED(mutex_);

  // True if a name was refused that may come before others that were admitted, or if a type was
  // decided that another value before it would have decided in another way. Never true for
  // kInOrder, and never for kSettled if all fields have types.
  bool overflowed() const { return overflowed_.load(std::memory_order_relaxed); }
  bool is_settled() const { return admission_ == FieldAdmission::kSettled; }
  // All fields so far.
  KnownFields fields() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Turn;
  struct Late {
    std::optional<FieldSpec> spec;
    // Of the earliest value so far; nullopt if the type was known before the build.
    std::optional<InputPosition> position;
  };
  std::optional<KnownField> AdmitLate(std::string_view name, const FieldSighting& sighting)
      ABSL_LOCKS_EXCLUDED(mutex_);
  bool TakesNames() const {
    return admission_ == FieldAdmission::kAll || admission_ == FieldAdmission::kInOrder;
  }
  // The entry, which is added if there is room; nullptr if the name has no field.
  Late* FindOrAdd(std::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CheckOrder(const FieldSighting& sighting, Late& late) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t limit_;
  const FieldAdmission admission_;
  const FieldSpecs early_;  // known before the build; never changes, so that no thread needs a lock
  std::atomic<bool> overflowed_{false};
  mutable Mutex mutex_;
  // Fields whose type a value of this build decides, with those that wait for it.
  std::map<std::string, Late, std::less<>> late_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> with_arrays_ ABSL_GUARDED_BY(mutex_);
  size_t count_ ABSL_GUARDED_BY(mutex_);  // of the names that the limit is about
  uint64_t next_turn_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> finished_ ABSL_GUARDED_BY(mutex_);  // turns behind next_turn_
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace pmdex
