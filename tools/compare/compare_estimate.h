// `pmdex compare --dry-run`: the time and space that a comparison will need. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pmem/status.h"
#include "tools/compare/compare_options.h"

namespace pmdex {

struct CompareEstimate {
  uint64_t corpus_bytes = 0;  // 0 with --index
  // What the indexes take in each directory, and what its file system has free.
  struct Place {
    std::string directory;
    uint64_t needed_bytes = 0;
    std::optional<uint64_t> free_bytes;
  };
  std::vector<Place> places;
  double build_s = 0;
  double run_s = 0;
  size_t counter_passes = 0;  // over each set, which --counters adds to run_s
  std::string basis;          // what the numbers come from
};

// With --corpus, builds an index of a sample of at most 16 MiB in the first directory, measures it,
// removes it, and takes all else in proportion to bytes. With --index, runs each set once. Both are
// estimates: the time of pruned queries grows more slowly than an index, and an unread index is
// read from its medium first.
absl::StatusOr<CompareEstimate> EstimateCompare(const CompareOptions& options);

std::string EstimateToJson(const CompareEstimate& estimate);
std::string EstimateToText(const CompareEstimate& estimate);

}  // namespace pmdex
