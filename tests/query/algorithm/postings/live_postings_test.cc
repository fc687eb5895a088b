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

// Not inline, and another list than every other one.
uint64_t NextOffset() {
  static uint64_t next = 0;
  return next += 64;
}

PostingListView ViewOf(const std::vector<DocId>& docs) {
  PostingListView view;
  view.postings_offset = NextOffset();
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
    for (PostingListView list : {ViewOf(docs), bits.view()}) {
      for (const uint64_t limit : {uint64_t{0}, expected / 2, expected}) {
        list.postings_offset = NextOffset();  // so that no earlier count is known
        const uint64_t count = CountLivePostings(list, context_, limit);
        EXPECT_EQ(std::min(count, limit + 1), std::min(expected, limit + 1));
        EXPECT_EQ(CountLivePostings(list, context_), expected);
        EXPECT_EQ(CountLivePostings(list, context_), expected);
      }
    }
  }
}

TEST_F(LivePostingsTest, StopsBeyondTheLimit) {
  context_.live_docs = &live_;
  const std::vector<DocId> docs = RandomDocs(2, random_);
  const BitsetList bits(docs, kDocs);
  for (PostingListView list : {ViewOf(docs), bits.view()}) {
    list.postings_offset = NextOffset();
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

// The second count reads no list, so that it does not see that the list has changed.
TEST_F(LivePostingsTest, AreKeptUnlessTheyAreOfAPart) {
  context_.live_docs = &live_;
  context_.segment_id = 5;
  std::vector<DocId> docs = RandomDocs(2, random_);
  const PostingListView list = ViewOf(docs);
  CountLivePostings(list, context_, 10);
  EXPECT_EQ(live_.counts().Find(5, list.postings_offset), std::nullopt);
  const uint64_t count = CountLivePostings(list, context_);
  docs.assign(docs.size(), docs[0]);
  EXPECT_EQ(CountLivePostings(list, context_), count);
  context_.segment_id = 6;
  EXPECT_EQ(CountLivePostings(list, context_) % docs.size(), 0u);
}

TEST_F(LivePostingsTest, AreKnownOfInlineEntriesAndOfCountedOnes) {
  DictionaryEntry entry{};
  entry.representation = Representation::kInline;
  entry.df = kMaxInlinePostings;
  uint64_t live = 0;
  for (uint32_t i = 0; i < kMaxInlinePostings; ++i) {
    entry.inlined.docids[i] = i * 3;
    live += static_cast<uint64_t>(live_.IsLive(i * 3));
  }
  EXPECT_EQ(KnownLivePostings(entry, live_, 5), live);
  entry.inlined.docids[1] = kDocs;
  EXPECT_EQ(KnownLivePostings(entry, live_, 5), std::nullopt);
  entry.inlined.docids[1] = 3;
  entry.df = kMaxInlinePostings + 1;
  EXPECT_EQ(KnownLivePostings(entry, live_, 5), std::nullopt);

  const std::vector<DocId> docs = RandomDocs(9, random_);
  const PostingListView list = ViewOf(docs);
  entry = {};
  entry.representation = Representation::kLanes;
  entry.df = list.df;
  entry.lanes.postings_offset = list.postings_offset;
  EXPECT_EQ(KnownLivePostings(entry, live_, 5), std::nullopt);
  context_.live_docs = &live_;
  context_.segment_id = 5;
  EXPECT_EQ(KnownLivePostings(entry, live_, 5), std::nullopt);
  const uint64_t count = CountLivePostings(list, context_);
  EXPECT_EQ(KnownLivePostings(entry, live_, 5), count);
  EXPECT_EQ(KnownLivePostings(entry, live_, 6), std::nullopt);
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
