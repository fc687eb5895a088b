#include "query/expansion/term_expansion.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"

#include "engine/analysis/code_points.h"
#include "query/deadline.h"
#include "query/expansion/first_docs.h"
#include "query/expansion/list_batch.h"
#include "query/expansion/numbered_terms.h"
#include "query/expansion/regexp_terms.h"
#include "query/expansion/term_pattern.h"
#include "query/expansion/terms_with_characters.h"
#include "query/language/regexp_automaton.h"

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

// Adds whole lists to a set.
class WholeLists {
 public:
  WholeLists(const Segment& segment, CursorContext& context, DeadlineWatch& watch, DocSet& docs)
      : segment_(segment), context_(context), watch_(watch), docs_(docs) {}

  absl::Status Add(const DocumentsView& list) {
    if (list.docids == nullptr && list.bits == nullptr) return AddUnits(list);
    if (list.mapped.empty()) {
      docs_.Add(list, context_);
      return absl::OkStatus();
    }
    if (watch_.IsOver(list.df / 16)) return absl::OkStatus();
    if (list.mapped.size() > kPieceBytes) return AddInPieces(list);
    PMDEX_RETURN_IF_ERROR(segment_.VerifyDocuments(list));
    docs_.Add(list, context_);
    return absl::OkStatus();
  }

 private:
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

  const Segment& segment_;
  CursorContext& context_;
  DeadlineWatch& watch_;
  DocSet& docs_;
};

absl::Status AddTermsByCharacters(const WildcardPattern& pattern, const Segment& segment,
                                  FieldId field, DeadlineWatch& watch, ListBatch& lists) {
  TermsWithCharacters terms(segment.dictionary(), field, pattern.literal_prefix(),
                            ClassesOf(pattern.RequiredCharacters()), watch);
  while (terms.Next()) {
    if (!pattern.Matches(terms.terms().term())) continue;
    PMDEX_RETURN_IF_ERROR(lists.Add(terms.terms().documents()));
  }
  PMDEX_RETURN_IF_ERROR(terms.status());
  return lists.Flush();
}

bool IsFiltered(const WildcardPattern& pattern, const Segment& segment) {
  return TermsWithCharacters::IsUseful(segment.dictionary(), pattern.literal_prefix(),
                                       ClassesOf(pattern.RequiredCharacters()));
}

absl::Status AddTerms(const BoundQuery& query, const Segment& segment, FieldId field,
                      DeadlineWatch& watch, ListBatch& lists) {
  std::optional<WildcardPattern> pattern;
  if (query.kind == BoundKind::kWildcard) pattern.emplace(query.text);
  if (pattern.has_value() && IsFiltered(*pattern, segment)) {
    return AddTermsByCharacters(*pattern, segment, field, watch, lists);
  }
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

// True if so many characters may follow `prefix` that a walk reads most terms that begin with it.
bool TakesMany(const RegexpAutomaton& regexp, std::string_view prefix) {
  constexpr int kMany = 10;
  RegexpAutomaton::State state = regexp.start();
  for (; !prefix.empty(); prefix.remove_prefix(CodePointBytes(prefix))) {
    state = regexp.Step(state, DecodeCodePoint(prefix, CodePointBytes(prefix)));
  }
  int taken = 0;
  for (const char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyz")) {
    taken += regexp.Step(state, static_cast<unsigned char>(c)) != RegexpAutomaton::kDead ? 1 : 0;
  }
  return taken >= kMany;
}

// Calls `visit` for each term that matches, in order, until it returns false or an error.
absl::Status VisitRegexpTerms(const RegexpAutomaton& regexp, const Segment& segment, FieldId field,
                              DeadlineWatch& watch,
                              absl::FunctionRef<absl::StatusOr<bool>(const TermIterator&)> visit) {
  const TermDictionary& dictionary = segment.dictionary();
  const std::string prefix = regexp.LiteralPrefix();
  const TermSignature classes = ClassesOf(regexp.required_characters());
  bool goes_on = true;
  if (TermsWithCharacters::IsUseful(dictionary, prefix, classes) && TakesMany(regexp, prefix)) {
    TermsWithCharacters terms(dictionary, field, prefix, classes, watch);
    while (goes_on && terms.Next()) {
      if (!regexp.Matches(terms.terms().term())) continue;
      PMDEX_ASSIGN_OR_RETURN(goes_on, visit(terms.terms()));
    }
    return terms.status();
  }
  RegexpTerms terms(dictionary, field, regexp, watch);
  while (goes_on && terms.Next()) {
    PMDEX_ASSIGN_OR_RETURN(goes_on, visit(terms.terms()));
  }
  return terms.status();
}

absl::Status AddRegexpTerms(const BoundQuery& query, const Segment& segment, FieldId field,
                            DeadlineWatch& watch, ListBatch& lists) {
  PMDEX_RETURN_IF_ERROR(VisitRegexpTerms(*query.regexp, segment, field, watch,
                                         [&](const TermIterator& terms) -> absl::StatusOr<bool> {
                                           PMDEX_RETURN_IF_ERROR(lists.Add(terms.documents()));
                                           return true;
                                         }));
  return lists.Flush();
}

// Gives the lists of all terms that match to `read`, unless the watch is over first.
absl::Status ReadLists(const BoundQuery& query, const Segment& segment, DeadlineWatch& watch,
                       ListBatch::ReadList read) {
  const std::optional<FieldId> field = segment.FindField(query.field);
  if (!field.has_value()) return absl::OkStatus();
  ListBatch lists(segment, query.kind == BoundKind::kPrefix, watch, read);
  const auto add = query.kind == BoundKind::kRegexp ? AddRegexpTerms : AddTerms;
  return add(query, segment, *field, watch, lists);
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
  if (query.kind == BoundKind::kIds) {
    AddDocumentsOfIds(query, segment, context, docs);
  } else {
    DeadlineWatch watch(context.deadline);
    WholeLists lists(segment, context, watch, docs);
    PMDEX_RETURN_IF_ERROR(ReadLists(query, segment, watch,
                                    [&](const DocumentsView& list) { return lists.Add(list); }));
    context.timed_out = context.timed_out || watch.is_over();
  }
  docs.Finish();
  return docs;
}

absl::StatusOr<std::vector<DocId>> ExpandToFirstDocs(const BoundQuery& query,
                                                     const Segment& segment, size_t most,
                                                     CursorContext& context) {
  DeadlineWatch watch(context.deadline);
  FirstDocs docs(segment, most, context);
  PMDEX_RETURN_IF_ERROR(
      ReadLists(query, segment, watch, [&](const DocumentsView& list) { return docs.Add(list); }));
  context.timed_out = context.timed_out || watch.is_over();
  return docs.Take();
}

uint64_t EstimateTerms(const BoundQuery& query, const Segment& segment) {
  constexpr uint64_t kSignaturesPerTerm = 8;  // that are compared while one term is read
  const std::optional<FieldId> field = segment.FindField(query.field);
  if (!field.has_value()) return 0;
  std::optional<WildcardPattern> pattern;
  if (query.kind == BoundKind::kWildcard) pattern.emplace(query.text);
  const std::string_view prefix = pattern.has_value() ? pattern->literal_prefix() : query.text;
  const auto blocks = BlocksWith(prefix, segment.dictionary(), *field);
  if (!blocks.ok()) return 0;
  const uint64_t terms = (blocks->end - blocks->begin) * kTermsPerBlock;
  const bool is_filtered = pattern.has_value() && IsFiltered(*pattern, segment);
  return is_filtered ? terms / kSignaturesPerTerm : terms;
}

absl::StatusOr<bool> MayHaveTerms(const Query& query, const Segment& segment,
                                  DeadlineWatch& watch) {
  constexpr size_t kMostTerms = 256;
  const std::optional<FieldId> field = segment.FindField(query.field);
  if (!field.has_value()) return false;
  if (query.kind == QueryKind::kRegexp) {
    bool found = false;
    PMDEX_RETURN_IF_ERROR(VisitRegexpTerms(*query.regexp, segment, *field, watch,
                                           [&](const TermIterator&) -> absl::StatusOr<bool> {
                                             found = true;
                                             return false;
                                           }));
    return found;
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
