// Statistics of a whole index that no manifest holds: the number of different terms over all
// segments. It merges the ordered dictionaries of the segments; threads divide the terms into
// ranges. Reads the dictionaries once, and no postings.
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
  uint64_t compressed_bytes = 0;     // of these, in segments of the compressed tier
  std::vector<FieldSummary> fields;  // sorted by name
};

struct StatisticsOptions {
  size_t threads = 1;
  // If the dictionaries are no larger than this, they stay in the memory of the process. Otherwise
  // one thread reads them and releases each piece that it has read.
  uint64_t memory_bytes = 0;
};

// Returns kDataLoss if a dictionary is damaged, and quarantines its segment.
absl::StatusOr<IndexStatistics> ComputeStatistics(const Snapshot& snapshot,
                                                  const StatisticsOptions& options = {});

// The statistics of the segments that are not damaged, and a snapshot of these segments.
struct SoundStatistics {
  std::shared_ptr<const Snapshot> snapshot;
  IndexStatistics statistics;
};
absl::StatusOr<SoundStatistics> ComputeSoundStatistics(std::shared_ptr<const Snapshot> snapshot,
                                                       const StatisticsOptions& options = {});

}  // namespace pmdex
