// The documents that contain a phrase. The cursor finds documents that contain all the terms, and
// reads positions only there. The matcher counts the occurrences; a document without any is
// skipped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "query/cursor/cursor.h"
#include "query/cursor/posting_cursor.h"
#include "query/similarity.h"

namespace pmdex {

template <typename M>
concept PhraseMatcher = requires(M& matcher, std::span<const std::vector<uint32_t>> positions) {
  { matcher.Frequency(positions) } -> std::same_as<float>;
};

template <PhraseMatcher Matcher>
class PhraseCursor final : public DocCursor {
 public:
  // lists: one per word of the phrase, in its order; at least one.
  PhraseCursor(std::span<const PostingListView> lists, Matcher matcher, const TermScorer& scorer,
               CursorContext& context)
      : positions_(lists.size()),
        matcher_(std::move(matcher)),
        scorer_(scorer),
        context_(&context) {
    words_.reserve(lists.size());
    for (size_t word = 0; word < lists.size(); ++word) {
      words_.push_back({word, PostingCursor(lists[word], context)});
    }
    std::stable_sort(words_.begin(), words_.end(), [](const Word& a, const Word& b) {
      return a.postings.Cost() < b.postings.Cost();
    });
    Find(words_[0].postings.doc());
  }

  DocId Next() override { return doc_ == kEndOfDocs ? doc_ : Find(words_[0].postings.Next()); }
  DocId Seek(DocId target) override {
    return target <= doc_ ? doc_ : Find(words_[0].postings.Seek(target));
  }
  uint64_t Cost() const override { return words_[0].postings.Cost(); }
  float Score() override {
    const PostingCursor& postings = words_[0].postings;
    return scorer_.Score(frequency_, postings.list().codes[postings.index()]);
  }
  float frequency() const { return frequency_; }  // occurrences of the phrase in doc()

 private:
  struct Word {
    size_t number;  // its index in the phrase
    PostingCursor postings;
  };

  // Moves to the first document >= candidate that contains the phrase. Requires that the cursor of
  // the rarest term stands on the candidate.
  DocId Find(DocId candidate) {
    constexpr uint64_t kPhraseWork = 64;
    while ((candidate = Align(candidate)) != kEndOfDocs) {
      if (context_->IsOver(kPhraseWork)) return doc_ = kEndOfDocs;
      if (absl::Status status = ReadPositions(); !status.ok()) {
        context_->ReportDamage(std::move(status));
        return doc_ = kEndOfDocs;
      }
      frequency_ = matcher_.Frequency(positions_);
      if (frequency_ > 0) break;
      candidate = words_[0].postings.Next();
    }
    return doc_ = candidate;
  }

  // Reads the positions of all terms in the document on which their cursors stand.
  absl::Status ReadPositions() {
    for (Word& word : words_) {
      PMDEX_RETURN_IF_ERROR(
          word.postings.list().ReadPositions(word.postings.index(), positions_[word.number]));
    }
    return absl::OkStatus();
  }

  // Moves to the first document >= candidate that contains all the terms.
  DocId Align(DocId candidate) {
    constexpr uint64_t kSeekWork = 4;
    size_t agreed = 1;
    while (candidate != kEndOfDocs && agreed < words_.size()) {
      if (context_->IsOver(kSeekWork)) return kEndOfDocs;
      const DocId doc = words_[agreed].postings.Seek(candidate);
      if (doc == candidate) {
        ++agreed;
      } else {
        candidate = words_[0].postings.Seek(doc);
        agreed = 1;
      }
    }
    return candidate;
  }

  std::vector<Word> words_;  // rarest first
  std::vector<std::vector<uint32_t>> positions_;
  Matcher matcher_;
  TermScorer scorer_;
  CursorContext* context_;
  float frequency_ = 0;
};

}  // namespace pmdex
