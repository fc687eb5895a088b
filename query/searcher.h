// The front door of search: query text in, ranked hits and counts out. Thread-safe: any number of
// threads may search one Searcher; per-query memory belongs to the call.
//
// A segment in which damage is met, or whose medium fails, is quarantined: the query is answered
// again from the others, with their statistics, and says what is missing; later queries leave the
// segment out from the start.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "engine/store/snapshot.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/algorithm/pruned_search.h"
#include "query/analyzer_pool.h"
#include "query/kernel/kernels.h"
#include "query/language/query.h"
#include "query/result/explain.h"
#include "query/result/snippet.h"
#include "query/similarity.h"

namespace pmdex {

struct SearchOptions {
  size_t k = 10;
  SimilarityKind similarity = SimilarityKind::kBm25;
  bool exhaustive = false;  // score every match: the same hits, and the total exact
  bool count = false;       // total exact
  // Answer with the best hits found so far when this much time is over. Two milliseconds more are
  // for naming them, and for their explanations and snippets: what is not done by then is left out,
  // the last hits first.
  std::optional<std::chrono::milliseconds> deadline;
  const DeadlineClock* clock = nullptr;  // of the deadline; nullptr: the steady clock
  // That may share the work of one query, if it looks at least_parallel_work postings or more.
  size_t threads = 1;
  uint64_t least_parallel_work = BlockMaxOptions().least_parallel_work;
  const QueryKernels* kernels = &BestQueryKernels();
  bool explain = false;
  bool snippets = false;
};

struct Hit {
  std::string_view id;  // of SearchResult::id_bytes
  float score = 0;
  uint64_t doc = 0;  // number in index order (segment's doc_base + DocId)
};

// A segment that did not answer.
struct MissingPart {
  std::string file;
  uint64_t documents = 0;
  std::string reason;
};

// The quarantined segments of a snapshot.
std::vector<MissingPart> MissingParts(const Snapshot& snapshot);

struct SearchResult {
  std::vector<Hit> hits;  // score descending, ties by earlier document
  // One after the other: the ids that the hits view, copied from the index so that neither its
  // mapping nor the state of its medium matters to them. Valid while any copy of the result is.
  std::shared_ptr<const std::string> id_bytes;
  // One a hit, or of the first ones when it timed out: with options.explain; with options.snippets,
  // matches between kSnippetMatchBegin and kSnippetMatchEnd (snippet.h).
  std::vector<Explanation> explanations;
  std::vector<std::string> snippets;
  uint64_t total = 0;       // matches; unless total_exact, there are at least so many
  bool total_exact = true;  // always with options.count or exhaustive, unless it timed out
  // options.deadline came first: better hits may be missing, and the last ones of k.
  bool timed_out = false;
  SimdLevel simd = SimdLevel::kScalar;  // of the kernels that answered
  double took_us = 0;  // from the text to the finished hits, ids included; without snippets
  std::vector<MissingPart> missing;  // in index order; empty: the whole index answered
};

class Searcher {
 public:
  explicit Searcher(std::shared_ptr<const Snapshot> snapshot);
  ~Searcher();

  absl::StatusOr<SearchResult> Search(std::string_view query_text,
                                      const SearchOptions& options) const;
  // Of a tree that is already built.
  absl::StatusOr<SearchResult> Search(const Query& query, const SearchOptions& options) const;

  // The one it was made with.
  const Snapshot& snapshot() const { return *snapshot_; }
  // What answers now: the same without the segments that were found damaged since.
  std::shared_ptr<const Snapshot> answering() const;

 private:
  using Attempt = std::function<absl::StatusOr<SearchResult>(const Snapshot&)>;
  absl::StatusOr<SearchResult> Answer(const Attempt& attempt) const;

  const std::shared_ptr<const Snapshot> snapshot_;
  mutable AnalyzerPool analyzers_;
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Snapshot> answering_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
