#include "query/planning/leaf_binder.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/segment/documents/norms.h"
#include "query/columns/column_range.h"
#include "query/columns/keyword_expansion.h"
#include "query/columns/value_bounds.h"
#include "query/expansion/fuzzy_expansion.h"
#include "query/expansion/prefix_terms.h"
#include "query/language/regexp_automaton.h"
#include "query/planning/bound_clauses.h"

namespace pmdex {
namespace {

BoundPointer NewRange(const Query& query, ColumnRange range, float boost) {
  auto bound = NewBoundQuery(BoundKind::kRange, boost);
  bound->field = query.field;
  bound->text = query.text;
  bound->range = std::make_shared<const ColumnRange>(std::move(range));
  return bound;
}

BoundPointer AnyOf(std::vector<BoundClause> clauses, float boost) {
  if (clauses.empty()) return NewBoundQuery(BoundKind::kNone, boost);
  if (clauses.size() == 1) return std::move(clauses[0].query);
  auto bound = NewBoundQuery(BoundKind::kBoolean, boost);
  bound->clauses = std::move(clauses);
  return bound;
}

}  // namespace

bool LeafBinder::HasField(const std::string& field) const {
  const auto names = snapshot_.field_names();
  return std::binary_search(names.begin(), names.end(), field);
}

// A query that searches one field.
absl::StatusOr<BoundPointer> LeafBinder::Bind(const Query& query, float boost) {
  switch (query.kind) {
    case QueryKind::kTerm:
      return Term(query, boost);
    case QueryKind::kPhrase:
      return Phrase(query, boost);
    case QueryKind::kPhrasePrefix:
      return PhrasePrefix(query, boost);
    case QueryKind::kExists:
      return Constant(query, BoundKind::kField, boost);
    case QueryKind::kPrefix:
      return Constant(query, query.text.empty() ? BoundKind::kField : BoundKind::kPrefix, boost);
    case QueryKind::kWildcard:
      return Constant(query, BoundKind::kWildcard, boost);
    case QueryKind::kRegexp:
      return Regexp(query, boost);
    case QueryKind::kFuzzy:
      return Fuzzy(query, boost);
    case QueryKind::kRange:
      return Range(query, boost);
    default:
      return MakeStatus(absl::StatusCode::kInternal, "unknown kind of query");
  }
}

// A term without documents once the deadline has come.
absl::StatusOr<BoundTerm> LeafBinder::Find(const std::string& field, std::string_view term) {
  constexpr uint64_t kFindWork = 32;
  const auto segments = snapshot_.segments();
  BoundTerm bound;
  HashedTerm hashed(term);
  DictionaryTable first = DictionaryTable::kRare;
  DictionaryEntry entry;
  const std::span<const FieldId> ids = snapshot_.field_ids(field);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (watch_.IsOver(kFindWork)) return BoundTerm();
    if (ids[i] == kNoField) continue;
    const auto found = segments[i]->Find(ids[i], hashed, first, entry);
    if (!found.ok()) return segments[i]->Checked(found.status());
    if (!*found) continue;
    // Allocated late, because most fields do not have most words.
    if (bound.entries.size() == 0) bound.entries.Resize(segments.size());
    bound.entries.Set(i, entry);
    bound.df += entry.df;
    // A word is mostly as frequent in one segment as in the next.
    first = IsInline(entry.representation) ? DictionaryTable::kRare : DictionaryTable::kFrequent;
  }
  if (bound.df != 0) bound.text = term;
  return bound;
}

// Requires the final df of each term.
void LeafBinder::SetWeight(BoundQuery& bound) {
  const FieldStatistics field = snapshot_.field_statistics(bound.field);
  auto& lengths = binding_.lengths[bound.field];
  if (lengths == nullptr) {
    lengths = std::make_unique<LengthTable>(MakeLengthTable(binding_.similarity, field));
  }
  double idf = 0;  // summed in double, as Lucene does
  for (std::vector<BoundTerm>* terms : {&bound.terms, &bound.expansions}) {
    for (BoundTerm& term : *terms) {
      term.idf = InverseDocumentFrequency(binding_.similarity, term.df, field.doc_count);
      idf += term.idf;
    }
  }
  bound.idf = static_cast<float>(idf);
  bound.scorer = {binding_.similarity.kind, bound.boost * bound.idf, lengths.get(),
                  binding_.similarity.formulas};
}

absl::StatusOr<BoundPointer> LeafBinder::Term(const Query& query, float boost) {
  PMDEX_ASSIGN_OR_RETURN(BoundTerm term, Find(query.field, query.text));
  auto bound = NewBoundQuery(term.df == 0 ? BoundKind::kNone : BoundKind::kTerm, boost);
  if (term.df == 0) return bound;
  bound->field = query.field;
  bound->terms.push_back(std::move(term));
  SetWeight(*bound);
  return bound;
}

absl::Status LeafBinder::CheckPhrase(const Query& query) const {
  if (query.terms.empty() || query.terms.size() != query.offsets.size()) {
    return InvalidArgument("a phrase needs an offset for each of its terms");
  }
  const auto segments = snapshot_.segments();
  if (!snapshot_.settings().positions ||
      !std::all_of(segments.begin(), segments.end(),
                   [](const auto& segment) { return segment->has_positions(); })) {
    return InvalidArgument("a phrase cannot be searched: the index was built with --positions off");
  }
  return absl::OkStatus();
}

absl::StatusOr<BoundPointer> LeafBinder::Phrase(const Query& query, float boost) {
  PMDEX_RETURN_IF_ERROR(CheckPhrase(query));
  auto bound = NewBoundQuery(BoundKind::kPhrase, boost);
  bound->field = query.field;
  bound->offsets = query.offsets;
  bound->slop = query.slop;
  for (const std::string& term : query.terms) {
    PMDEX_ASSIGN_OR_RETURN(bound->terms.emplace_back(), Find(query.field, term));
    if (bound->terms.back().df == 0) return NewBoundQuery(BoundKind::kNone, boost);
  }
  SetWeight(*bound);
  return bound;
}

// Lucene's MultiPhraseQuery: the idf is the sum over all words and expansions. A prefix alone is a
// boolean of its expansions.
absl::StatusOr<BoundPointer> LeafBinder::PhrasePrefix(const Query& query, float boost) {
  PMDEX_RETURN_IF_ERROR(CheckPhrase(query));
  auto bound = NewBoundQuery(BoundKind::kPhrasePrefix, boost);
  for (size_t i = 0; i + 1 < query.terms.size(); ++i) {
    PMDEX_ASSIGN_OR_RETURN(bound->terms.emplace_back(), Find(query.field, query.terms[i]));
    if (bound->terms.back().df == 0) return NewBoundQuery(BoundKind::kNone, boost);
  }
  PMDEX_ASSIGN_OR_RETURN(bound->expansions, ExpandPrefix(query.field, query.terms.back(),
                                                         query.max_expansions, snapshot_, watch_));
  if (bound->expansions.empty()) return NewBoundQuery(BoundKind::kNone, boost);
  if (query.terms.size() == 1) return AnyTerm(std::move(bound->expansions), query, boost);
  bound->field = query.field;
  bound->text = query.terms.back();
  bound->offsets = query.offsets;
  bound->slop = query.slop;
  if (bound->expansions.size() == 1) {
    bound->kind = BoundKind::kPhrase;
    bound->terms.push_back(std::move(bound->expansions[0]));
    bound->expansions.clear();
  }
  SetWeight(*bound);
  return bound;
}

// A boolean of terms that are looked up already. Each is weighted by its own df.
BoundPointer LeafBinder::AnyTerm(std::vector<BoundTerm> terms, const Query& query, float boost) {
  std::vector<BoundClause> clauses;
  for (BoundTerm& term : terms) {
    auto bound = NewBoundQuery(BoundKind::kTerm, boost);
    bound->field = query.field;
    bound->terms.push_back(std::move(term));
    SetWeight(*bound);
    clauses.push_back({Occur::kShould, std::move(bound)});
  }
  return BooleanOf(std::move(clauses), 0, boost);
}

BoundPointer LeafBinder::Constant(const Query& query, BoundKind kind, float boost) {
  if (!HasField(query.field)) return NewBoundQuery(BoundKind::kNone, boost);
  auto bound = NewBoundQuery(kind, boost);
  bound->field = query.field;
  bound->text = query.text;
  return bound;
}

BoundPointer LeafBinder::Range(const Query& query, float boost) {
  const auto segments = snapshot_.segments();
  const bool has_column = query.range != nullptr &&
                          std::any_of(segments.begin(), segments.end(), [&](const auto& segment) {
                            return segment->FindColumn(query.field) != nullptr;
                          });
  if (!has_column) return NewBoundQuery(BoundKind::kNone, boost);
  auto bound = NewBoundQuery(BoundKind::kRange, boost);
  bound->field = query.field;
  bound->text = query.text;
  bound->range = query.range;
  return bound;
}

absl::StatusOr<BoundPointer> LeafBinder::Regexp(const Query& query, float boost) {
  RegexpProblem problem;
  RegexpBudget budget(RegexpAutomaton::kStepsPerQuery);
  auto automaton = query.regexp != nullptr ? query.regexp
                                           : RegexpAutomaton::Compile(query.text, budget, problem);
  if (automaton == nullptr) return InvalidArgument(problem.what);
  if (!HasField(query.field) && HasKeywords(snapshot_, query.field)) {
    return NewRange(query, MakeRegexp(std::move(automaton)), boost);
  }
  BoundPointer bound = Constant(query, BoundKind::kRegexp, boost);
  bound->regexp = std::move(automaton);
  return bound;
}

// All terms get the greatest df among them. Otherwise a misspelling, which is rare, would score
// more than the word.
absl::StatusOr<BoundPointer> LeafBinder::Fuzzy(const Query& query, float boost) {
  if (!HasField(query.field) && HasKeywords(snapshot_, query.field)) {
    return FuzzyKeyword(query, boost);
  }
  PMDEX_ASSIGN_OR_RETURN(std::vector<FuzzyExpansion> expansions,
                         ExpandFuzzy(query, snapshot_, watch_));
  uint64_t df = 0;
  for (const FuzzyExpansion& expansion : expansions) df = std::max(df, expansion.term.df);
  std::vector<BoundClause> clauses;
  for (FuzzyExpansion& expansion : expansions) {
    auto term = NewBoundQuery(BoundKind::kTerm, boost * std::max(0.0f, expansion.similarity));
    term->field = query.field;
    term->terms.push_back(std::move(expansion.term));
    term->terms[0].df = df;
    SetWeight(*term);
    clauses.push_back({Occur::kShould, std::move(term)});
  }
  return AnyOf(std::move(clauses), boost);
}

// A keyword scores like a term that its document has once, in a field without norms.
absl::StatusOr<BoundPointer> LeafBinder::FuzzyKeyword(const Query& query, float boost) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<KeywordExpansion> expansions,
                         ExpandFuzzyKeyword(query, snapshot_, watch_));
  uint64_t df = 0;
  for (const KeywordExpansion& expansion : expansions) df = std::max(df, expansion.df);
  const FieldStatistics field = KeywordStatistics(snapshot_, query.field);
  const LengthTable lengths = MakeLengthTable(binding_.similarity, field);
  const float idf = InverseDocumentFrequency(binding_.similarity, df, field.doc_count);
  std::vector<BoundClause> clauses;
  for (const KeywordExpansion& expansion : expansions) {
    const float weight = boost * std::max(0.0f, expansion.similarity) * idf;
    const TermScorer scorer{binding_.similarity.kind, weight, &lengths,
                            binding_.similarity.formulas};
    ColumnRange range = MakeEquality(FieldType::kKeyword, expansion.keyword, 0).range;
    BoundPointer keyword = NewRange(query, std::move(range), scorer.Score(1, EncodeLength(1)));
    keyword->text = expansion.keyword;
    clauses.push_back({Occur::kShould, std::move(keyword)});
  }
  return AnyOf(std::move(clauses), boost);
}

}  // namespace pmdex
