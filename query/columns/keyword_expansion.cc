#include "query/columns/keyword_expansion.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "engine/analysis/code_points.h"
#include "query/columns/column_filter.h"
#include "query/columns/column_keys.h"
#include "query/columns/value_bounds.h"
#include "query/expansion/fuzzy_automaton.h"
#include "query/expansion/fuzzy_expansion.h"
#include "query/expansion/term_pattern.h"

namespace pmdex {
namespace {

// In the watch's units of work.
constexpr uint64_t kKeywordWork = 4;
constexpr uint64_t kPlacesPerWork = 16;

const ColumnView* KeywordsOf(const Segment& segment, std::string_view field) {
  const ColumnView* const column = segment.FindColumn(field);
  return column != nullptr && column->type() == FieldType::kKeyword ? column : nullptr;
}

// The most similar keywords that were offered, each once.
class NearestKeywords {
 public:
  explicit NearestKeywords(size_t most) : most_(most) {}

  void Offer(std::string_view keyword, float similarity) {
    if (kept_.size() == most_) {
      const auto& [distance, last] = *kept_.rbegin();
      if (-similarity > distance || (-similarity == distance && keyword >= last)) return;
    }
    kept_.emplace(-similarity, keyword);
    if (kept_.size() > most_) kept_.erase(std::prev(kept_.end()));
  }

  std::vector<KeywordExpansion> All() const {
    std::vector<KeywordExpansion> all;
    for (const auto& [distance, keyword] : kept_) all.push_back({keyword, -distance, 0});
    return all;
  }

 private:
  const size_t most_;
  std::set<std::pair<float, std::string>> kept_;  // by the similarity with its sign changed
};

// The edits between the automaton's word and the keyword; nullopt if they are too many.
std::optional<uint32_t> EditsTo(std::string_view keyword, const FuzzyAutomaton& automaton) {
  FuzzyAutomaton::State state = FuzzyAutomaton::kStart;
  size_t depth = 0;
  for (size_t at = 0; at < keyword.size(); ++depth) {
    const size_t size_bytes = CodePointBytes(keyword.substr(at));
    const uint32_t character = DecodeCodePoint(keyword.substr(at), size_bytes);
    state = automaton.Step(state, depth, character);
    if (state == FuzzyAutomaton::kDead) return std::nullopt;
    at += size_bytes;
  }
  return automaton.Distance(state, depth);
}

absl::Status OfferKeywords(const Query& query, const ColumnView& column, uint32_t edits,
                           DeadlineWatch& watch, NearestKeywords& nearest) {
  const FuzzyAutomaton automaton(query.text, edits);
  const FuzzyPattern pattern(query.text, edits);
  PMDEX_ASSIGN_OR_RETURN(const ColumnKeys keys, FindKeys(MakePrefix(FixedPrefix(query)), column));
  for (uint64_t key = keys.low; key <= keys.high && !watch.IsOver(kKeywordWork); ++key) {
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, column.Keyword(key));
    const std::optional<uint32_t> distance = EditsTo(keyword, automaton);
    if (distance.has_value()) nearest.Offer(keyword, pattern.Similarity(keyword, *distance));
  }
  return absl::OkStatus();
}

// Where a column has several values a document, a document may have a keyword twice, and a few
// places at both ends may be those of other keywords.
absl::StatusOr<uint64_t> CountDocuments(const ColumnView& column, uint64_t key, uint32_t doc_count,
                                        DeadlineWatch& watch) {
  PMDEX_ASSIGN_OR_RETURN(const ColumnView::OrderRange order, column.FindInOrder(key, key));
  if (!column.is_multi()) return order.end - order.begin;
  if (watch.IsOver((order.end - order.begin) / kPlacesPerWork)) return 0;
  PMDEX_ASSIGN_OR_RETURN(const std::span<const DocId> certain,
                         column.DocsInOrder(order.certain_begin, order.certain_end));
  uint64_t count = 0;
  for (size_t i = 0; i < certain.size(); ++i) count += i == 0 || certain[i] != certain[i - 1];
  const ColumnFilter filter(column, {key, key, {}});
  std::set<DocId> others;
  for (const auto& [begin, end] :
       {std::pair(order.begin, order.certain_begin), std::pair(order.certain_end, order.end)}) {
    PMDEX_ASSIGN_OR_RETURN(const std::span<const DocId> docs, column.DocsInOrder(begin, end));
    for (const DocId doc : docs) {
      if (doc >= doc_count) return column.Damage(0, "the order has a document that there is not");
      PMDEX_ASSIGN_OR_RETURN(const bool contains, filter.Contains(doc));
      if (contains && !std::binary_search(certain.begin(), certain.end(), doc)) others.insert(doc);
    }
  }
  return count + others.size();
}

absl::Status AddDocuments(const Segment& segment, const ColumnView& column, DeadlineWatch& watch,
                          std::vector<KeywordExpansion>& expansions) {
  for (KeywordExpansion& expansion : expansions) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, column.FirstKeywordFrom(expansion.keyword));
    if (key >= column.keyword_count()) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view keyword, column.Keyword(key));
    if (keyword != expansion.keyword) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t df,
                           CountDocuments(column, key, segment.doc_count(), watch));
    expansion.df += df;
  }
  return absl::OkStatus();
}

}  // namespace

bool HasKeywords(const Snapshot& snapshot, std::string_view field) {
  const auto segments = snapshot.segments();
  return std::any_of(segments.begin(), segments.end(), [field](const auto& segment) {
    return KeywordsOf(*segment, field) != nullptr;
  });
}

FieldStatistics KeywordStatistics(const Snapshot& snapshot, std::string_view field) {
  FieldStatistics statistics;
  for (const auto& segment : snapshot.segments()) {
    const ColumnView* const column = KeywordsOf(*segment, field);
    if (column == nullptr) continue;
    statistics.doc_count += column->doc_count();
    statistics.token_count += column->value_count();
    statistics.posting_count += column->value_count();
  }
  return statistics;
}

absl::StatusOr<std::vector<KeywordExpansion>> ExpandFuzzyKeyword(const Query& query,
                                                                 const Snapshot& snapshot,
                                                                 DeadlineWatch& watch) {
  PMDEX_ASSIGN_OR_RETURN(const size_t most, MostFuzzyTerms(query));
  if (most == 0) return std::vector<KeywordExpansion>();
  NearestKeywords nearest(most);
  const uint32_t edits = query.text.empty() ? 0 : query.edits;
  for (const auto& segment : snapshot.segments()) {
    const ColumnView* const column = KeywordsOf(*segment, query.field);
    if (column == nullptr) continue;
    PMDEX_RETURN_IF_ERROR(segment->Checked(OfferKeywords(query, *column, edits, watch, nearest)));
  }
  std::vector<KeywordExpansion> expansions = nearest.All();
  for (const auto& segment : snapshot.segments()) {
    const ColumnView* const column = KeywordsOf(*segment, query.field);
    if (column == nullptr) continue;
    PMDEX_RETURN_IF_ERROR(segment->Checked(AddDocuments(*segment, *column, watch, expansions)));
  }
  return expansions;
}

}  // namespace pmdex
