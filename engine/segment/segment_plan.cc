#include "engine/segment/segment_plan.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/segment/documents/doc_entries.h"
#include "engine/segment/postings/checked_list.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

absl::Status BrokenInput(std::string_view what) {
  return MakeStatus(absl::StatusCode::kInternal, absl::StrCat("segment input: ", ToAbsl(what)));
}

absl::Status CheckInput(const SegmentInput& input) {
  if (input.doc_count() > kMaxDocsPerSegment) {
    return InvalidArgument("too many documents for one segment");
  }
  if (input.fields().size() > size_t{1} << 16) {
    return InvalidArgument("too many fields for one segment");
  }
  for (size_t i = 0; i < input.fields().size(); ++i) {
    if (input.norms(static_cast<FieldId>(i)).size() != input.doc_count()) {
      return BrokenInput(
          absl::StrCat("field ", input.fields()[i].name, ": not one norm a document"));
    }
  }
  uint32_t previous = 0;
  for (size_t i = 0; i < input.stored_chunk_count(); ++i) {
    const uint32_t first_doc = input.stored_chunk(i).first_doc;
    if (i == 0 ? first_doc != 0 : first_doc <= previous) {
      return BrokenInput("stored chunks are not in order");
    }
    previous = first_doc;
  }
  return absl::OkStatus();
}

ListExtras BoundExtras(uint32_t df, uint64_t cf) {
  return {0, std::min<uint64_t>(df, (cf - df) / (kFreqEscape - 1))};
}

// Counts the extras of the current block and of those behind it.
absl::StatusOr<ListExtras> CountExtras(TermStream& terms, CheckedList& list) {
  ListExtras extras;
  for (;;) {
    const PostingBlock& block = list.block();
    size_t end = 0;
    for (uint32_t i = 0; i < block.count; ++i) {
      end += block.freqs[i];
      uint64_t marks = 0;
      if (end > 0 && end <= block.positions.size())
        marks = block.positions[end - 1] / kPositionPage;
      extras.page_marks += marks;
      if (marks > 0 || block.freqs[i] >= kFreqEscape) ++extras.overflow_entries;
    }
    if (!list.has_more(terms.df())) return extras;
    PMDEX_RETURN_IF_ERROR(list.ReadNext(terms));
  }
}

void AddList(uint32_t df, uint64_t cf, bool is_inline, const ListExtras& extras, uint32_t doc_count,
             bool positions, SegmentPlan& plan) {
  if (!is_inline) {
    const bool unit_freqs = cf == df && extras.overflow_entries == 0;
    plan.postings_bytes = AlignUp(plan.postings_bytes, ExtentAlignment(df)) +
                          LayOutPostings(df, unit_freqs, doc_count, positions).size_bytes;
    if (unit_freqs) plan.longest_unit_list = std::max(plan.longest_unit_list, df);
  }
  if (extras.overflow_entries > 0) {
    plan.overflow_bytes += (extras.overflow_entries + 1) * sizeof(OverflowEntry);
  }
  if (positions) plan.positions_bytes += (cf + extras.page_marks) * sizeof(uint16_t);
  if (df > kBlockPostings) plan.block_count += 1 + (df + kBlockPostings - 1) / kBlockPostings;
  plan.posting_count += df;
  plan.longest_list = std::max(plan.longest_list, df);
  plan.token_count += cf;
}

// Adds one term after the other to the plan.
class TermPlanner {
 public:
  TermPlanner(const SegmentInput& input, bool count, TermDictionaryWriter& dictionary)
      : input_(input),
        doc_count_(input.doc_count()),
        field_count_(input.fields().size()),
        positions_(input.has_positions()),
        knows_extras_(input.knows_extras()),
        count_(count),
        dictionary_(dictionary),
        list_(doc_count_, positions_) {}

  absl::Status Add(TermStream& terms, SegmentPlan& plan) {
    const uint32_t df = terms.df();
    const uint64_t cf = terms.cf();
    const FieldId field = terms.field();
    if (df == 0 || df > doc_count_ || cf < df || field >= field_count_) {
      return BrokenInput(
          absl::StrCat("term \"", ToAbsl(terms.term()), "\": df, cf or field are wrong"));
    }
    DictionaryEntry entry{};
    ListExtras extras = BoundExtras(df, cf);
    const bool is_short = df <= kMaxInlinePostings;
    if (is_short || count_) PMDEX_RETURN_IF_ERROR(list_.ReadFirst(terms));
    const bool is_inline = is_short && list_.FillInline(input_.norms(field), entry);
    if (is_inline) {
      PMDEX_RETURN_IF_ERROR(list_.Finish(terms));
    } else if (knows_extras_) {
      extras = terms.extras();
    } else if (count_) {
      PMDEX_ASSIGN_OR_RETURN(extras, CountExtras(terms, list_));
    }
    PMDEX_RETURN_IF_ERROR(dictionary_.AddTerm(terms, entry));
    AddList(df, cf, is_inline, extras, doc_count_, positions_, plan);
    return absl::OkStatus();
  }

 private:
  const SegmentInput& input_;
  // What the input says each time, without calling it for each term.
  const uint32_t doc_count_;
  const size_t field_count_;
  const bool positions_;
  const bool knows_extras_;
  const bool count_;
  TermDictionaryWriter& dictionary_;
  CheckedList list_;
};

}  // namespace

absl::StatusOr<SegmentPlan> PlanSegment(SegmentInput& input, bool count,
                                        TermDictionaryWriter& dictionary) {
  PMDEX_RETURN_IF_ERROR(CheckInput(input));
  SegmentPlan plan;
  plan.counted = count;
  std::vector<uint64_t> field_tokens(input.fields().size(), 0);
  dictionary.Reserve(input.most_terms());
  TermPlanner planner(input, count, dictionary);
  const std::unique_ptr<TermStream> terms = input.OpenTerms();
  while (terms->Next()) {
    PMDEX_RETURN_IF_ERROR(planner.Add(*terms, plan));
    field_tokens[terms->field()] += terms->cf();
  }
  plan.postings_bytes += kLaneTailBytes;
  plan.meta_bytes = sizeof(SegmentMeta) + input.fields().size() * sizeof(FieldEntry);
  for (size_t i = 0; i < field_tokens.size(); ++i) {
    const SegmentField& field = input.fields()[i];
    plan.meta_bytes += field.name.size();
    plan.norms_bytes += AlignUp(input.doc_count(), kNormRowAlignment);
    if (field.token_count != field_tokens[i]) {
      return BrokenInput(absl::StrCat("field ", field.name, " has ", field_tokens[i],
                                      " tokens, not ", field.token_count));
    }
  }
  DocIdSizes id_sizes;
  for (DocId doc = 0; doc < input.doc_count(); ++doc) {
    const size_t id_bytes = input.doc_id(doc).size();
    if (id_bytes > UINT16_MAX) return InvalidArgument("the id of a document is too long");
    id_sizes.Add(id_bytes);
  }
  plan.doc_entry_bytes = id_sizes.EntryBytes();
  plan.doc_id_bytes = id_sizes.BytesBesideEntries();
  if (plan.doc_id_bytes > kMaxDocIdBytes) {
    return InvalidArgument("too many bytes of ids for one segment");
  }
  plan.stored_bytes = input.stored_bytes();
  return plan;
}

bool HasLongDocuments(const SegmentInput& input) {
  if (input.knows_extras()) return false;
  // Half a page of tokens, because gaps between values and stop words also increase positions.
  constexpr uint32_t kLongTokens = kPositionPage / 2;
  for (DocId doc = 0; doc < input.doc_count(); ++doc) {
    if (input.doc_token_count(doc) >= kLongTokens) return true;
  }
  return false;
}

uint64_t CapacityOf(const SegmentPlan& plan, const SegmentInput& input,
                    const TermDictionaryWriter& dictionary) {
  const uint64_t sizes[] = {
      plan.meta_bytes,
      plan.postings_bytes,
      plan.positions_bytes,
      plan.block_count * sizeof(uint32_t),
      plan.block_count * sizeof(BoundPoints),
      plan.overflow_bytes,
      dictionary.entries_bytes(),
      dictionary.term_bytes_size(),
      dictionary.term_blocks_bytes(),
      dictionary.block_starts_bytes(),
      dictionary.rare_slots_bytes(),
      dictionary.signatures_bytes(),
      UnitFreqsBytes(plan.longest_unit_list),
      plan.norms_bytes,
      uint64_t{input.doc_count()} * plan.doc_entry_bytes,
      plan.doc_id_bytes,
      (input.stored_chunk_count() + 1) * sizeof(StoredChunk),
      plan.stored_bytes,
      plan.columns_bytes,
  };
  uint64_t capacity = kHeaderPageBytes;
  uint64_t pages = 0;
  for (const uint64_t size_bytes : sizes) {
    capacity += AlignUp(size_bytes, kSectionAlignment);
    pages += PagesOf(size_bytes);
  }
  return capacity + AlignUp(PageChecksumsBytes(pages), kSectionAlignment);
}

}  // namespace pmdex
