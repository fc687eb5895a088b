// Facts about a whole index that need a walk: the number of different terms over all segments, by
// merging their ordered dictionaries, range of terms beside range of terms. Costs one pass over the
// dictionaries (not over postings).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct FieldSummary {
  std::string name;
  uint64_t doc_count = 0;
  uint64_t token_count = 0;
  uint64_t term_count = 0;  // different terms
};

struct IndexStatistics {
  uint64_t term_count = 0;  // different (field, term) pairs
  uint64_t posting_count = 0;
  uint64_t token_count = 0;
  uint64_t file_bytes = 0;           // of the segments
  std::vector<FieldSummary> fields;  // sorted by name
};

struct StatisticsOptions {
  size_t threads = 1;
  // What is read stays in the memory of the process where it is no more than this. Else one thread
  // reads, and lets go of each piece behind it.
  uint64_t memory_bytes = 0;
};

// kDataLoss when a dictionary is damaged; its segment is quarantined then.
absl::StatusOr<IndexStatistics> ComputeStatistics(const Snapshot& snapshot,
                                                  const StatisticsOptions& options = {});

// The same of the segments that prove sound on the way, and the snapshot of these.
struct SoundStatistics {
  std::shared_ptr<const Snapshot> snapshot;
  IndexStatistics statistics;
};
absl::StatusOr<SoundStatistics> ComputeSoundStatistics(std::shared_ptr<const Snapshot> snapshot,
                                                       const StatisticsOptions& options = {});

}  // namespace pmdex
