#include "query/algorithm/term_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "query/algorithm/leaf/term_leaf.h"

namespace pmdex {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Documents of ascending postings of a block in a list of bits: a walk over the words from where
// the block before ended, instead of a search for each.
class BitWalk {
 public:
  void Start(const PostingListView& list, uint32_t block) {
    bits_ = list.bits;
    words_ = BitsetWords(list.doc_count);
    const uint64_t first = block == 0 ? 0 : uint64_t{list.block_last_docs[block - 1]} + 1;
    word_ = std::min(first / 64, words_);
    before_ = block * kBlockPostings;
    if (word_ == words_) return;
    const uint64_t below = (uint64_t{1} << (first % 64)) - 1;
    before_ -= static_cast<uint32_t>(std::popcount(bits_[word_] & below));
  }
  // kEndOfDocs when the bits have no such posting.
  DocId Doc(uint32_t posting) {
    for (; word_ < words_; ++word_) {
      const auto here = static_cast<uint32_t>(std::popcount(bits_[word_]));
      if (posting - before_ < here) break;
      before_ += here;
    }
    if (word_ == words_) return kEndOfDocs;
    uint64_t word = bits_[word_];
    for (uint32_t skip = posting - before_; skip > 0; --skip) word &= word - 1;
    return static_cast<DocId>(word_ * 64 + static_cast<uint64_t>(std::countr_zero(word)));
  }

 private:
  const uint64_t* bits_ = nullptr;
  uint64_t words_ = 0;
  uint64_t word_ = 0;
  uint32_t before_ = 0;  // postings before the word
};

class TermSearch {
 public:
  TermSearch(const PostingListView& list, const TermScorer& scorer, uint64_t doc_base,
             LeafContext& context, TopK& top)
      : list_(list), scorer_(scorer), doc_base_(doc_base), context_(context), top_(top) {}

  // Asks for less and less. When the last document kept scores no less than was asked for, nobody
  // else can come in.
  void Run() {
    if (list_.is_inline) return OfferAll();
    asked_ = -kInfinity;
    if (list_.df / kPostingsPerHit < top_.k()) return Pass();
    float bound = 0;
    context_.kernels.block_bounds(&list_.bounds, 1, scorer_, EscapeFreq(list_), &bound);
    for (const float part : {1.0f, 0.97f, 0.92f, 0.85f, 0.75f, 0.65f, 0.5f, 0.3f, 0.0f}) {
      asked_ = part > 0 ? part * bound : -kInfinity;
      Pass();
      if (context_.cursor.timed_out || (top_.full() && top_.threshold() >= asked_)) return;
      given_ = asked_;
    }
  }

  uint64_t scored() const { return scored_; }

 private:
  void OfferAll() {
    asked_ = -kInfinity;
    for (uint32_t i = 0; i < list_.df; ++i) Offer(i, list_.docids[i], Score(i));
  }

  // What a document behind the postings so far must score to be of use.
  float Needed(uint32_t block) const {
    const uint64_t first = block == 0 ? 0 : uint64_t{list_.block_last_docs[block - 1]} + 1;
    return std::max(asked_, top_.NeededFrom(doc_base_ + first));
  }

  void Pass() {
    constexpr uint32_t kChunk = 4096;  // blocks
    constexpr uint64_t kBlockWork = 64;
    if (context_.cursor.IsOver(kBlockWork)) return;
    const uint32_t blocks = list_.df / kBlockPostings + (list_.df % kBlockPostings != 0 ? 1 : 0);
    std::array<uint64_t, kChunk / 64> passing;
    needed_ = Needed(0);
    context_.kernels.least_freqs(scorer_, needed_, table_);
    for (uint32_t first = 0; first < blocks; first += kChunk) {
      const uint32_t count = std::min(kChunk, blocks - first);
      FilterBlocks(first, count, passing.data());
      for (uint32_t word = 0; word < (count + 63) / 64; ++word) {
        for (uint64_t left = passing[word]; left != 0; left &= left - 1) {
          if (!context_.cursor.damage.ok() || context_.cursor.IsOver(kBlockWork)) return;
          PassBlock(first + word * 64 + static_cast<uint32_t>(std::countr_zero(left)));
        }
      }
    }
  }

  void FilterBlocks(uint32_t first, uint32_t count, uint64_t* passing) const {
    passing[0] = 1;  // a list of one block
    if (list_.block_bounds.empty()) return;
    context_.kernels.filter_blocks(list_.block_bounds.data() + first, count, table_, passing);
  }

  // Whether the block still passes, now that the documents that were found ask for more.
  bool PassesAgain(uint32_t block) {
    const float needed = Needed(block);
    if (needed <= needed_) return true;
    needed_ = needed;
    context_.kernels.least_freqs(scorer_, needed_, table_);
    uint64_t passes = 1;
    FilterBlocks(block, 1, &passes);
    return passes != 0;
  }

  void PassBlock(uint32_t block) {
    if (top_.threshold() >= needed_ && !PassesAgain(block)) return;
    const uint32_t first = block * kBlockPostings;
    const uint32_t count = std::min(kBlockPostings, list_.df - first);
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
        Offer(first + i, list_.docids != nullptr ? list_.docids[first + i] : kUnknownDoc,
              known ? scores_[i] : Score(first + i));
      }
    }
  }

  float Score(uint32_t i) const {
    return scorer_.Score(static_cast<float>(list_.Freq(i)), list_.codes[i]);
  }

  // A document that was not given before.
  void Offer(uint32_t i, DocId doc, float score) {
    if (score < asked_ || score >= given_ || score < top_.NeededFrom(doc_base_)) return;
    if (doc == kUnknownDoc) doc = walk_.Doc(i);
    if (doc >= context_.cursor.doc_count) {
      context_.cursor.ReportDamage("posting " + std::to_string(i) + " of " +
                                   std::to_string(list_.df) + " holds docid " +
                                   std::to_string(doc) + ", beyond the " +
                                   std::to_string(context_.cursor.doc_count) + " documents");
      return;
    }
    ++scored_;
    top_.Add({doc_base_ + doc, score});
  }

  static constexpr DocId kUnknownDoc = kEndOfDocs;
  // With fewer postings for each document wanted, they are looked at once from front to back.
  static constexpr uint32_t kPostingsPerHit = 16;
  // Of a block: then a kernel scores all of them.
  static constexpr int kManyPassing = 32;

  const PostingListView& list_;
  const TermScorer& scorer_;
  uint64_t doc_base_;
  LeafContext& context_;
  TopK& top_;
  float asked_ = 0;
  float given_ = kInfinity;  // all that score so much have been offered
  float needed_ = 0;         // what table_ is for
  LeastFreqs table_;
  BitWalk walk_;
  std::array<float, kBlockPostings> scores_;
  uint64_t scored_ = 0;
};

}  // namespace

uint64_t SearchPostings(const PostingListView& list, const TermScorer& scorer, uint64_t doc_base,
                        LeafContext& context, TopK& top) {
  TermSearch search(list, scorer, doc_base, context, top);
  search.Run();
  return search.scored();
}

}  // namespace pmdex
