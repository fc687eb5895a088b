#include "query/term_expansion.h"

#include <optional>
#include <string_view>

#include "query/term_pattern.h"

namespace pmdex {

absl::StatusOr<DocSet> ExpandTerms(const BoundQuery& query, const Segment& segment,
                                   CursorContext& context) {
  DocSet docs(segment.doc_count());
  const std::optional<FieldId> field = segment.FindField(query.field);
  if (field.has_value()) {
    std::optional<WildcardPattern> pattern;
    if (query.kind == BoundKind::kWildcard) pattern.emplace(query.text);
    const std::string_view prefix = pattern.has_value() ? pattern->literal_prefix() : query.text;
    TermIterator terms(segment.dictionary(), *field);
    for (bool more = terms.Seek(prefix); more && terms.term().starts_with(prefix);
         more = terms.Next()) {
      if (pattern.has_value() && !pattern->Matches(terms.term())) continue;
      PMDEX_ASSIGN_OR_RETURN(const TermSlot* slot, terms.slot());
      PMDEX_ASSIGN_OR_RETURN(const PostingListView list, segment.Postings(*slot));
      docs.Add(list, context);
    }
    PMDEX_RETURN_IF_ERROR(terms.status());
  }
  docs.Finish();
  return docs;
}

}  // namespace pmdex
