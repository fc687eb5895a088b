#include "query/planning/query_binder.h"

#include <algorithm>
#include <set>
#include <utility>

#include "query/expansion/term_expansion.h"
#include "query/planning/bound_clauses.h"
#include "query/planning/leaf_binder.h"
#include "query/planning/score_bound.h"

namespace pmdex {
namespace {

class Binder {
 public:
  Binder(QueryBinding& binding, const Deadline& deadline)
      : snapshot_(*binding.snapshot), watch_(deadline), leaves_(binding, watch_) {}

  bool is_over() const { return watch_.is_over(); }
  absl::StatusOr<BoundPointer> Bind(const Query& query, float boost, size_t depth);

 private:
  absl::StatusOr<BoundPointer> InEveryField(const Query& query, float boost);
  absl::StatusOr<bool> MayMatch(const Query& query);
  absl::StatusOr<BoundPointer> Boolean(const Query& query, float boost, size_t depth);
  absl::StatusOr<BoundPointer> ConstantScore(const Query& query, float boost, size_t depth);
  absl::StatusOr<BoundPointer> DisjunctionMax(const Query& query, float boost, size_t depth);
  absl::StatusOr<BoundPointer> Ids(const Query& query, float boost);

  const Snapshot& snapshot_;
  DeadlineWatch watch_;
  LeafBinder leaves_;
};

absl::StatusOr<BoundPointer> Binder::Bind(const Query& query, float boost, size_t depth) {
  if (depth > kMaxQueryDepth) {
    return InvalidArgument("the query is nested deeper than " + std::to_string(kMaxQueryDepth));
  }
  boost = boost == 0 ? 0 : boost * query.boost;  // a part that is not scored stays one
  switch (query.kind) {
    case QueryKind::kNone:
      return NewBoundQuery(BoundKind::kNone, boost);
    case QueryKind::kAll:
      return NewBoundQuery(BoundKind::kAll, boost);
    case QueryKind::kBoolean:
      return Boolean(query, boost, depth);
    case QueryKind::kConstantScore:
      return ConstantScore(query, boost, depth);
    case QueryKind::kDisjunctionMax:
      return DisjunctionMax(query, boost, depth);
    case QueryKind::kIds:
      return Ids(query, boost);
    default:
      return query.every_field ? InEveryField(query, boost) : leaves_.Bind(query, boost);
  }
}

// One clause for each field that may match, in the order of the names. Their scores are added.
absl::StatusOr<BoundPointer> Binder::InEveryField(const Query& query, float boost) {
  const auto names = snapshot_.field_names();
  Query leaf = LeafOf(query);
  auto any = NewBoundQuery(BoundKind::kBoolean, boost);
  any->every_field = true;
  for (const std::string& name : names) {
    if (watch_.is_over()) break;
    leaf.field = name;
    if (names.size() > 1) {
      PMDEX_ASSIGN_OR_RETURN(const bool may_match, MayMatch(leaf));
      if (!may_match) continue;
    }
    PMDEX_ASSIGN_OR_RETURN(BoundPointer bound, leaves_.Bind(leaf, boost));
    if (bound->kind != BoundKind::kNone) any->clauses.push_back({Occur::kShould, std::move(bound)});
  }
  if (any->clauses.empty()) return NewBoundQuery(BoundKind::kNone, boost);
  if (any->clauses.size() == 1) return std::move(any->clauses[0].query);
  return any;
}

// False if no segment has terms of the pattern in its field. True for other kinds: binding them
// shows whether they match.
absl::StatusOr<bool> Binder::MayMatch(const Query& query) {
  const bool is_pattern = query.kind == QueryKind::kPrefix || query.kind == QueryKind::kWildcard ||
                          (query.kind == QueryKind::kRegexp && query.regexp != nullptr);
  if (!is_pattern) return true;
  for (const auto& segment : snapshot_.segments()) {
    PMDEX_ASSIGN_OR_RETURN(const bool may_match,
                           segment->Checked(MayHaveTerms(query, *segment, watch_)));
    if (may_match) return true;
  }
  return false;
}

absl::StatusOr<BoundPointer> Binder::Boolean(const Query& query, float boost, size_t depth) {
  std::vector<BoundClause> clauses;
  clauses.reserve(query.clauses.size());
  for (const Clause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(BoundPointer child,
                           Bind(*clause.query, IsScored(clause.occur) ? boost : 0, depth + 1));
    if (child->kind == BoundKind::kNone && IsRequired(clause.occur)) return child;
    clauses.push_back({clause.occur, std::move(child)});
  }
  return BooleanOf(std::move(clauses), query.minimum_should_match, boost);
}

absl::StatusOr<BoundPointer> Binder::ConstantScore(const Query& query, float boost, size_t depth) {
  if (query.clauses.size() != 1) return InvalidArgument("a constant score needs one clause");
  PMDEX_ASSIGN_OR_RETURN(BoundPointer filter, Bind(*query.clauses[0].query, 0, depth + 1));
  return ConstantScoreOf(std::move(filter), boost);
}

absl::StatusOr<BoundPointer> Binder::DisjunctionMax(const Query& query, float boost, size_t depth) {
  if (!(query.tie_breaker >= 0 && query.tie_breaker <= 1)) {
    return InvalidArgument("a tie breaker must lie between 0 and 1");
  }
  std::vector<BoundClause> clauses;
  for (const Clause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(BoundPointer child, Bind(*clause.query, boost, depth + 1));
    clauses.push_back({Occur::kShould, std::move(child)});
  }
  return DisjunctionMaxOf(std::move(clauses), query.tie_breaker, boost);
}

absl::StatusOr<BoundPointer> Binder::Ids(const Query& query, float boost) {
  std::set<uint64_t> found;
  for (const std::string& id : query.terms) {
    PMDEX_ASSIGN_OR_RETURN(const std::vector<uint64_t> docs, snapshot_.FindDocuments(id));
    found.insert(docs.begin(), docs.end());
  }
  auto bound = NewBoundQuery(found.empty() ? BoundKind::kNone : BoundKind::kIds, boost);
  bound->ids = query.terms;
  auto next = found.begin();
  for (size_t i = 0; i < snapshot_.segments().size() && next != found.end(); ++i) {
    const uint64_t base = snapshot_.doc_base(i);
    const Segment& segment = *snapshot_.segments()[i];
    BoundDocs part{&segment, {}};
    for (; next != found.end() && *next < base + segment.doc_count(); ++next) {
      part.docs.push_back(static_cast<DocId>(*next - base));
    }
    if (!part.docs.empty()) bound->docs.push_back(std::move(part));
  }
  return bound;
}

}  // namespace

absl::StatusOr<QueryBinding> BindQuery(const Query& query, const Snapshot& snapshot,
                                       SimilarityChoice similarity, const Deadline& deadline) {
  QueryBinding binding;
  binding.snapshot = &snapshot;
  binding.similarity = similarity;
  Binder binder(binding, deadline);
  PMDEX_ASSIGN_OR_RETURN(binding.root, binder.Bind(query, 1.0f, 0));
  if (!HasFiniteScores(query)) {
    return InvalidArgument("the boosts of the query make scores too large for a number");
  }
  binding.timed_out = binder.is_over();
  if (binding.timed_out) binding.root = NewBoundQuery(BoundKind::kNone, 1.0f);
  return binding;
}

}  // namespace pmdex
