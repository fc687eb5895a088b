// Binds the leaves of a query tree, each of which searches one field: it looks their words up,
// expands fuzzy words and prefixes of phrases, and makes the weights. Internal to query_binder.h.
// One thread uses a LeafBinder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "query/deadline.h"
#include "query/language/query.h"
#include "query/planning/bound_query.h"
#include "query/planning/query_binding.h"

namespace pmdex {

class LeafBinder {
 public:
  // Adds tables of lengths to the binding. Both must outlive the LeafBinder.
  LeafBinder(QueryBinding& binding, DeadlineWatch& watch)
      : binding_(binding), snapshot_(*binding.snapshot), watch_(watch) {}

  // query: a leaf that names its field. boost: the product of the boosts from the root to the leaf.
  // The result is meaningless once the watch is over.
  absl::StatusOr<BoundPointer> Bind(const Query& query, float boost);

 private:
  absl::StatusOr<BoundPointer> Term(const Query& query, float boost);
  absl::StatusOr<BoundPointer> Phrase(const Query& query, float boost);
  absl::StatusOr<BoundPointer> PhrasePrefix(const Query& query, float boost);
  BoundPointer AnyTerm(std::vector<BoundTerm> terms, const Query& query, float boost);
  absl::StatusOr<BoundPointer> Fuzzy(const Query& query, float boost);
  absl::StatusOr<BoundPointer> FuzzyKeyword(const Query& query, float boost);
  absl::StatusOr<BoundPointer> Regexp(const Query& query, float boost);
  BoundPointer Range(const Query& query, float boost);
  BoundPointer Constant(const Query& query, BoundKind kind, float boost);

  absl::Status CheckPhrase(const Query& query) const;
  bool HasField(const std::string& field) const;
  absl::StatusOr<BoundTerm> Find(const std::string& field, std::string_view term);
  void SetWeight(BoundQuery& bound);

  QueryBinding& binding_;
  const Snapshot& snapshot_;
  DeadlineWatch& watch_;
};

}  // namespace pmdex
