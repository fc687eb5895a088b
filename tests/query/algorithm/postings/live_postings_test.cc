// Counts of the live documents of a list against a walk over its documents.
#include "query/algorithm/postings/live_postings.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/bitset_list.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace live_postings_test {

constexpr uint32_t kDocs = 300'001;

std::vector<DocId> RandomDocs(size_t one_in, SeededRandom& random) {
  std::vector<DocId> docs;
  for (DocId doc = 0; doc < kDocs; ++doc) {
    if (random.OneIn(one_in)) docs.push_back(doc);
  }
  return docs;
}

PostingListView ViewOf(const std::vector<DocId>& docs) {
  PostingListView view;
  view.df = static_cast<uint32_t>(docs.size());
  view.doc_count = kDocs;
  view.docids = docs.data();
  return view;
}

class LivePostingsTest : public testing::Test {
 protected:
  SeededRandom random_{3};
  LiveDocs live_ = LiveDocs::Without(kDocs, RandomDocs(5, random_));
  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_F(LivePostingsTest, AreAllWhereNothingIsDeleted) {
  const std::vector<DocId> docs = RandomDocs(7, random_);
  EXPECT_EQ(CountLivePostings(ViewOf(docs), context_), docs.size());
  EXPECT_EQ(CountLivePostings(BitsetList(docs, kDocs).view(), context_), docs.size());
}

TEST_F(LivePostingsTest, AreTheDocumentsThatAreNotDeleted) {
  context_.live_docs = &live_;
  for (const size_t one_in : {1, 7, 900, 400'000}) {
    const std::vector<DocId> docs = RandomDocs(one_in, random_);
    const BitsetList bits(docs, kDocs);
    const auto expected = static_cast<uint64_t>(
        std::count_if(docs.begin(), docs.end(), [&](DocId doc) { return live_.IsLive(doc); }));
    for (const PostingListView& list : {ViewOf(docs), bits.view()}) {
      EXPECT_EQ(CountLivePostings(list, context_), expected);
      for (const uint64_t limit : {uint64_t{0}, expected / 2, expected}) {
        const uint64_t count = CountLivePostings(list, context_, limit);
        EXPECT_EQ(std::min(count, limit + 1), std::min(expected, limit + 1));
      }
    }
  }
}

TEST_F(LivePostingsTest, StopsBeyondTheLimit) {
  context_.live_docs = &live_;
  const std::vector<DocId> docs = RandomDocs(2, random_);
  const BitsetList bits(docs, kDocs);
  for (const PostingListView& list : {ViewOf(docs), bits.view()}) {
    const uint64_t count = CountLivePostings(list, context_, 10);
    EXPECT_GT(count, 10u);
    EXPECT_LT(count, docs.size() / 2);
  }
}

TEST_F(LivePostingsTest, ReportsDocidsBeyondTheSegment) {
  context_.live_docs = &live_;
  const std::vector<DocId> docs = {1, 2, 0xffffffff};
  CountLivePostings(ViewOf(docs), context_);
  EXPECT_TRUE(absl::IsDataLoss(context_.damage));
}

TEST_F(LivePostingsTest, EndsAtTheDeadline) {
  context_.live_docs = &live_;
  context_.deadline = std::chrono::steady_clock::time_point::min();
  const std::vector<DocId> docs = RandomDocs(2, random_);
  EXPECT_EQ(CountLivePostings(ViewOf(docs), context_), 0u);
  EXPECT_TRUE(context_.timed_out);
}

}  // namespace live_postings_test
}  // namespace pmdex
