#include "query/expansion/term_expansion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "query/deadline.h"
#include "query/expansion/regexp_terms.h"
#include "query/expansion/term_pattern.h"

namespace pmdex {
namespace {

// Called for millions of terms with prefixes of a few bytes, where a call of memcmp costs more than
// this loop.
bool BeginsWith(std::string_view term, std::string_view prefix) {
  if (term.size() < prefix.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (term[i] != prefix[i]) return false;
  }
  return true;
}

// Prefetches from a section that is read forward, from one place to an unknown end. It asks for as
// many bytes as were read so far: a long read then seldom waits, and a short one fetches little in
// vain.
class ReadAhead {
 public:
  ReadAhead(const Segment& segment, SectionKind kind) : view_(segment.view()), kind_(kind) {}

  // To be told how far reading has come. at: in the section; not before the previous call's.
  void Reached(const std::byte* at) {
    constexpr uint64_t kLeast = 64 << 10;
    constexpr uint64_t kMost = 1 << 20;
    const auto offset = static_cast<uint64_t>(at - view_.RawSection(kind_).data());
    if (offset < next_) return;
    if (first_ == kNowhere) {
      first_ = offset;
      next_ = offset + kLeast;
      return;
    }
    const uint64_t ahead = std::min(offset - first_, kMost);
    view_.Prefetch(kind_, offset, ahead);
    next_ = offset + ahead / 2;
  }

 private:
  static constexpr uint64_t kNowhere = UINT64_MAX;

  const SegmentView& view_;
  const SectionKind kind_;
  uint64_t first_ = kNowhere;
  uint64_t next_ = 0;  // the next prefetch happens from this offset on
};

// Adds posting lists to a set in batches: the lists of a batch are prefetched before the first of
// them is read.
class ListBatch {
 public:
  ListBatch(const Segment& segment, bool are_neighbours, CursorContext& context,
            DeadlineWatch& watch, DocSet& docs)
      : segment_(segment),
        are_neighbours_(are_neighbours),
        context_(context),
        watch_(watch),
        docs_(docs),
        ahead_(segment, segment.view().extents()) {}

  absl::Status Add(const DocumentsPlace& place) {
    PMDEX_ASSIGN_OR_RETURN(lists_[count_], segment_.LocateDocuments(place));
    if (place.is_inline) {
      docs_.Add(lists_[count_], context_);
      return absl::OkStatus();
    }
    if (are_neighbours_) ahead_.Reached(lists_[count_].mapped.data());
    segment_.FetchDocuments(lists_[count_]);
    return ++count_ == lists_.size() ? Flush() : absl::OkStatus();
  }

  absl::Status Flush() {
    for (size_t i = 0; i < count_ && !watch_.IsOver(WorkOf(lists_[i])); ++i) {
      if (lists_[i].docids == nullptr && lists_[i].bits == nullptr) {
        PMDEX_RETURN_IF_ERROR(AddUnits(lists_[i]));
        continue;
      }
      if (lists_[i].mapped.size() > kPieceBytes) {
        PMDEX_RETURN_IF_ERROR(AddInPieces(lists_[i]));
        continue;
      }
      PMDEX_RETURN_IF_ERROR(segment_.VerifyDocuments(lists_[i]));
      docs_.Add(lists_[i], context_);
    }
    count_ = 0;
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kLists = 128;
  static constexpr size_t kPieceBytes = 256 << 10;

  // Adds a long list piece by piece, and checks the deadline before each.
  absl::Status AddInPieces(const DocumentsView& list) {
    constexpr uint64_t kPieceWork = kPieceBytes / 50;
    for (size_t at = 0; at < list.mapped.size(); at += kPieceBytes) {
      if (watch_.IsOver(kPieceWork)) return absl::OkStatus();
      DocumentsView piece;
      piece.mapped = list.mapped.subspan(at, std::min(kPieceBytes, list.mapped.size() - at));
      PMDEX_RETURN_IF_ERROR(segment_.VerifyDocuments(piece));
      if (list.bits != nullptr) continue;
      piece.df = static_cast<uint32_t>(piece.mapped.size() / sizeof(DocId));
      piece.docids = list.docids + at / sizeof(DocId);
      docs_.Add(piece, context_);
    }
    if (list.bits != nullptr) docs_.Add(list, context_);
    return absl::OkStatus();
  }

  // Adds a compressed list unit by unit.
  absl::Status AddUnits(const DocumentsView& list) {
    UnitDocuments units = segment_.CompressedDocuments(list);
    for (;;) {
      PMDEX_ASSIGN_OR_RETURN(const std::span<const DocId> docids, units.Next());
      if (docids.empty() || watch_.IsOver(kUnitPostings / 16)) return absl::OkStatus();
      DocumentsView piece;
      piece.df = static_cast<uint32_t>(docids.size());
      piece.docids = docids.data();
      docs_.Add(piece, context_);
    }
  }

  static uint64_t WorkOf(const DocumentsView& list) { return 32 + list.df / 16; }

  const Segment& segment_;
  const bool are_neighbours_;  // the lists lie close together, so that reading ahead pays
  CursorContext& context_;
  DeadlineWatch& watch_;
  DocSet& docs_;
  std::array<DocumentsView, kLists> lists_;
  size_t count_ = 0;
  ReadAhead ahead_;
};

absl::Status AddTerms(const BoundQuery& query, const Segment& segment, FieldId field,
                      DeadlineWatch& watch, ListBatch& lists) {
  std::optional<WildcardPattern> pattern;
  if (query.kind == BoundKind::kWildcard) pattern.emplace(query.text);
  const std::string_view prefix = pattern.has_value() ? pattern->literal_prefix() : query.text;
  const uint64_t term_work = pattern.has_value() ? 4 : 1;
  TermIterator terms(segment.dictionary(), field);
  ReadAhead blocks(segment, SectionKind::kTermBlocks);
  for (bool more = terms.Seek(prefix); more && BeginsWith(terms.term(), prefix);
       more = terms.Next()) {
    if (watch.IsOver(term_work)) return absl::OkStatus();
    blocks.Reached(terms.position());
    if (pattern.has_value() && !pattern->Matches(terms.term())) continue;
    PMDEX_RETURN_IF_ERROR(lists.Add(terms.documents()));
  }
  PMDEX_RETURN_IF_ERROR(terms.status());
  return lists.Flush();
}

absl::Status AddRegexpTerms(const BoundQuery& query, const Segment& segment, FieldId field,
                            DeadlineWatch& watch, ListBatch& lists) {
  RegexpTerms terms(segment.dictionary(), field, *query.regexp, watch);
  while (terms.Next()) PMDEX_RETURN_IF_ERROR(lists.Add(terms.terms().documents()));
  PMDEX_RETURN_IF_ERROR(terms.status());
  return lists.Flush();
}

// Adds the documents of the segment that the binder found.
void AddDocumentsOfIds(const BoundQuery& query, const Segment& segment, CursorContext& context,
                       DocSet& docs) {
  for (const BoundDocs& part : query.docs) {
    if (part.segment != &segment) continue;
    docs.Add({static_cast<uint32_t>(part.docs.size()), part.docs.data(), nullptr, {}}, context);
  }
}

}  // namespace

absl::StatusOr<DocSet> ExpandTerms(const BoundQuery& query, const Segment& segment,
                                   CursorContext& context) {
  DocSet docs(segment.doc_count());
  DeadlineWatch watch(context.deadline);
  ListBatch lists(segment, query.kind == BoundKind::kPrefix, context, watch, docs);
  const std::optional<FieldId> field = segment.FindField(query.field);
  const auto add = query.kind == BoundKind::kRegexp ? AddRegexpTerms : AddTerms;
  if (query.kind == BoundKind::kIds) {
    AddDocumentsOfIds(query, segment, context, docs);
  } else if (field.has_value()) {
    PMDEX_RETURN_IF_ERROR(add(query, segment, *field, watch, lists));
  }
  context.timed_out = context.timed_out || watch.is_over();
  docs.Finish();
  return docs;
}

absl::StatusOr<bool> MayHaveTerms(const Query& query, const Segment& segment,
                                  DeadlineWatch& watch) {
  constexpr size_t kMostTerms = 256;
  const std::optional<FieldId> field = segment.FindField(query.field);
  if (!field.has_value()) return false;
  if (query.kind == QueryKind::kRegexp) {
    RegexpTerms terms(segment.dictionary(), *field, *query.regexp, watch);
    if (terms.Next()) return true;
    PMDEX_RETURN_IF_ERROR(terms.status());
    return false;
  }
  std::optional<WildcardPattern> pattern;
  if (query.kind == QueryKind::kWildcard) pattern.emplace(query.text);
  const std::string_view prefix = pattern.has_value() ? pattern->literal_prefix() : query.text;
  TermIterator terms(segment.dictionary(), *field);
  size_t looked_at = 0;
  bool more = terms.Seek(prefix);
  while (more && BeginsWith(terms.term(), prefix) && looked_at < kMostTerms && !watch.IsOver(4)) {
    if (!pattern.has_value() || pattern->Matches(terms.term())) return true;
    ++looked_at;
    more = terms.Next();
  }
  PMDEX_RETURN_IF_ERROR(terms.status());
  return looked_at == kMostTerms;
}

}  // namespace pmdex
