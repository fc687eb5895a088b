// Collects the problems of a build: how many there are of each kind, and the first few places. Each
// thread has a log of its own. Blocks carry its content together with the input that it is about.
// Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/problem_kind.h"
#include "pmem/mutex.h"

namespace pmdex {

using ProblemSummaries = std::map<ProblemKind, ProblemSummary>;
// Adds the problems of `from` to `to`, behind those that are there.
void MergeProblems(const ProblemSummaries& from, ProblemSummaries& to);

class ProblemLog {
 public:
  static constexpr size_t kPlacesKept = 3;

  // place: "PATH" or "PATH:LINE"; reason may be empty.
  void Add(ProblemKind kind, std::string_view place, std::string_view reason)
      ABSL_LOCKS_EXCLUDED(mutex_);

  ProblemSummaries problems() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the problems and empties the log.
  ProblemSummaries Take() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  ProblemSummaries problems_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
