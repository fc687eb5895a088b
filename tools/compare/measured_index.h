// Measures one index in several configurations: opens it, runs every query set, and takes the
// fingerprints of the answers. For one thread, which starts others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/segment/format.h"
#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/searcher.h"
#include "tools/compare/compare_options.h"
#include "tools/compare/compare_result.h"
#include "tools/compare/query_sets.h"
#include "tools/compare/timed_passes.h"

namespace pmdex {

// A query set with what the index says of its queries.
struct BoundSet {
  std::string name;
  std::vector<std::string> queries;
  std::vector<uint64_t> postings;  // indexed like queries: of the lists that each reads
};

// Returns kInvalidArgument if a query cannot be parsed.
absl::StatusOr<std::vector<BoundSet>> BindSets(const std::vector<QuerySet>& sets,
                                               const Snapshot& snapshot);

class MeasuredIndex {
 public:
  // Opens the index several times; open_ms is the median.
  static absl::StatusOr<std::unique_ptr<MeasuredIndex>> Open(const std::string& path);

  const Snapshot& snapshot() const { return *snapshot_; }
  const Searcher& searcher() const { return *searcher_; }

  // What the index is, without key and classes.
  ComparedConfiguration Describe() const;

  // Runs a set. cpus: those that threads are bound to; empty: any. Returns an error if a query is
  // not answered, or only in part.
  absl::StatusOr<ComparedClass> Measure(const BoundSet& set, const ConfigurationKey& key,
                                        const CompareOptions& options,
                                        const std::vector<int>& cpus) const;

 private:
  MeasuredIndex() = default;

  std::shared_ptr<const Snapshot> snapshot_;
  std::unique_ptr<const Searcher> searcher_;
  double open_ms_ = 0;
};

// The part of an index to which a section belongs, as IndexPartTable shows it.
std::string_view IndexPartOf(SectionKind kind);

// The options of the search in a mode.
SearchOptions SearchOptionsOfMode(const std::string& mode);

// The mean time of the queries in each range of postings (RangeOfPostings), by rising range.
std::vector<PostingBucket> BucketsOf(const BoundSet& set, const TimedPasses& passes);

}  // namespace pmdex
