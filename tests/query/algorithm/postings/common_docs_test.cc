// Compares the reading of whole lists with sets of documents, and gives it damaged lists.
#include "query/algorithm/postings/common_docs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/bitset_list.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace common_docs_test {

constexpr uint32_t kDocs = 1'200'000;  // more ranges than marks can tell apart

PostingListView ViewOf(const std::vector<DocId>& docs) {
  PostingListView view;
  view.df = static_cast<uint32_t>(docs.size());
  view.doc_count = kDocs;
  view.docids = docs.data();
  return view;
}

// Documents with gaps of up to `gap`. Every few hundred comes a gap over many ranges.
std::vector<DocId> RandomDocs(uint32_t gap, SeededRandom& random) {
  std::vector<DocId> docs;
  uint32_t doc = random.Below(gap);
  while (doc < kDocs) {
    docs.push_back(doc);
    doc += 1 + random.Below(random.OneIn(400) ? 60'000 : gap);
  }
  return docs;
}

bool Has(const std::vector<uint64_t>& bits, size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

class CommonDocsTest : public testing::Test {
 protected:
  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_F(CommonDocsTest, KeepsThePostingsOfDocumentsThatTheOtherListHas) {
  SeededRandom random(7);
  for (const auto& [lead_gap, other_gap] : {std::pair{50u, 50u}, {9u, 400u}, {3000u, 2u}}) {
    const std::vector<DocId> lead = RandomDocs(lead_gap, random);
    const std::vector<DocId> other = RandomDocs(other_gap, random);
    std::vector<uint64_t> members(lead.size() / 64 + 1, ~uint64_t{0});
    members[0] &= ~uint64_t{1};
    const std::vector<uint64_t> before = members;
    ASSERT_TRUE(KeepCommonDocs(ViewOf(lead), ViewOf(other), context_, members));
    for (size_t i = 0; i < lead.size(); ++i) {
      const bool is_common = std::binary_search(other.begin(), other.end(), lead[i]);
      ASSERT_EQ(Has(members, i), Has(before, i) && is_common) << lead[i];
    }
  }
}

TEST_F(CommonDocsTest, KeepsThePostingsOfDocumentsWhoseBitIsSet) {
  SeededRandom random(8);
  const std::vector<DocId> lead = RandomDocs(60, random);
  const std::vector<DocId> other = RandomDocs(3, random);
  const BitsetList bits(other, kDocs);
  std::vector<uint64_t> members(lead.size() / 64 + 1, ~uint64_t{0});
  ASSERT_TRUE(KeepCommonDocs(ViewOf(lead), bits.view(), context_, members));
  for (size_t i = 0; i < lead.size(); ++i) {
    ASSERT_EQ(Has(members, i), std::binary_search(other.begin(), other.end(), lead[i])) << lead[i];
  }
}

TEST_F(CommonDocsTest, FindsWhichDocumentsAreInSeveralListsAndWhichListIsTheFirst) {
  SeededRandom random(9);
  for (int round = 0; round < 3; ++round) {  // marks of earlier calls stay
    std::vector<std::vector<DocId>> docs;
    for (const uint32_t gap : {40u, 300u, 40u, 2000u}) docs.push_back(RandomDocs(gap, random));
    docs.emplace_back();
    std::map<DocId, std::vector<size_t>> lists_of;
    std::vector<PostingListView> views;
    std::vector<const PostingListView*> lists;
    for (size_t n = 0; n < docs.size(); ++n) {
      for (const DocId doc : docs[n]) lists_of[doc].push_back(n);
      views.push_back(ViewOf(docs[n]));
    }
    for (const PostingListView& view : views) lists.push_back(&view);
    const std::vector<SharedDocs> shared = FindSharedDocs(lists, context_);
    ASSERT_EQ(shared.size(), docs.size());
    for (size_t n = 0; n < docs.size(); ++n) {
      bool is_first_of_any = false;
      for (size_t i = 0; i < docs[n].size(); ++i) {
        const std::vector<size_t>& has = lists_of[docs[n][i]];
        const bool is_shared = has.size() > 1;
        ASSERT_EQ(Has(shared[n].not_alone, i), is_shared);
        ASSERT_EQ(!Has(shared[n].not_first, i), is_shared && has[0] == n);
        is_first_of_any = is_first_of_any || (is_shared && has[0] == n);
      }
      EXPECT_EQ(shared[n].is_first_empty, !is_first_of_any);
    }
    EXPECT_EQ(CountUnion(lists, context_), lists_of.size());
  }
}

TEST_F(CommonDocsTest, DoesNotReadAListThatIsByItself) {
  context_.deadline = std::chrono::steady_clock::time_point::min();  // would end a reading
  const std::vector<DocId> docs = {3, 5, kDocs - 1};
  const PostingListView view = ViewOf(docs);
  const PostingListView* lists[] = {&view};
  const std::vector<SharedDocs> shared = FindSharedDocs(lists, context_);
  ASSERT_EQ(shared.size(), 1u);
  EXPECT_TRUE(shared[0].is_first_empty);
  for (size_t i = 0; i < docs.size(); ++i) {
    EXPECT_FALSE(Has(shared[0].not_alone, i));
    EXPECT_TRUE(Has(shared[0].not_first, i));
  }
}

TEST_F(CommonDocsTest, FindsTheDocumentsOfOtherListsByWhateverCostsLess) {
  SeededRandom random(12);
  const std::vector<DocId> dense = RandomDocs(2, random);
  const std::vector<DocId> medium = RandomDocs(60, random);
  const BitsetList bits(dense, kDocs);
  const PostingListView others[] = {ViewOf(dense), ViewOf(medium), bits.view()};
  for (const uint32_t lead_gap : {40'000u, 3'000u, 50u}) {
    const std::vector<DocId> lead = RandomDocs(lead_gap, random);
    std::vector<uint64_t> members(lead.size() / 64 + 1, ~uint64_t{0});
    members[0] &= ~uint64_t{2};
    std::set<DocId> expected(lead.begin(), lead.end());
    expected.erase(lead[1]);
    for (const PostingListView& other : others) {
      PostingWindows windows(other, context_);
      const std::vector<DocId>& docs = other.df == medium.size() ? medium : dense;
      std::erase_if(expected,
                    [&](DocId doc) { return !std::binary_search(docs.begin(), docs.end(), doc); });
      ASSERT_TRUE(KeepFoundDocs(ViewOf(lead), windows, context_, members));
      for (size_t i = 0; i < lead.size(); ++i) {
        ASSERT_EQ(Has(members, i), expected.contains(lead[i])) << lead[i];
      }
    }
    EXPECT_EQ(context_.damage, absl::OkStatus());
  }
}

TEST_F(CommonDocsTest, LooksUpInADamagedListWithoutLeavingIt) {
  SeededRandom random(13);
  std::vector<DocId> wild = RandomDocs(3, random);
  for (size_t i = 0; i < wild.size(); i += 100) wild[i] = 0xffffffff - random.Below(5);
  const std::vector<DocId> lead = RandomDocs(20'000, random);
  const PostingListView other = ViewOf(wild);
  PostingWindows windows(other, context_);
  ASSERT_FALSE(PaysToReadWhole(other, lead.size()));
  std::vector<uint64_t> members(lead.size() / 64 + 1, ~uint64_t{0});
  EXPECT_TRUE(KeepFoundDocs(ViewOf(lead), windows, context_, members));
  for (size_t i = 0; i < lead.size(); ++i) {
    EXPECT_TRUE(!Has(members, i) || std::find(wild.begin(), wild.end(), lead[i]) != wild.end());
  }
}

TEST_F(CommonDocsTest, LeavesDeletedDocumentsOut) {
  SeededRandom random(11);
  const std::vector<DocId> deleted = RandomDocs(3, random);
  const LiveDocs live = LiveDocs::Without(kDocs, deleted);
  context_.live_docs = &live;
  const std::vector<DocId> docs[] = {RandomDocs(40, random), RandomDocs(300, random)};
  const PostingListView views[] = {ViewOf(docs[0]), ViewOf(docs[1])};
  const PostingListView* lists[] = {&views[0], &views[1]};
  std::set<DocId> any(docs[0].begin(), docs[0].end());
  any.insert(docs[1].begin(), docs[1].end());
  const auto are_live =
      std::count_if(any.begin(), any.end(), [&](DocId d) { return live.IsLive(d); });
  EXPECT_EQ(CountUnion(lists, context_), are_live);
  std::vector<uint64_t> members(docs[0].size() / 64 + 1, ~uint64_t{0});
  members[0] &= ~uint64_t{1};
  ASSERT_TRUE(KeepLiveDocs(views[0], context_, members));
  for (size_t i = 0; i < docs[0].size(); ++i) {
    ASSERT_EQ(Has(members, i), i != 0 && live.IsLive(docs[0][i])) << docs[0][i];
  }
}

TEST_F(CommonDocsTest, StaysInBoundsWhateverTheDocidsAre) {
  const LiveDocs live = LiveDocs::Without(kDocs, std::vector<DocId>{3});
  const std::vector<DocId> wild = {5, 0xffffffff, 3, kDocs, 7, 0xfffffffe, 100'000};
  const std::vector<DocId> sound = {1, 3, 5, 7, 99'999, 100'000};
  for (const auto& [lead, other] : {std::pair{wild, sound}, {sound, wild}, {wild, wild}}) {
    const PostingListView views[] = {ViewOf(lead), ViewOf(other)};
    const PostingListView* lists[] = {&views[0], &views[1]};
    std::vector<uint64_t> members(1, ~uint64_t{0});
    EXPECT_TRUE(KeepCommonDocs(views[0], views[1], context_, members));
    EXPECT_TRUE(CountUnion(lists, context_).has_value());
    EXPECT_EQ(FindSharedDocs(lists, context_).size(), 2u);
    context_.live_docs = &live;
    EXPECT_TRUE(KeepLiveDocs(views[0], context_, members));
    EXPECT_TRUE(CountUnion(lists, context_).has_value());
    context_.live_docs = nullptr;
  }
  const BitsetList bits(sound, kDocs);
  std::vector<uint64_t> members(1, ~uint64_t{0});
  EXPECT_TRUE(KeepCommonDocs(ViewOf(wild), bits.view(), context_, members));
}

TEST_F(CommonDocsTest, EndsAtTheDeadline) {
  SeededRandom random(10);
  const std::vector<DocId> docs = RandomDocs(4, random);
  const PostingListView view = ViewOf(docs);
  const PostingListView* lists[] = {&view, &view};
  context_.deadline = std::chrono::steady_clock::time_point::min();
  std::vector<uint64_t> members(docs.size() / 64 + 1);
  EXPECT_FALSE(KeepCommonDocs(view, view, context_, members));
  EXPECT_EQ(CountUnion(lists, context_), std::nullopt);
  EXPECT_TRUE(FindSharedDocs(lists, context_).empty());
  const LiveDocs live = LiveDocs::Without(kDocs, docs);
  context_.live_docs = &live;
  EXPECT_FALSE(KeepLiveDocs(view, context_, members));
  const std::vector<DocId> few(docs.begin(), docs.begin() + 70);
  PostingWindows windows(view, context_);
  std::vector<uint64_t> all(2, ~uint64_t{0});
  EXPECT_FALSE(KeepFoundDocs(ViewOf(few), windows, context_, all));
}

TEST_F(CommonDocsTest, ReadsAListWholeUnlessItIsMuchLonger) {
  const std::vector<DocId> docs(1000);
  EXPECT_TRUE(PaysToReadWhole(ViewOf(docs), 900));
  EXPECT_FALSE(PaysToReadWhole(ViewOf(docs), 10));
  EXPECT_TRUE(PaysToReadWhole(BitsetList({1}, kDocs).view(), 1));
}

}  // namespace common_docs_test
}  // namespace pmdex
