#include "query/term_expansion.h"

#include <array>
#include <optional>
#include <string_view>

#include "pmem/prefetch.h"
#include "query/term_pattern.h"

namespace pmdex {
namespace {

// Lists that are added together: their slots lie anywhere in the dictionary, and their lanes
// anywhere in the segment, so each is fetched while the others are looked at.
class ListBatch {
 public:
  ListBatch(const Segment& segment, CursorContext& context, DeadlineWatch& watch, DocSet& docs)
      : segment_(segment), context_(context), watch_(watch), docs_(docs) {}

  absl::Status Add(const TermSlot* slot) {
    // From so many on, single pages cost a disk more than all.
    constexpr uint64_t kOneOf = 8;
    const uint64_t pages = PagesOf(segment_.dictionary().slots().size_bytes());
    segment_.dictionary().Fetch(slot, ++added_ > pages / kOneOf);
    slots_[count_++] = slot;
    return count_ == slots_.size() ? Flush() : absl::OkStatus();
  }

  absl::Status Flush() {
    std::array<DocumentsView, kLists> lists;
    for (size_t i = 0; i < count_; ++i) {
      PMDEX_ASSIGN_OR_RETURN(slots_[i], segment_.dictionary().Verified(slots_[i]));
      segment_.PrefetchDocuments(*slots_[i]);
    }
    for (size_t i = 0; i < count_; ++i) {
      PMDEX_ASSIGN_OR_RETURN(lists[i], segment_.Documents(*slots_[i]));
      if (lists[i].docids != nullptr) PrefetchLine(lists[i].docids);
    }
    for (size_t i = 0; i < count_ && !watch_.IsOver(WorkOf(lists[i])); ++i) {
      docs_.Add(lists[i], context_);
    }
    count_ = 0;
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kLists = 128;

  static uint64_t WorkOf(const DocumentsView& list) { return 32 + list.df / 16; }

  const Segment& segment_;
  CursorContext& context_;
  DeadlineWatch& watch_;
  DocSet& docs_;
  std::array<const TermSlot*, kLists> slots_;
  size_t count_ = 0;
  uint64_t added_ = 0;  // in all
};

absl::Status AddTerms(const BoundQuery& query, const Segment& segment, FieldId field,
                      DeadlineWatch& watch, ListBatch& lists) {
  std::optional<WildcardPattern> pattern;
  if (query.kind == BoundKind::kWildcard) pattern.emplace(query.text);
  const std::string_view prefix = pattern.has_value() ? pattern->literal_prefix() : query.text;
  TermIterator terms(segment.dictionary(), field);
  for (bool more = terms.Seek(prefix); more && terms.term().starts_with(prefix);
       more = terms.Next()) {
    if (watch.IsOver(1)) return absl::OkStatus();
    if (pattern.has_value() && !pattern->Matches(terms.term())) continue;
    PMDEX_RETURN_IF_ERROR(lists.Add(terms.unverified_slot()));
  }
  PMDEX_RETURN_IF_ERROR(terms.status());
  return lists.Flush();
}

}  // namespace

absl::StatusOr<DocSet> ExpandTerms(const BoundQuery& query, const Segment& segment,
                                   CursorContext& context) {
  DocSet docs(segment.doc_count());
  DeadlineWatch watch(context.deadline);
  ListBatch lists(segment, context, watch, docs);
  const std::optional<FieldId> field = segment.FindField(query.field);
  if (field.has_value()) PMDEX_RETURN_IF_ERROR(AddTerms(query, segment, *field, watch, lists));
  context.timed_out = context.timed_out || watch.is_over();
  docs.Finish();
  return docs;
}

}  // namespace pmdex
