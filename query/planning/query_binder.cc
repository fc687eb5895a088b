#include "query/planning/query_binder.h"

#include <algorithm>
#include <utility>

#include "query/expansion/fuzzy_expansion.h"
#include "query/expansion/term_expansion.h"
#include "query/language/regexp_automaton.h"
#include "query/planning/score_bound.h"

namespace pmdex {
namespace {

using BoundPointer = std::unique_ptr<BoundQuery>;

BoundPointer OfKind(BoundKind kind, float boost) {
  auto bound = std::make_unique<BoundQuery>();
  bound->kind = kind;
  bound->boost = boost;
  return bound;
}

class Binder {
 public:
  Binder(QueryBinding& binding, const Deadline& deadline)
      : binding_(binding), snapshot_(*binding.snapshot), watch_(deadline) {}

  bool is_over() const { return watch_.is_over(); }
  absl::StatusOr<BoundPointer> Bind(const Query& query, float boost, size_t depth);

 private:
  absl::StatusOr<BoundPointer> Leaf(const Query& query, float boost);
  absl::StatusOr<BoundPointer> InEveryField(const Query& query, float boost);
  absl::StatusOr<bool> MayMatch(const Query& query);
  absl::StatusOr<BoundPointer> Boolean(const Query& query, float boost, size_t depth);
  absl::StatusOr<BoundPointer> Term(const Query& query, float boost);
  absl::StatusOr<BoundPointer> Phrase(const Query& query, float boost);
  absl::StatusOr<BoundPointer> Fuzzy(const Query& query, float boost);
  absl::StatusOr<BoundPointer> Regexp(const Query& query, float boost);
  BoundPointer Constant(const Query& query, BoundKind kind, float boost);

  bool HasField(const std::string& field) const {
    const auto names = snapshot_.field_names();
    return std::binary_search(names.begin(), names.end(), field);
  }
  absl::StatusOr<BoundTerm> Find(const std::string& field, std::string_view term);
  void SetWeight(BoundQuery& bound);

  QueryBinding& binding_;
  const Snapshot& snapshot_;
  DeadlineWatch watch_;
};

absl::StatusOr<BoundPointer> Binder::Bind(const Query& query, float boost, size_t depth) {
  if (depth > kMaxQueryDepth) {
    return InvalidArgument("the query is nested deeper than " + std::to_string(kMaxQueryDepth));
  }
  boost *= query.boost;
  switch (query.kind) {
    case QueryKind::kNone:
      return OfKind(BoundKind::kNone, boost);
    case QueryKind::kAll:
      return OfKind(BoundKind::kAll, boost);
    case QueryKind::kBoolean:
      return Boolean(query, boost, depth);
    default:
      return query.every_field ? InEveryField(query, boost) : Leaf(query, boost);
  }
}

// A query that searches one field.
absl::StatusOr<BoundPointer> Binder::Leaf(const Query& query, float boost) {
  switch (query.kind) {
    case QueryKind::kTerm:
      return Term(query, boost);
    case QueryKind::kPhrase:
      return Phrase(query, boost);
    case QueryKind::kPrefix:
      return Constant(query, query.text.empty() ? BoundKind::kField : BoundKind::kPrefix, boost);
    case QueryKind::kWildcard:
      return Constant(query, BoundKind::kWildcard, boost);
    case QueryKind::kRegexp:
      return Regexp(query, boost);
    case QueryKind::kFuzzy:
      return Fuzzy(query, boost);
    default:
      return MakeStatus(absl::StatusCode::kInternal, "unknown kind of query");
  }
}

// One clause for each field that may match, in the order of the names. Their scores are added.
absl::StatusOr<BoundPointer> Binder::InEveryField(const Query& query, float boost) {
  const auto names = snapshot_.field_names();
  Query leaf = LeafOf(query);
  auto any = OfKind(BoundKind::kBoolean, boost);
  any->every_field = true;
  for (const std::string& name : names) {
    if (watch_.is_over()) break;
    leaf.field = name;
    if (names.size() > 1) {
      PMDEX_ASSIGN_OR_RETURN(const bool may_match, MayMatch(leaf));
      if (!may_match) continue;
    }
    PMDEX_ASSIGN_OR_RETURN(BoundPointer bound, Leaf(leaf, boost));
    if (bound->kind != BoundKind::kNone) any->clauses.push_back({Occur::kShould, std::move(bound)});
  }
  if (any->clauses.empty()) return OfKind(BoundKind::kNone, boost);
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

// Leaves out clauses that can match nothing. If one of them is required, nothing matches.
absl::StatusOr<BoundPointer> Binder::Boolean(const Query& query, float boost, size_t depth) {
  auto bound = OfKind(BoundKind::kBoolean, boost);
  bool has_positive = false;  // in the query, even if the index lacks the word
  size_t positives = 0;
  for (const Clause& clause : query.clauses) {
    has_positive = has_positive || clause.occur != Occur::kMustNot;
    PMDEX_ASSIGN_OR_RETURN(BoundPointer child, Bind(*clause.query, boost, depth + 1));
    if (child->kind == BoundKind::kNone) {
      if (clause.occur == Occur::kMust) return child;
      continue;
    }
    positives += clause.occur != Occur::kMustNot ? 1 : 0;
    bound->clauses.push_back({clause.occur, std::move(child)});
  }
  if (!has_positive && !query.clauses.empty()) {
    bound->clauses.insert(bound->clauses.begin(),
                          BoundClause{Occur::kMust, OfKind(BoundKind::kAll, boost)});
  } else if (positives == 0) {
    return OfKind(BoundKind::kNone, boost);
  }
  if (bound->clauses.size() == 1) return std::move(bound->clauses[0].query);
  return bound;
}

// A term without documents once the deadline has come.
absl::StatusOr<BoundTerm> Binder::Find(const std::string& field, std::string_view term) {
  constexpr uint64_t kFindWork = 32;
  const auto segments = snapshot_.segments();
  BoundTerm bound;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (watch_.IsOver(kFindWork)) return BoundTerm();
    const std::optional<FieldId> id = segments[i]->FindField(field);
    if (!id.has_value()) continue;
    PMDEX_ASSIGN_OR_RETURN(const DictionaryEntry* entry,
                           segments[i]->Checked(segments[i]->Find(*id, term)));
    if (entry == nullptr) continue;
    // Allocated late, because most fields do not have most words.
    bound.entries.resize(segments.size());
    bound.entries[i] = entry;
    bound.df += entry->df;
  }
  if (bound.df != 0) bound.text = term;
  return bound;
}

// Requires the final df of each term.
void Binder::SetWeight(BoundQuery& bound) {
  const FieldStatistics field = snapshot_.field_statistics(bound.field);
  auto& lengths = binding_.lengths[bound.field];
  if (lengths == nullptr) {
    lengths = std::make_unique<LengthTable>(MakeLengthTable(binding_.similarity, field));
  }
  double idf = 0;  // summed in double, as Lucene does
  for (BoundTerm& term : bound.terms) {
    term.idf = InverseDocumentFrequency(binding_.similarity, term.df, field.doc_count);
    idf += term.idf;
  }
  bound.idf = static_cast<float>(idf);
  bound.scorer = {binding_.similarity, bound.boost * bound.idf, lengths.get()};
}

absl::StatusOr<BoundPointer> Binder::Term(const Query& query, float boost) {
  PMDEX_ASSIGN_OR_RETURN(BoundTerm term, Find(query.field, query.text));
  auto bound = OfKind(term.df == 0 ? BoundKind::kNone : BoundKind::kTerm, boost);
  if (term.df == 0) return bound;
  bound->field = query.field;
  bound->terms.push_back(std::move(term));
  SetWeight(*bound);
  return bound;
}

absl::StatusOr<BoundPointer> Binder::Phrase(const Query& query, float boost) {
  if (query.terms.empty() || query.terms.size() != query.offsets.size()) {
    return InvalidArgument("a phrase needs an offset for each of its terms");
  }
  const auto segments = snapshot_.segments();
  if (!snapshot_.settings().positions ||
      !std::all_of(segments.begin(), segments.end(),
                   [](const auto& segment) { return segment->has_positions(); })) {
    return InvalidArgument("a phrase cannot be searched: the index was built with --positions off");
  }
  auto bound = OfKind(BoundKind::kPhrase, boost);
  bound->field = query.field;
  bound->offsets = query.offsets;
  bound->slop = query.slop;
  for (const std::string& term : query.terms) {
    PMDEX_ASSIGN_OR_RETURN(bound->terms.emplace_back(), Find(query.field, term));
    if (bound->terms.back().df == 0) return OfKind(BoundKind::kNone, boost);
  }
  SetWeight(*bound);
  return bound;
}

BoundPointer Binder::Constant(const Query& query, BoundKind kind, float boost) {
  if (!HasField(query.field)) return OfKind(BoundKind::kNone, boost);
  auto bound = OfKind(kind, boost);
  bound->field = query.field;
  bound->text = query.text;
  return bound;
}

absl::StatusOr<BoundPointer> Binder::Regexp(const Query& query, float boost) {
  RegexpProblem problem;
  RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
  auto automaton = query.regexp != nullptr ? query.regexp
                                           : RegexpAutomaton::Compile(query.text, budget, problem);
  if (automaton == nullptr) return InvalidArgument(problem.what);
  BoundPointer bound = Constant(query, BoundKind::kRegexp, boost);
  bound->regexp = std::move(automaton);
  return bound;
}

// All terms get the greatest df among them. Otherwise a misspelling, which is rare, would score
// more than the word.
absl::StatusOr<BoundPointer> Binder::Fuzzy(const Query& query, float boost) {
  PMDEX_ASSIGN_OR_RETURN(std::vector<FuzzyExpansion> expansions,
                         ExpandFuzzy(query, snapshot_, watch_));
  uint64_t df = 0;
  for (const FuzzyExpansion& expansion : expansions) df = std::max(df, expansion.term.df);
  auto bound = OfKind(BoundKind::kBoolean, boost);
  for (FuzzyExpansion& expansion : expansions) {
    auto term = OfKind(BoundKind::kTerm, boost * std::max(0.0f, expansion.similarity));
    term->field = query.field;
    term->terms.push_back(std::move(expansion.term));
    term->terms[0].df = df;
    SetWeight(*term);
    bound->clauses.push_back({Occur::kShould, std::move(term)});
  }
  if (bound->clauses.empty()) return OfKind(BoundKind::kNone, boost);
  if (bound->clauses.size() == 1) return std::move(bound->clauses[0].query);
  return bound;
}

}  // namespace

absl::StatusOr<QueryBinding> BindQuery(const Query& query, const Snapshot& snapshot,
                                       SimilarityKind kind, const Deadline& deadline) {
  QueryBinding binding;
  binding.snapshot = &snapshot;
  binding.similarity = kind;
  Binder binder(binding, deadline);
  PMDEX_ASSIGN_OR_RETURN(binding.root, binder.Bind(query, 1.0f, 0));
  if (!HasFiniteScores(query)) {
    return InvalidArgument("the boosts of the query make scores too large for a number");
  }
  binding.timed_out = binder.is_over();
  if (binding.timed_out) binding.root = OfKind(BoundKind::kNone, 1.0f);
  return binding;
}

}  // namespace pmdex
