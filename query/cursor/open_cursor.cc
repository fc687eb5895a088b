#include "query/cursor/open_cursor.h"

#include <optional>
#include <utility>

#include "query/columns/column_keys.h"
#include "query/cursor/all_cursor.h"
#include "query/cursor/column_cursor.h"
#include "query/cursor/conjunction_cursor.h"
#include "query/cursor/constant_score_cursor.h"
#include "query/cursor/doc_set.h"
#include "query/cursor/exact_phrase.h"
#include "query/cursor/exclusion_cursor.h"
#include "query/cursor/phrase_cursor.h"
#include "query/cursor/phrase_prefix_cursor.h"
#include "query/cursor/term_cursor.h"
#include "query/cursor/union_cursor.h"
#include "query/cursor/verified_lists.h"
#include "query/expansion/term_expansion.h"

namespace pmdex {
namespace {

class Opener {
 public:
  Opener(const Segment& segment, size_t segment_index, CursorContext& context)
      : segment_(segment), index_(segment_index), context_(context) {}

  absl::StatusOr<CursorPointer> Open(const BoundQuery& query);

 private:
  absl::StatusOr<CursorPointer> Term(const BoundQuery& query);
  absl::StatusOr<CursorPointer> Phrase(const BoundQuery& query);
  absl::StatusOr<CursorPointer> PhrasePrefix(const BoundQuery& query);
  absl::StatusOr<CursorPointer> ConstantScore(const BoundQuery& query);
  absl::StatusOr<CursorPointer> DisjunctionMax(const BoundQuery& query);
  absl::StatusOr<CursorPointer> Field(const BoundQuery& query);
  absl::StatusOr<CursorPointer> Range(const BoundQuery& query);
  absl::StatusOr<CursorPointer> Terms(const BoundQuery& query);
  absl::StatusOr<CursorPointer> Boolean(const BoundQuery& query);
  absl::StatusOr<CursorPointer> Positive(const BoundQuery& query);

  const Segment& segment_;
  size_t index_;
  CursorContext& context_;
};

absl::StatusOr<CursorPointer> Opener::Open(const BoundQuery& query) {
  constexpr uint64_t kOpenWork = 64;
  if (context_.IsOver(kOpenWork)) return std::make_unique<EmptyCursor>();
  switch (query.kind) {
    case BoundKind::kNone:
      return std::make_unique<EmptyCursor>();
    case BoundKind::kAll:
      return std::make_unique<AllCursor>(segment_.doc_count(), query.boost);
    case BoundKind::kTerm:
      return Term(query);
    case BoundKind::kPhrase:
      return Phrase(query);
    case BoundKind::kField:
      return Field(query);
    case BoundKind::kPrefix:
    case BoundKind::kWildcard:
    case BoundKind::kRegexp:
    case BoundKind::kIds:
      return Terms(query);
    case BoundKind::kPhrasePrefix:
      return PhrasePrefix(query);
    case BoundKind::kRange:
      return Range(query);
    case BoundKind::kBoolean:
      return Boolean(query);
    case BoundKind::kConstantScore:
      return ConstantScore(query);
    case BoundKind::kDisjunctionMax:
      return DisjunctionMax(query);
  }
  return MakeStatus(absl::StatusCode::kInternal, "unknown kind of bound query");
}

absl::StatusOr<CursorPointer> Opener::Term(const BoundQuery& query) {
  const DictionaryEntry* entry = query.terms[0].entries[index_];
  if (entry == nullptr) return std::make_unique<EmptyCursor>();
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                         PostingsInTime(segment_, *entry, ListParts::kAll, context_));
  return NewTermCursor(list, query.scorer, context_);
}

absl::StatusOr<CursorPointer> Opener::Phrase(const BoundQuery& query) {
  std::vector<PostingListView> lists;
  for (const BoundTerm& term : query.terms) {
    if (term.entries[index_] == nullptr) return std::make_unique<EmptyCursor>();
    PMDEX_ASSIGN_OR_RETURN(
        const PostingListView list,
        PostingsInTime(segment_, *term.entries[index_], ListParts::kAll, context_));
    lists.push_back(list);
  }
  if (query.slop == 0) {
    return std::make_unique<PhraseCursor<ExactPhraseMatcher>>(
        lists, ExactPhraseMatcher(query.offsets), query.scorer, context_);
  }
  return std::make_unique<PhraseCursor<SloppyPhraseMatcher>>(lists, SloppyMatcherOf(query),
                                                             query.scorer, context_);
}

absl::StatusOr<CursorPointer> Opener::PhrasePrefix(const BoundQuery& query) {
  std::vector<PostingListView> words, last;
  for (const BoundTerm& term : query.terms) {
    if (term.entries[index_] == nullptr) return std::make_unique<EmptyCursor>();
    PMDEX_ASSIGN_OR_RETURN(words.emplace_back(), PostingsInTime(segment_, *term.entries[index_],
                                                                ListParts::kAll, context_));
  }
  for (const BoundTerm& term : query.expansions) {
    if (term.entries[index_] == nullptr) continue;
    PMDEX_ASSIGN_OR_RETURN(last.emplace_back(), PostingsInTime(segment_, *term.entries[index_],
                                                               ListParts::kAll, context_));
  }
  if (last.empty() || context_.timed_out) return std::make_unique<EmptyCursor>();
  if (query.slop == 0) {
    return std::make_unique<PhrasePrefixCursor<ExactPhraseMatcher>>(
        words, last, ExactPhraseMatcher(query.offsets), query.scorer, context_);
  }
  return std::make_unique<PhrasePrefixCursor<SloppyPhraseMatcher>>(
      words, last, SloppyMatcherOf(query), query.scorer, context_);
}

absl::StatusOr<CursorPointer> Opener::ConstantScore(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(CursorPointer docs, Open(*query.clauses[0].query));
  return std::make_unique<ConstantScoreCursor>(std::move(docs), query.boost);
}

absl::StatusOr<CursorPointer> Opener::DisjunctionMax(const BoundQuery& query) {
  std::vector<CursorPointer> cursors;
  for (const BoundClause& clause : query.clauses) {
    PMDEX_ASSIGN_OR_RETURN(cursors.emplace_back(), Open(*clause.query));
  }
  return std::make_unique<UnionCursor>(std::move(cursors), 1, query.tie_breaker, &context_);
}

absl::StatusOr<CursorPointer> Opener::Range(const BoundQuery& query) {
  const ColumnView* const column = segment_.FindColumn(query.field);
  if (column == nullptr) return std::make_unique<EmptyCursor>();
  PMDEX_ASSIGN_OR_RETURN(ColumnKeys keys, FindKeys(*query.range, *column));
  if (keys.empty()) return std::make_unique<EmptyCursor>();
  return std::make_unique<ColumnCursor>(*column, std::move(keys), query.boost, context_);
}

absl::StatusOr<CursorPointer> Opener::Field(const BoundQuery& query) {
  const std::optional<FieldId> field = segment_.FindField(query.field);
  if (!field.has_value()) return std::make_unique<EmptyCursor>();
  PMDEX_ASSIGN_OR_RETURN(const std::span<const uint8_t> norms,
                         NormsInTime(segment_, *field, context_));
  return std::make_unique<FieldCursor>(norms, query.boost);
}

absl::StatusOr<CursorPointer> Opener::Terms(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(DocSet docs, ExpandTerms(query, segment_, context_));
  return std::make_unique<DocSetCursor>(std::move(docs), query.boost);
}

absl::StatusOr<CursorPointer> Opener::Boolean(const BoundQuery& query) {
  PMDEX_ASSIGN_OR_RETURN(CursorPointer included, Positive(query));
  std::vector<CursorPointer> excluded;
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur != Occur::kMustNot) continue;
    PMDEX_ASSIGN_OR_RETURN(excluded.emplace_back(), Open(*clause.query));
  }
  if (excluded.empty()) return included;
  CursorPointer any = excluded.size() == 1 ? std::move(excluded[0])
                                           : std::make_unique<UnionCursor>(std::move(excluded));
  return std::make_unique<ExclusionCursor>(std::move(included), std::move(any), &context_);
}

absl::StatusOr<CursorPointer> Opener::Positive(const BoundQuery& query) {
  bool has_required = false;
  std::vector<ConjunctionCursor::Clause> clauses;
  for (const BoundClause& clause : query.clauses) {
    if (clause.occur == Occur::kMustNot) continue;
    const bool required = IsRequired(clause.occur);
    has_required = has_required || required;
    PMDEX_ASSIGN_OR_RETURN(CursorPointer cursor, Open(*clause.query));
    clauses.push_back({required, std::move(cursor), IsScored(clause.occur)});
  }
  if (clauses.size() == 1) return std::move(clauses[0].cursor);
  const uint32_t minimum = LeastShould(query.minimum_should_match, has_required);
  if (has_required) {
    return std::make_unique<ConjunctionCursor>(std::move(clauses), &context_, minimum);
  }
  std::vector<CursorPointer> cursors;
  for (ConjunctionCursor::Clause& clause : clauses) cursors.push_back(std::move(clause.cursor));
  return std::make_unique<UnionCursor>(std::move(cursors), minimum, std::nullopt, &context_);
}

}  // namespace

SloppyPhraseMatcher SloppyMatcherOf(const BoundQuery& phrase) {
  std::vector<std::string> words, last;
  for (const BoundTerm& term : phrase.terms) words.push_back(term.text);
  if (phrase.kind == BoundKind::kPhrase) {
    return SloppyPhraseMatcher(words, phrase.offsets, phrase.slop);
  }
  for (const BoundTerm& term : phrase.expansions) last.push_back(term.text);
  return SloppyPhraseMatcher(words, last, phrase.offsets, phrase.slop);
}

absl::StatusOr<CursorPointer> OpenCursor(const BoundQuery& query, const Segment& segment,
                                         size_t segment_index, CursorContext& context) {
  return Opener(segment, segment_index, context).Open(query);
}

}  // namespace pmdex
