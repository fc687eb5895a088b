// The front door of search: query text in, ranked hits and counts out. Immutable, thread-safe: any
// number of threads may search one Searcher; per-query memory belongs to the call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/explain.h"
#include "query/query.h"
#include "query/similarity.h"
#include "query/snippet.h"

namespace pmdex {

struct SearchOptions {
  size_t k = 10;
  SimilarityKind similarity = SimilarityKind::kBm25;
  bool exhaustive = true;  // the only evaluator so far: score every match
  bool count = false;
  bool explain = false;
  bool snippets = false;
};

struct Hit {
  std::string id;
  float score = 0;
  uint64_t doc = 0;                        // number in index order (segment's doc_base + DocId)
  std::optional<Explanation> explanation;  // with options.explain
  // With options.snippets: matches between kSnippetMatchBegin and kSnippetMatchEnd (snippet.h).
  std::string snippet;
};

struct SearchResult {
  std::vector<Hit> hits;  // score descending, ties by earlier document
  uint64_t total = 0;     // matches
  bool total_exact = true;
  double took_us = 0;  // from the text to the finished hits, ids included; without snippets
};

class Searcher {
 public:
  explicit Searcher(std::shared_ptr<const Snapshot> snapshot);
  ~Searcher();

  absl::StatusOr<SearchResult> Search(std::string_view query_text,
                                      const SearchOptions& options) const;
  // Of a tree that is already built.
  absl::StatusOr<SearchResult> Search(const Query& query, const SearchOptions& options) const;

  const Snapshot& snapshot() const { return *snapshot_; }

 private:
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace pmdex
