#include "query/algorithm/term_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "query/algorithm/postings/bit_walk.h"
#include "query/algorithm/postings/list_bounds.h"
#include "query/algorithm/postings/live_postings.h"
#include "query/cursor/verified_lists.h"

namespace pmdex {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

class TermSearch {
 public:
  TermSearch(const PostingListView& list, const TermScorer& scorer, SegmentContext& context,
             TopK& top)
      : list_(list), scorer_(scorer), context_(context), top_(top) {}

  // Lowers the minimum score from pass to pass. Once the k-th document reaches it, no other
  // document is competitive. Where a minimum competitive score is known already, one pass is
  // enough: it is about the one that the last pass would have.
  void Run() {
    if (list_.is_inline) return AddAll();
    min_score_ = -kInfinity;
    bound_ = ListBound(list_, scorer_, context_.kernels);
    if (top_.MinCompetitiveScore(context_.doc_base) > bound_) return;
    const bool has_minimum = top_.MinCompetitiveScore(context_.doc_base) > -kInfinity;
    if (has_minimum || list_.df / kPostingsPerDoc < top_.k()) return Pass();
    for (const float part : {1.0f, 0.97f, 0.92f, 0.85f, 0.75f, 0.65f, 0.5f, 0.3f, 0.0f}) {
      min_score_ = part > 0 ? part * bound_ : -kInfinity;
      Pass();
      if (context_.cursor.timed_out || (top_.full() && top_.threshold() >= min_score_)) return;
      done_above_ = min_score_;
    }
  }

  uint64_t scored() const { return scored_; }

 private:
  void AddAll() {
    min_score_ = -kInfinity;
    for (uint32_t i = 0; i < list_.df; ++i) Add(i, list_.docids[i], Score(i));
  }

  // The minimum score of this pass for the documents of the block and later ones.
  float MinScoreFrom(uint32_t block) const {
    const uint64_t first = block == 0 ? 0 : uint64_t{list_.block_last_docs[block - 1]} + 1;
    return std::max(min_score_, top_.MinCompetitiveScore(context_.doc_base + first));
  }

  // Where many documents tie, the minimum competitive score rises above the score of all that are
  // left, and the pass ends.
  void Pass() {
    constexpr uint32_t kGroupBlocks = 64;
    constexpr uint64_t kBlockWork = 64;
    const uint32_t blocks = list_.df / kBlockPostings + (list_.df % kBlockPostings != 0 ? 1 : 0);
    MakeTable(MinScoreFrom(0));
    for (uint32_t first = 0; first < blocks; first += kGroupBlocks) {
      if (context_.cursor.IsOver(kBlockWork)) return;
      if (first != 0) RaiseTable(first);
      if (table_min_score_ > bound_) return;
      uint64_t passing = FilterBlocks(first, std::min(kGroupBlocks, blocks - first));
      for (; passing != 0; passing &= passing - 1) {
        if (!context_.cursor.damage.ok() || context_.cursor.IsOver(kBlockWork)) return;
        PassBlock(first + static_cast<uint32_t>(std::countr_zero(passing)));
      }
    }
  }

  void MakeTable(float min_score) {
    table_min_score_ = min_score;
    context_.kernels.least_freqs(scorer_, min_score, table_);
  }

  // Makes a new table if the minimum competitive score of the block's documents has risen.
  bool RaiseTable(uint32_t block) {
    if (top_.threshold() < table_min_score_) return false;
    const float min_score = MinScoreFrom(block);
    if (min_score <= table_min_score_) return false;
    MakeTable(min_score);
    return true;
  }

  // Which of the blocks [first, first + count) pass the table, a bit for each. count: at most 64.
  uint64_t FilterBlocks(uint32_t first, uint32_t count) const {
    uint64_t passing = 1;  // a list of one block has no bounds
    if (list_.block_bounds.empty()) return passing;
    context_.kernels.filter_blocks(list_.block_bounds.data() + first, count, table_, &passing);
    return passing;
  }

  void PassBlock(uint32_t block) {
    if (RaiseTable(block) && FilterBlocks(block, 1) == 0) return;
    const uint32_t first = block * kBlockPostings;
    const uint32_t count = std::min(kBlockPostings, list_.df - first);
    list_.Load(first, first + count);
    std::array<uint64_t, 4> mask{};
    static_assert(kBlockPostings == 4 * 64);
    context_.kernels.filter_postings(list_.freqs + first, list_.codes + first, count, table_,
                                     mask.data());
    const int passing = std::popcount(mask[0]) + std::popcount(mask[1]) + std::popcount(mask[2]) +
                        std::popcount(mask[3]);
    if (passing == 0) return;
    const bool score_all = passing >= kManyPassing;
    if (score_all) {
      context_.kernels.score_postings(list_.freqs + first, list_.codes + first, count, scorer_,
                                      EscapeFreq(list_), scores_.data());
    }
    if (list_.bits != nullptr) walk_.Start(list_, block);
    for (uint32_t word = 0; word < (count + 63) / 64; ++word) {
      for (uint64_t left = mask[word]; left != 0; left &= left - 1) {
        const uint32_t i = word * 64 + static_cast<uint32_t>(std::countr_zero(left));
        const bool known = score_all && list_.freqs[first + i] != kFreqEscape;
        Add(first + i, list_.docids != nullptr ? list_.docids[first + i] : kUnknownDoc,
            known ? scores_[i] : Score(first + i));
      }
    }
  }

  float Score(uint32_t i) const {
    return scorer_.Score(static_cast<float>(list_.Freq(i)), list_.codes[i]);
  }

  // Adds a competitive document that no earlier pass has added.
  void Add(uint32_t i, DocId doc, float score) {
    if (score < min_score_ || score >= done_above_ ||
        score < top_.MinCompetitiveScore(context_.doc_base))
      return;
    if (doc == kUnknownDoc) doc = walk_.Doc(i);
    if (doc >= context_.cursor.doc_count) {
      context_.cursor.ReportDamage("posting " + std::to_string(i) + " of " +
                                   std::to_string(list_.df) + " holds docid " +
                                   std::to_string(doc) + ", beyond the " +
                                   std::to_string(context_.cursor.doc_count) + " documents");
      return;
    }
    if (!context_.cursor.IsLive(doc)) return;
    ++scored_;
    top_.Add({context_.doc_base + doc, score});
  }

  static constexpr DocId kUnknownDoc = kEndOfDocs;
  // With fewer postings for each wanted document, one pass over all postings is cheapest.
  static constexpr uint32_t kPostingsPerDoc = 16;
  // With so many passing postings in a block, a kernel scores the whole block.
  static constexpr int kManyPassing = 32;

  const PostingListView& list_;
  const TermScorer& scorer_;
  SegmentContext& context_;
  TopK& top_;
  float bound_ = 0;               // no document scores more
  float min_score_ = 0;           // of this pass
  float done_above_ = kInfinity;  // earlier passes have added all documents with such a score
  float table_min_score_ = 0;     // that table_ was made for
  LeastFreqs table_;
  BitWalk walk_;
  std::array<float, kBlockPostings> scores_;
  uint64_t scored_ = 0;
};

}  // namespace

uint64_t SearchPostings(const PostingListView& list, const TermScorer& scorer,
                        SegmentContext& context, TopK& top) {
  TermSearch search(list, scorer, context, top);
  search.Run();
  return search.scored();
}

absl::Status SearchTerm(const SearchContext& search, size_t segment, TopK& top,
                        PrunedDocs& result) {
  const BoundQuery& term = *search.binding.root;
  const DictionaryEntry* entry = term.terms[0].entries[segment];
  if (entry == nullptr) return absl::OkStatus();
  SegmentContext context = SegmentContextOf(search, segment);
  CursorContext& cursor = context.cursor;
  PMDEX_ASSIGN_OR_RETURN(
      const PostingListView list,
      PostingsInTime(context.segment, *entry, ListParts::kScores, cursor, ListLoading::kByBlock));
  if (!cursor.timed_out) result.scored += SearchPostings(list, term.scorer, context, top);
  if (search.plan.count == CountMethod::kWithRanking && !cursor.timed_out) {
    const uint64_t before = result.matches.value_or(0);
    const uint64_t limit = search.plan.count_limit;
    result.matches = before + CountLivePostings(list, cursor, limit - std::min(limit, before));
  }
  result.timed_out = result.timed_out || cursor.timed_out;
  return cursor.damage;
}

}  // namespace pmdex
