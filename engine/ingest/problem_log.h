// What could not be indexed, or not whole, collected from all threads: counts by kind and the first
// few places. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"

#include "engine/ingest/ingest.h"
#include "pmem/mutex.h"

namespace pmdex {

class ProblemLog {
 public:
  static constexpr size_t kPlacesKept = 3;

  // place: "PATH" or "PATH:LINE"; reason may be empty.
  void Add(ProblemKind kind, std::string_view place, std::string_view reason)
      ABSL_LOCKS_EXCLUDED(mutex_);

  std::map<ProblemKind, ProblemSummary> problems() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<ProblemKind, ProblemSummary> problems_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
