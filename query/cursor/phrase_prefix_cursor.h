// The documents that contain a phrase whose last word may be any of several terms. The cursor finds
// documents that contain the other words and one of the terms, and reads positions only there. The
// last word occurs wherever one of its terms does, as in Lucene's MultiPhraseQuery.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "query/cursor/cursor.h"
#include "query/cursor/phrase_cursor.h"
#include "query/cursor/posting_cursor.h"
#include "query/similarity.h"

namespace pmdex {

template <PhraseMatcher Matcher>
class PhrasePrefixCursor final : public DocCursor {
 public:
  // words: the lists of all words but the last, in their order. last: those of the last word's
  // terms. At least one of each.
  PhrasePrefixCursor(std::span<const PostingListView> words, std::span<const PostingListView> last,
                     Matcher matcher, const TermScorer& scorer, CursorContext& context)
      : positions_(words.size() + 1),
        matcher_(std::move(matcher)),
        scorer_(scorer),
        context_(&context) {
    for (size_t i = 0; i < words.size(); ++i) {
      words_.emplace_back(words[i], context);
      if (words_[i].Cost() < words_[lead_].Cost()) lead_ = i;
    }
    for (const PostingListView& list : last) last_.emplace_back(list, context);
    Find(words_[lead_].doc());
  }

  DocId Next() override { return doc_ == kEndOfDocs ? doc_ : Find(words_[lead_].Next()); }
  DocId Seek(DocId target) override {
    return target <= doc_ ? doc_ : Find(words_[lead_].Seek(target));
  }
  uint64_t Cost() const override { return words_[lead_].Cost(); }
  float Score() override {
    const PostingCursor& postings = words_[lead_];
    return scorer_.Score(frequency_, postings.list().codes[postings.index()]);
  }
  float frequency() const { return frequency_; }  // occurrences of the phrase in doc()

 private:
  // Moves to the first document >= candidate that contains the phrase. Requires that the cursor of
  // the word that leads stands on the candidate.
  DocId Find(DocId candidate) {
    constexpr uint64_t kPhraseWork = 64;
    for (; candidate != kEndOfDocs; candidate = words_[lead_].Next()) {
      candidate = Align(candidate);
      if (candidate == kEndOfDocs) break;
      if (context_->IsOver(kPhraseWork + 2 * last_.size())) return doc_ = kEndOfDocs;
      if (absl::Status status = ReadPositions(candidate); !status.ok()) {
        context_->ReportDamage(std::move(status));
        return doc_ = kEndOfDocs;
      }
      if (positions_.back().empty()) continue;
      frequency_ = matcher_.Frequency(positions_);
      if (frequency_ > 0) break;
    }
    return doc_ = candidate;
  }

  // Reads the positions of all words in the document on which the cursors of the words stand.
  absl::Status ReadPositions(DocId doc) {
    std::vector<uint32_t>& last = positions_.back();
    last.clear();
    for (PostingCursor& term : last_) {
      if (term.Seek(doc) != doc) continue;
      PMDEX_RETURN_IF_ERROR(term.list().ReadPositions(term.index(), positions_[0]));
      last.insert(last.end(), positions_[0].begin(), positions_[0].end());
    }
    if (last.empty()) return absl::OkStatus();
    std::sort(last.begin(), last.end());
    for (size_t i = 0; i < words_.size(); ++i) {
      PMDEX_RETURN_IF_ERROR(words_[i].list().ReadPositions(words_[i].index(), positions_[i]));
    }
    return absl::OkStatus();
  }

  // Moves to the first document >= candidate that contains all words but the last.
  DocId Align(DocId candidate) {
    constexpr uint64_t kSeekWork = 4;
    size_t agreed = 0;
    while (candidate != kEndOfDocs && agreed < words_.size()) {
      if (context_->IsOver(kSeekWork)) return kEndOfDocs;
      const DocId doc = words_[agreed].Seek(candidate);
      if (doc == candidate) {
        ++agreed;
      } else {
        candidate = words_[lead_].Seek(doc);
        agreed = 0;
      }
    }
    return candidate;
  }

  std::vector<PostingCursor> words_;
  std::vector<PostingCursor> last_;
  size_t lead_ = 0;                               // the rarest word
  std::vector<std::vector<uint32_t>> positions_;  // of each word; the last word's come last
  Matcher matcher_;
  TermScorer scorer_;
  CursorContext* context_;
  float frequency_ = 0;
};

}  // namespace pmdex
