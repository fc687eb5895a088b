#include "query/algorithm/leaf/leaf_factory.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "query/algorithm/leaf/column_leaf.h"
#include "query/algorithm/leaf/constant_leaf.h"
#include "query/algorithm/leaf/constant_score_leaf.h"
#include "query/algorithm/leaf/group_leaf.h"
#include "query/algorithm/leaf/listed_leaf.h"
#include "query/algorithm/leaf/max_leaf.h"
#include "query/algorithm/leaf/phrase_leaf.h"
#include "query/algorithm/leaf/phrase_prefix_docs.h"
#include "query/algorithm/leaf/term_leaf.h"
#include "query/columns/column_keys.h"
#include "query/cursor/verified_lists.h"

namespace pmdex {
namespace {

using LeafPointer = std::unique_ptr<Leaf>;

absl::StatusOr<LeafPointer> OpenTerm(const BoundQuery& query, SegmentContext& context) {
  const DictionaryEntry* entry = query.terms[0].entries[context.index];
  if (entry == nullptr) return nullptr;
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                         PostingsInTime(context.segment, *entry, ListParts::kScores, context.cursor,
                                        ListLoading::kByBlock));
  if (context.cursor.timed_out) return nullptr;
  return std::make_unique<TermLeaf>(list, query.scorer, context);
}

absl::StatusOr<LeafPointer> OpenPhrase(const BoundQuery& query, SegmentContext& context) {
  std::vector<PostingListView> lists;
  for (const BoundTerm& term : query.terms) {
    const DictionaryEntry* entry = term.entries[context.index];
    if (entry == nullptr) return nullptr;
    PMDEX_ASSIGN_OR_RETURN(lists.emplace_back(),
                           PostingsInTime(context.segment, *entry, ListParts::kAll, context.cursor,
                                          ListLoading::kByBlock));
    if (context.cursor.timed_out) return nullptr;
  }
  return std::make_unique<PhraseLeaf>(std::move(lists), query, context);
}

absl::StatusOr<LeafPointer> OpenField(const BoundQuery& query, SegmentContext& context) {
  const std::optional<FieldId> field = context.segment.FindField(query.field);
  if (!field.has_value()) return nullptr;
  const uint64_t documents = context.segment.fields()[*field].doc_count;
  if (documents == context.segment.doc_count()) {  // the length codes would say nothing
    return std::make_unique<AllLeaf>(query.boost, context.segment.doc_count());
  }
  PMDEX_ASSIGN_OR_RETURN(const std::span<const uint8_t> norms,
                         NormsInTime(context.segment, *field, context.cursor));
  if (context.cursor.timed_out) return nullptr;
  return std::make_unique<FieldLeaf>(norms, query.boost, documents);
}

absl::StatusOr<LeafPointer> OpenPattern(const BoundQuery& query, SegmentContext& context) {
  PMDEX_ASSIGN_OR_RETURN(std::shared_ptr<const DocSet> docs,
                         context.expansions.Expand(query, context.segment, context.cursor));
  return std::make_unique<DocSetLeaf>(std::move(docs), query.boost, context.segment.doc_count());
}

absl::StatusOr<LeafPointer> OpenRange(const BoundQuery& query, SegmentContext& context) {
  const ColumnView* const column = context.segment.FindColumn(query.field);
  if (column == nullptr) return nullptr;
  PMDEX_ASSIGN_OR_RETURN(ColumnKeys keys, FindKeys(*query.range, *column));
  if (keys.empty()) return nullptr;
  return std::make_unique<ColumnLeaf>(ColumnFilter(*column, std::move(keys)), query.boost, context);
}

absl::StatusOr<LeafPointer> OpenGroup(const BoundQuery& query, SegmentContext& context) {
  std::vector<GroupLeaf::Part> parts;
  size_t positives = 0;
  size_t optional = 0;
  bool has_required = false;
  for (const BoundClause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(LeafPointer leaf, OpenLeaf(*clause.query, context));
    if (leaf == nullptr && IsRequired(clause.occur)) return nullptr;
    if (leaf == nullptr) continue;
    positives += clause.occur != Occur::kMustNot ? 1 : 0;
    optional += clause.occur == Occur::kShould ? 1 : 0;
    has_required = has_required || IsRequired(clause.occur);
    parts.push_back({clause.occur, std::move(leaf)});
  }
  const uint32_t minimum = LeastShould(query.minimum_should_match, has_required);
  if (positives == 0 || optional < minimum) return nullptr;
  if (parts.size() == 1) return std::move(parts[0].leaf);
  return std::make_unique<GroupLeaf>(std::move(parts), minimum, context.cursor);
}

absl::StatusOr<LeafPointer> OpenMax(const BoundQuery& query, SegmentContext& context) {
  std::vector<LeafPointer> parts;
  for (const BoundClause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(LeafPointer leaf, OpenLeaf(*clause.query, context));
    if (leaf != nullptr) parts.push_back(std::move(leaf));
  }
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return std::move(parts[0]);
  return std::make_unique<MaxLeaf>(std::move(parts), query.tie_breaker, context.cursor);
}

absl::StatusOr<LeafPointer> OpenConstantScore(const BoundQuery& query, SegmentContext& context) {
  PMDEX_ASSIGN_OR_RETURN(LeafPointer docs, OpenLeaf(*query.clauses[0].query, context));
  if (docs == nullptr) return nullptr;
  return std::make_unique<ConstantScoreLeaf>(std::move(docs), query.boost);
}

absl::StatusOr<LeafPointer> OpenPhrasePrefix(const BoundQuery& query, SegmentContext& context) {
  std::vector<PostingListView> words, last;
  for (const std::vector<BoundTerm>* terms : {&query.terms, &query.expansions}) {
    std::vector<PostingListView>& lists = terms == &query.terms ? words : last;
    for (const BoundTerm& term : *terms) {
      const DictionaryEntry* entry = term.entries[context.index];
      if (entry == nullptr && terms == &query.terms) return nullptr;
      if (entry == nullptr) continue;
      PMDEX_ASSIGN_OR_RETURN(lists.emplace_back(),
                             PostingsInTime(context.segment, *entry, ListParts::kAll,
                                            context.cursor, ListLoading::kByBlock));
      if (context.cursor.timed_out) return nullptr;
    }
  }
  if (last.empty()) return nullptr;
  PhrasePrefixDocs found = FindPhrasePrefix(query, words, last, context);
  if (found.docs.empty() || context.cursor.timed_out) return nullptr;
  return std::make_unique<ListedLeaf>(std::move(found.docs), std::move(found.scores),
                                      context.segment.doc_count());
}

}  // namespace

absl::StatusOr<LeafPointer> OpenLeaf(const BoundQuery& query, SegmentContext& context) {
  constexpr uint64_t kOpenWork = 64;
  if (context.cursor.IsOver(kOpenWork)) return nullptr;
  switch (query.kind) {
    case BoundKind::kTerm:
      return OpenTerm(query, context);
    case BoundKind::kPhrase:
      return OpenPhrase(query, context);
    case BoundKind::kField:
      return OpenField(query, context);
    case BoundKind::kAll:
      return std::make_unique<AllLeaf>(query.boost, context.segment.doc_count());
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
    case BoundKind::kRegexp:
    case BoundKind::kIds:
      return OpenPattern(query, context);
    case BoundKind::kBoolean:
      return OpenGroup(query, context);
    case BoundKind::kPhrasePrefix:
      return OpenPhrasePrefix(query, context);
    case BoundKind::kRange:
      return OpenRange(query, context);
    case BoundKind::kConstantScore:
      return OpenConstantScore(query, context);
    case BoundKind::kDisjunctionMax:
      return OpenMax(query, context);
    case BoundKind::kNone:
      break;
  }
  return MakeStatus(absl::StatusCode::kInternal, "a bound query that is no leaf");
}

}  // namespace pmdex
