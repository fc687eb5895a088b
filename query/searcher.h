// Searches an index: query text in, ranked hits and counts out. Thread-safe: any number of threads
// may use one Searcher, and each call has its own memory.
//
// A segment that turns out to be damaged, or whose medium fails, is quarantined. The query is
// answered again from the other segments, with their statistics, and the result names what is
// missing. Later queries leave the segment out from the start.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/store/placement/segment_heat.h"
#include "engine/store/placement/segment_nodes.h"
#include "engine/store/snapshot.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/access/current_access.h"
#include "query/access/hit_check.h"
#include "query/access/user_identity.h"
#include "query/aggregations/aggregation.h"
#include "query/analyzer_pool.h"
#include "query/deadline.h"
#include "query/kernel/kernels.h"
#include "query/language/query.h"
#include "query/planning/planner.h"
#include "query/result/doc_value.h"
#include "query/result/sort_keys.h"
#include "query/search_result.h"
#include "query/similarity.h"

namespace pmdex {

// A place in a ranking: the score and the number (Hit::doc) of a document.
struct SearchPlace {
  float score = 0;
  uint64_t doc = 0;
};

struct SearchOptions {
  size_t k = 10;
  SimilarityChoice similarity;
  bool exhaustive = false;  // score every match: the same hits, and an exact total
  bool count = false;       // an exact total
  // The total is exact if it is at most so many. Beyond that counting may stop. `count` and
  // `exhaustive` go before it.
  std::optional<uint64_t> count_limit;
  // Hits and total leave out the documents that score less.
  float min_score = -std::numeric_limits<float>::infinity();
  // Only documents behind this place in the ranking are hits: those with a lower score, and those
  // with the same score and a greater number. The total does not change.
  std::optional<SearchPlace> after;
  // The hits are sorted by these keys instead of by their scores; an earlier document comes first
  // among equals. With sort_after they begin behind that place, which has a value for each key; a
  // place of equal keys is not behind it. `after` does not count then.
  std::vector<SortKey> sort;
  std::vector<SortAfter> sort_after;
  // Columns whose values the hits shall have.
  std::vector<std::string> fields_out;
  // What to compute of all matches, whatever hits are asked for. The total is exact then, unless
  // there is a count_limit.
  std::vector<Aggregation> aggregations;
  // Leaves the answers to the caller, who may merge the sets of several indexes:
  // SearchResult::aggregation_set is there, and `aggregations` is empty.
  bool keep_aggregation_set = false;
  // After this time the answer is the best hits found so far. Two more milliseconds may go into the
  // ids, explanations and snippets of the hits. What is not finished then is left out, beginning
  // with the last hits.
  std::optional<std::chrono::milliseconds> deadline;
  const DeadlineClock* clock = nullptr;  // of the deadline; nullptr: the steady clock
  // So many threads may share the work of a query that reads at least least_parallel_postings.
  size_t threads = 1;
  uint64_t least_parallel_postings = PlanOptions::kLeastParallelPostings;
  // Where the segments of the snapshot lie, for these threads; nullptr: they are bound to no node.
  const SegmentNodes* nodes = nullptr;
  bool divide_by_node = false;  // DivideByNode
  const QueryKernels* kernels = &BestQueryKernels();
  // With a limit, a query that costs more (query_cost.h) is not answered: the search returns
  // kOutOfRange. It does so after planning, by EstimateCost; for a query that HasPatterns also once
  // TimeOfCost of the limit has passed; and at once for one with fuzzy words, or with ids if it
  // were to make the table of ids.
  std::optional<uint64_t> most_cost;
  bool plan = false;  // the plan, without explanations
  bool explain = false;
  bool snippets = false;
  // Only documents that it lets pass are hits and count in totals and aggregations. nullptr: all.
  // If all matches count, the deadline does not bound the time that checking them takes.
  const HitCheck* check = nullptr;
};

// Lets a query that reads at least least_parallel_postings be divided among threads, one for each
// node that has segments: for callers that answer many queries at the same time. Not where matches
// are counted, which threads that share a query do in a pass of its own. `nodes` must outlive the
// options.
void DivideByNode(const SegmentNodes& nodes, SearchOptions& options);

// The quarantined segments of a snapshot, in index order.
std::vector<MissingPart> MissingParts(const Snapshot& snapshot);

class Searcher {
 public:
  explicit Searcher(const std::shared_ptr<const Snapshot>& snapshot);
  // With analyzers that several searchers share, for an index with the analyzer kCustom or for
  // programs that make many searchers. Requires that they are of the snapshot's kind.
  Searcher(std::shared_ptr<const Snapshot> snapshot, std::shared_ptr<AnalyzerPool> analyzers);
  ~Searcher();

  // A searcher of what a user may see of answering(): all its answers have only documents that the
  // user could read when they were indexed, and can read now (query/access/). The user 0 may see
  // everything. Its cost grows with the number of documents. Errors as ShowOnlyTo.
  absl::StatusOr<std::unique_ptr<Searcher>> ForUser(const UserIdentity& user) const;
  // False if the searcher is for a user who cannot read the file of this document now. doc: its
  // number, as in Hit::doc. Search asks itself; callers that look documents up in the snapshot ask
  // before they show one.
  bool MayShow(std::string_view id, uint64_t doc) const;

  // kInvalidArgument if the query cannot be parsed or bound, or the index has no values of a field
  // of options.sort, options.fields_out or options.aggregations; kOutOfRange beyond
  // options.most_cost; kResourceExhausted if aggregations have too many buckets.
  absl::StatusOr<SearchResult> Search(std::string_view query_text,
                                      const SearchOptions& options) const;
  absl::StatusOr<SearchResult> Search(const Query& query, const SearchOptions& options) const;

  // Whether each of the documents (numbers as in Hit::doc) matches, in the order of `docs`. False
  // for a document of a segment that is quarantined, and for one that the index does not have.
  // kDeadlineExceeded if the deadline comes first.
  absl::StatusOr<std::vector<bool>> Matches(const Query& query, std::span<const uint64_t> docs,
                                            const Deadline& deadline = kNoDeadline) const;

  // Counts the segments that have a word of a query, for each answer of Search.
  SegmentHeat& heat() const { return heat_; }

  // The snapshot that the constructor got.
  const Snapshot& snapshot() const { return *snapshot_; }
  // The same snapshot without the segments that were found damaged since. It answers the queries.
  std::shared_ptr<const Snapshot> answering() const;

 private:
  template <typename Attempt>
  auto Answer(const Attempt& attempt) const;
  // The options, with a check for the user if there is one.
  SearchOptions OptionsFor(const SearchOptions& options,
                           std::optional<CurrentAccess>& access) const;

  const std::shared_ptr<const Snapshot> snapshot_;
  mutable SegmentHeat heat_;
  const std::shared_ptr<AnalyzerPool> analyzers_;
  std::optional<UserIdentity> user_;  // set by ForUser alone
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Snapshot> answering_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
