#include "query/algorithm/exhaustive.h"

#include <algorithm>
#include <array>

#include "query/algorithm/postings/live_postings.h"
#include "query/cursor/open_cursor.h"
#include "query/cursor/snapshot_context.h"
#include "query/cursor/verified_lists.h"

namespace pmdex {
namespace {

constexpr uint32_t kChunk = 64;  // postings scored at once; constant, so that loops vectorise

// Where the matches of one segment go.
struct SegmentTop {
  TopK& top;
  uint64_t doc_base;
  float min_score;  // matches that score less do not count
  bool scores;      // the scores matter
};

template <typename Formula>
void ScoreChunk(const PostingListView& list, uint32_t first, const TermScorer& scorer,
                std::array<float, kChunk>& scores) {
  std::array<float, kChunk> freqs;
  std::array<float, kChunk> lengths;
  const uint8_t* freq_bytes = list.freqs + first;
  const uint8_t* code_bytes = list.codes + first;
  bool escaped = false;
  for (uint32_t j = 0; j < kChunk; ++j) {
    freqs[j] = static_cast<float>(freq_bytes[j]);
    escaped |= freq_bytes[j] == kFreqEscape;
  }
  for (uint32_t j = 0; j < kChunk; ++j) lengths[j] = (*scorer.lengths)[code_bytes[j]];
  if (escaped) {
    for (uint32_t j = 0; j < kChunk; ++j) freqs[j] = static_cast<float>(list.Freq(first + j));
  }
  for (uint32_t j = 0; j < kChunk; ++j) {
    scores[j] = Formula::Score(scorer.weight, freqs[j], lengths[j]);
  }
}

// Returns how many postings it read: all of them, unless the deadline came first.
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
    if (context.IsLive(doc)) out.top.Add({out.doc_base + doc, score});
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

absl::StatusOr<uint64_t> ScanTermInSegment(const QueryBinding& binding, const Segment& segment,
                                           size_t index, CursorContext& context, SegmentTop out) {
  const DictionaryEntry* entry = binding.root->terms[0].entries[index];
  if (entry == nullptr) return 0;
  PMDEX_ASSIGN_OR_RETURN(const PostingListView list,
                         PostingsInTime(segment, *entry, ListParts::kAll, context));
  const uint64_t matches = CountLivePostings(list, context);
  if (!out.scores || context.timed_out) return matches;
  const uint64_t scanned = binding.similarity.kind == SimilarityKind::kBm25
                               ? ScanTerm<Bm25Formula>(list, binding.root->scorer, context, out)
                               : ScanTerm<TfidfFormula>(list, binding.root->scorer, context, out);
  return std::min(matches, scanned);
}

uint64_t LeavesOf(const BoundQuery& query) {
  uint64_t leaves = std::max<uint64_t>(1, query.terms.size());
  for (const BoundClause& clause : query.clauses) leaves += LeavesOf(*clause.query);
  return leaves;
}

// Where deleted documents lie cannot be predicted, so that no branch asks for them alone: once
// there are k documents, a score that is not above the threshold rules out most documents first.
absl::StatusOr<uint64_t> SearchCursor(const QueryBinding& binding, const Segment& segment,
                                      size_t index, CursorContext& context, SegmentTop out) {
  PMDEX_ASSIGN_OR_RETURN(const CursorPointer cursor,
                         OpenCursor(*binding.root, segment, index, context));
  const uint64_t work = 4 * LeavesOf(*binding.root);
  // Such a score costs no more than to find out whether it is wanted.
  const bool scores_deleted = HasConstantScore(binding.root->kind);
  uint64_t matches = 0;
  for (DocId doc = cursor->doc(); doc != kEndOfDocs; doc = cursor->Next()) {
    const bool is_live = context.IsLive(doc);
    const float score = out.scores && (scores_deleted || is_live) ? cursor->Score() : 0;
    // After the deadline cursors end early, and their document and score may be wrong.
    if (context.IsOver(work)) break;
    const bool matches_here = is_live & !(score < out.min_score);
    matches += matches_here ? 1 : 0;
    if (!out.scores || score <= out.top.threshold()) continue;
    if (matches_here) out.top.Add({out.doc_base + doc, score});
  }
  return matches;
}

}  // namespace

absl::StatusOr<RankedDocs> SearchExhaustively(const QueryBinding& binding, size_t k,
                                              Deadline deadline, const RankLimits& limits) {
  RankedDocs result;
  if (binding.root->kind == BoundKind::kNone) return result;
  TopK top(k, limits);
  const bool scans = binding.root->kind == BoundKind::kTerm && !limits.has_min_score() &&
                     binding.similarity.kind != SimilarityKind::kCustom;
  const auto segments = binding.snapshot->segments();
  for (size_t i = 0; i < segments.size() && !result.timed_out; ++i) {
    const Segment& segment = *segments[i];
    CursorContext context = CursorContextOf(*binding.snapshot, i, deadline);
    const SegmentTop out{top, binding.snapshot->doc_base(i), limits.min_score,
                         k != 0 || limits.has_min_score()};
    const auto search = scans ? ScanTermInSegment : SearchCursor;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t matches,
                           segment.Checked(search(binding, segment, i, context, out)));
    PMDEX_RETURN_IF_ERROR(segment.Checked(context.damage));
    PMDEX_RETURN_IF_ERROR(segment.Health());
    result.total += matches;
    result.timed_out = context.timed_out;
  }
  result.docs = top.TakeInTime(deadline, result.timed_out);
  return result;
}

}  // namespace pmdex
