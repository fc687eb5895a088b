#include "query/algorithm/exhaustive.h"

#include <algorithm>
#include <array>

#include "query/cursor/verified_lists.h"

namespace pmdex {
namespace {

constexpr uint32_t kChunk = 64;  // postings scored at once; fixed, so that the loops vectorise

// Where matches of one segment go.
struct SegmentTop {
  TopK& top;
  uint64_t doc_base;
};

template <typename Formula>
void ScoreChunk(const PostingListView& list, uint32_t first, const TermScorer& scorer,
                std::array<float, kChunk>& scores) {
  std::array<float, kChunk> freqs;
  std::array<float, kChunk> lengths;
  const uint8_t* freq_lane = list.freqs + first;
  const uint8_t* code_lane = list.codes + first;
  bool escaped = false;
  for (uint32_t j = 0; j < kChunk; ++j) {
    freqs[j] = static_cast<float>(freq_lane[j]);
    escaped |= freq_lane[j] == kFreqEscape;
  }
  for (uint32_t j = 0; j < kChunk; ++j) lengths[j] = (*scorer.lengths)[code_lane[j]];
  if (escaped) {
    for (uint32_t j = 0; j < kChunk; ++j) freqs[j] = static_cast<float>(list.Freq(first + j));
  }
  for (uint32_t j = 0; j < kChunk; ++j) {
    scores[j] = Formula::Score(scorer.weight, freqs[j], lengths[j]);
  }
}

// Returns how many postings were looked at: all, unless time is over.
template <typename Formula>
uint64_t ScanTerm(const PostingListView& list, const TermScorer& scorer, CursorContext& context,
                  SegmentTop out) {
  const auto add = [&](uint32_t i, float score) {
    if (score <= out.top.threshold()) return;
    const DocId doc = list.Doc(i);
    if (doc >= context.doc_count) {
      context.ReportDamage("a posting holds docid " + std::to_string(doc) + ", beyond the " +
                           std::to_string(context.doc_count) + " documents");
      return;
    }
    out.top.Add({out.doc_base + doc, score});
  };
  std::array<float, kChunk> scores;
  uint32_t i = 0;
  for (; list.df - i >= kChunk; i += kChunk) {
    if (context.IsOver(kChunk)) return i;
    ScoreChunk<Formula>(list, i, scorer, scores);
    const float threshold = out.top.threshold();
    bool any = false;
    for (uint32_t j = 0; j < kChunk; ++j) any |= scores[j] > threshold;
    if (!any) continue;
    for (uint32_t j = 0; j < kChunk; ++j) add(i + j, scores[j]);
  }
  for (; i < list.df; ++i) {
    add(i, scorer.Score(static_cast<float>(list.Freq(i)), list.codes[i]));
  }
  return list.df;
}

absl::StatusOr<uint64_t> ScanTermInSegment(const Plan& plan, const Segment& segment, size_t index,
                                           CursorContext& context, size_t k, SegmentTop out) {
  const DictionaryEntry* entry = plan.root->terms[0].entries[index];
  if (entry == nullptr) return 0;
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                         PostingsInTime(segment, *entry, ListParts::kAll, context));
  if (k == 0 || context.timed_out) return list.df;
  return plan.similarity == SimilarityKind::kBm25
             ? ScanTerm<Bm25Formula>(list, plan.root->scorer, context, out)
             : ScanTerm<TfidfFormula>(list, plan.root->scorer, context, out);
}

uint64_t LeavesOf(const BoundQuery& query) {
  uint64_t leaves = std::max<uint64_t>(1, query.terms.size());
  for (const BoundClause& clause : query.clauses) leaves += LeavesOf(*clause.query);
  return leaves;
}

absl::StatusOr<uint64_t> SearchCursor(const Plan& plan, const Segment& segment, size_t index,
                                      CursorContext& context, size_t k, SegmentTop out) {
  PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor,
                         OpenCursor(*plan.root, segment, index, context));
  const uint64_t work = 4 * LeavesOf(*plan.root);
  uint64_t matches = 0;
  for (DocId doc = cursor->doc(); doc != kEndOfDocs; doc = cursor->Next()) {
    const float score = k != 0 ? cursor->Score() : 0;
    // Once time is over, cursors end early: what they stand on need not match, nor the score hold.
    if (context.IsOver(work)) break;
    if (k != 0) out.top.Add({out.doc_base + doc, score});
    ++matches;
  }
  return matches;
}

}  // namespace

absl::StatusOr<RankedDocs> SearchExhaustively(const Plan& plan, size_t k, Deadline deadline) {
  RankedDocs result;
  if (plan.root->kind == BoundKind::kNone) return result;
  TopK top(k);
  const auto segments = plan.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !result.timed_out; ++i) {
    const Segment& segment = *segments[i];
    CursorContext context{segment.doc_count(), segment.file_name(), absl::OkStatus(), deadline};
    const SegmentTop out{top, plan.snapshot->doc_base(i)};
    const auto search = plan.root->kind == BoundKind::kTerm ? ScanTermInSegment : SearchCursor;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t matches,
                           segment.Checked(search(plan, segment, i, context, k, out)));
    PMDEX_RETURN_IF_ERROR(segment.Checked(context.damage));
    PMDEX_RETURN_IF_ERROR(segment.Health());
    result.total += matches;
    result.timed_out = context.timed_out;
  }
  result.docs = top.TakeInTime(deadline, result.timed_out);
  return result;
}

}  // namespace pmdex
