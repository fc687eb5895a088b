// Shares the document sets of a query's prefixes, wildcards and regular expressions: each is
// expanded once per segment, and ranking, counting and all threads of the query use the same set.
// The exhaustive oracle does not share; it expands for itself.
//
// Belongs to the query's Plan. Thread-safe. A caller that comes while a set is made waits for it,
// at most until the query's deadline. A set that is too large to keep is made again by every later
// caller, without waiting (memo.h).
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

  // Keeps sets of up to kept_bytes in total; further sets are made again for every caller.
  explicit SharedExpansions(uint64_t kept_bytes = kKeptBytes) : bytes_left_(kept_bytes) {}

  // Like ExpandTerms. Every caller gets the same error, damage and timed_out from it.
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
  // True if there is room for the set. Errors are always kept.
  bool MayKeep(const Outcome& made);

  Mutex mutex_;
  std::map<std::pair<const BoundQuery*, const Segment*>, Memo<Outcome>> memos_
      ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_left_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
