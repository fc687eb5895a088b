// What the prefixes and wildcards of one query stand for, segment by segment: expanded by whoever
// needs it first, and shared with all others that answer the query, be it to rank, to count or on
// another thread. The exhaustive oracle expands for itself.
//
// Belongs to the query's Plan. Thread-safe; who comes while a set is being made waits for it, at
// most until the deadline, which all have in common. A set that turns out too large to be kept is
// waited for once: whoever asks from then on makes it again, side by side with others (memo.h).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"

#include "engine/segment/segment.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/cursor/doc_set.h"
#include "query/expansion/memo.h"

namespace pmdex {

struct BoundQuery;

class SharedExpansions {
 public:
  static constexpr uint64_t kKeptBytes = uint64_t{64} << 20;

  // Sets are kept for others up to so many bytes; beyond, each is made again for whoever asks.
  explicit SharedExpansions(uint64_t kept_bytes = kKeptBytes) : bytes_left_(kept_bytes) {}

  // As ExpandTerms, which see. Whatever that says of damage or the deadline, every caller gets.
  absl::StatusOr<std::shared_ptr<const DocSet>> Expand(const BoundQuery& query,
                                                       const Segment& segment,
                                                       CursorContext& context);

 private:
  struct Outcome {
    absl::StatusOr<std::shared_ptr<const DocSet>> docs;
    absl::Status damage;
    bool timed_out = false;
  };

  static Outcome Make(const BoundQuery& query, const Segment& segment,
                      const CursorContext& context);
  Memo<Outcome>& MemoOf(const BoundQuery& query, const Segment& segment);
  // Errors may be kept at no cost.
  bool MayKeep(const Outcome& made);

  Mutex mutex_;
  std::map<std::pair<const BoundQuery*, const Segment*>, Memo<Outcome>> memos_
      ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_left_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
