#include "query/algorithm/postings/posting_windows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/bitset_list.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace posting_windows_test {

constexpr uint32_t kDocs = 3 * kWindowDocs + 77;

// A list of random documents as arrays, with blocks if it is long.
class DocidList {
 public:
  explicit DocidList(std::vector<DocId> docs) : docs_(std::move(docs)) {
    view_.df = static_cast<uint32_t>(docs_.size());
    view_.doc_count = kDocs;
    view_.docids = docs_.data();
    freqs_.resize(docs_.size() + 64, 1);
    codes_.resize(docs_.size() + 64, 1);
    view_.freqs = freqs_.data();
    view_.codes = codes_.data();
    if (docs_.size() <= kBlockPostings) return;
    for (size_t i = 0; i < docs_.size(); i += kBlockPostings) {
      last_docs_.push_back(docs_[std::min(docs_.size(), i + kBlockPostings) - 1]);
      bounds_.push_back({{9, 0, 0, 0}, {1, 0, 0, 0}});
    }
    view_.block_last_docs = last_docs_;
    view_.block_bounds = bounds_;
  }
  const PostingListView& view() const { return view_; }
  std::vector<DocId>& docs() { return docs_; }
  std::vector<uint8_t>& freqs() { return freqs_; }

 private:
  PostingListView view_;
  std::vector<DocId> docs_;
  std::vector<uint8_t> freqs_, codes_;
  std::vector<DocId> last_docs_;
  std::vector<BoundPoints> bounds_;
};

std::vector<DocId> RandomDocs(size_t one_in, SeededRandom& random) {
  std::vector<DocId> docs;
  for (DocId doc = 0; doc < kDocs; ++doc) {
    if (random.OneIn(one_in)) docs.push_back(doc);
  }
  return docs;
}

void ExpectWindowsOf(const std::vector<DocId>& docs, const PostingListView& view) {
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(view, context);
  for (const uint32_t window : {0u, 1u, 2u, 3u, 1u, 3u, 0u}) {
    const DocId first = window * kWindowDocs;
    const auto begin = std::lower_bound(docs.begin(), docs.end(), first);
    const auto end = std::lower_bound(docs.begin(), docs.end(), first + kWindowDocs);
    const PostingWindows::Range range = postings.Postings(window);
    ASSERT_EQ(range.begin, begin - docs.begin());
    ASSERT_EQ(range.end, end - docs.begin());
    WindowBits bits;
    postings.Fill(window, bits);
    std::vector<DocId> filled;
    bits.ForEach([&](uint32_t doc) {
      filled.push_back(first + doc);
      return true;
    });
    ASSERT_EQ(filled, std::vector<DocId>(begin, end));
    const uint64_t* members = postings.Members(window);
    ASSERT_TRUE(std::equal(bits.words.begin(), bits.words.end(), members));
    if (!postings.is_bitset()) {
      std::vector<float> scores;
      for (size_t i = 0; i < filled.size(); ++i) scores.push_back(static_cast<float>(i + 1));
      WindowSums sums;
      sums.of.fill(0);
      postings.AddScores(window, scores.data(), sums);
      WindowTotals totals;
      totals.of.fill(0);
      postings.AddScores(window, scores.data(), totals);
      for (size_t i = 0; i < filled.size(); ++i) {
        ASSERT_EQ(sums.of[filled[i] - first], static_cast<float>(i + 1));
        ASSERT_EQ(totals.of[filled[i] - first], static_cast<double>(i + 1));
      }
    }
    const uint32_t next = postings.FirstWindowFrom(window);
    ASSERT_TRUE(begin == end || next == window);
  }
  SeededRandom random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto doc = static_cast<DocId>(random.Below(kDocs));
    const auto place = std::lower_bound(docs.begin(), docs.end(), doc);
    const bool has = place != docs.end() && *place == doc;
    ASSERT_EQ(postings.Find(doc),
              has ? static_cast<uint32_t>(place - docs.begin()) : PostingWindows::kNoPosting);
  }
  EXPECT_TRUE(context.damage.ok()) << context.damage;
}

// Of few and of many documents, of one window and of several: each goes another way.
void ExpectFindsAll(const std::vector<DocId>& docs, const PostingListView& view) {
  SeededRandom random(21);
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(view, context);
  for (int round = 0; round < 400; ++round) {
    const auto first = static_cast<DocId>(random.Below(kDocs));
    const size_t step = 1 + random.Below(round % 2 == 0 ? 20 : 900);
    const size_t most = 1 + random.Below(64);
    std::vector<DocId> asked;
    for (DocId doc = first; doc < kDocs && asked.size() < most;
         doc += static_cast<DocId>(1 + random.Below(step))) {
      asked.push_back(doc);
    }
    std::vector<uint32_t> found(asked.size());
    postings.FindAll(asked, found);
    for (size_t i = 0; i < asked.size(); ++i) {
      const auto place = std::lower_bound(docs.begin(), docs.end(), asked[i]);
      const bool has = place != docs.end() && *place == asked[i];
      ASSERT_EQ(found[i],
                has ? static_cast<uint32_t>(place - docs.begin()) : PostingWindows::kNoPosting);
    }
  }
  EXPECT_TRUE(context.damage.ok()) << context.damage;
}

TEST(PostingWindows, FindsManyDocumentsAtOnce) {
  SeededRandom random(22);
  for (const size_t one_in : {1, 2, 20, 40, 300, 3000}) {
    SCOPED_TRACE(one_in);
    DocidList list(RandomDocs(one_in, random));
    ExpectFindsAll(list.docs(), list.view());
    const BitsetList bits(list.docs(), kDocs);
    ExpectFindsAll(list.docs(), bits.view());
  }
}

// The first look-ups go by the last documents of the blocks, later ones by a table of windows.
TEST(PostingWindows, FindsFewDocumentsAsWellAsMany) {
  SeededRandom random(23);
  for (const size_t one_in : {1, 2, 5, 20}) {
    std::vector<DocId> docs = RandomDocs(one_in, random);
    docs.erase(docs.begin(), docs.begin() + 3);
    while (docs.back() + 200 > kDocs) docs.pop_back();
    const DocidList list(docs);
    for (int round = 0; round < 300; ++round) {
      CursorContext context{kDocs, "segment", absl::OkStatus()};
      PostingWindows postings(list.view(), context);
      for (size_t n = 0; n < 10; ++n) {
        const auto doc = static_cast<DocId>(round % 9 == 0 ? kDocs - 1 : random.Below(kDocs));
        const auto place = std::lower_bound(docs.begin(), docs.end(), doc);
        const bool has = place != docs.end() && *place == doc;
        uint32_t found = 0;
        postings.FindAll({&doc, 1}, {&found, 1});
        ASSERT_EQ(found,
                  has ? static_cast<uint32_t>(place - docs.begin()) : PostingWindows::kNoPosting);
      }
      ASSERT_TRUE(context.damage.ok()) << context.damage;
    }
  }
}

TEST(PostingWindows, TellDocumentsThatAreOutOfOrder) {
  DocidList list({3, 5, 9});
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(list.view(), context);
  EXPECT_TRUE(postings.AreInOrder(std::vector<DocId>{3, 5, 9}));
  EXPECT_TRUE(context.damage.ok());
  EXPECT_FALSE(postings.AreInOrder(std::vector<DocId>{3, 9, 9}));
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(postings.AreInOrder(std::vector<DocId>{3, kDocs}));
}

TEST(PostingWindows, HaveNoMembersWhereBitsAndRanksDisagree) {
  SeededRandom random(23);
  const std::vector<DocId> docs = RandomDocs(5, random);
  const BitsetList list(docs, kDocs);
  PostingListView view = list.view();
  std::vector<uint64_t> bits(view.bits, view.bits + BitsetWords(kDocs));
  bits[3] ^= 1;
  view.bits = bits.data();
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(view, context);
  const uint64_t* members = postings.Members(0);
  EXPECT_TRUE(
      std::all_of(members, members + kWindowWords, [](uint64_t word) { return word == 0; }));
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
}

TEST(PostingWindows, FindsTheDocumentsOfWindowsInAnyOrder) {
  SeededRandom random(11);
  for (const size_t one_in : {1, 2, 20, 40, 300, 3000, 9000}) {
    SCOPED_TRACE(one_in);
    DocidList list(RandomDocs(one_in, random));
    ExpectWindowsOf(list.docs(), list.view());
  }
}

TEST(PostingWindows, FindsThemInBitsToo) {
  SeededRandom random(12);
  for (const size_t one_in : {1, 2, 20, 40}) {
    SCOPED_TRACE(one_in);
    const std::vector<DocId> docs = RandomDocs(one_in, random);
    const BitsetList list(docs, kDocs);
    ExpectWindowsOf(docs, list.view());
  }
}

TEST(PostingWindows, LetPassOnlyWhatReachesTheTable) {
  SeededRandom random(13);
  DocidList list(RandomDocs(10, random));
  for (uint8_t& freq : list.freqs()) freq = static_cast<uint8_t>(1 + random.Below(9));
  LeastFreqs table;
  table.least.fill(7);
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(list.view(), context);
  for (uint32_t window = 0; window < 4; ++window) {
    WindowBits passing;
    postings.FillFiltered(window, table, TableOrder::kAscending, BestQueryKernels(), passing);
    const PostingWindows::Range range = postings.Postings(window);
    uint32_t expected = 0;
    for (uint32_t i = range.begin; i < range.end; ++i) expected += list.freqs()[i] >= 7 ? 1 : 0;
    EXPECT_EQ(passing.Count(), expected);
  }
}

// Half of the documents, as postings.
void ExpectSelected(const std::vector<DocId>& docs, const PostingListView& view) {
  SeededRandom random(5);
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(view, context);
  for (const uint32_t window : {2u, 0u, 3u, 1u}) {
    const PostingWindows::Range range = postings.Postings(window);
    const uint32_t first = postings.FirstSelected(window);
    ASSERT_EQ(first % kPositionGroup, 0u);
    ASSERT_LT(range.begin - first, kPositionGroup);
    WindowBits chosen;
    std::vector<uint64_t> expected(kWindowWords + 1);
    for (uint32_t i = range.begin; i < range.end; ++i) {
      if (random.OneIn(2)) continue;
      chosen.Set(docs[i] % kWindowDocs);
      expected[(i - first) / 64] |= uint64_t{1} << ((i - first) % 64);
    }
    std::vector<uint64_t> mask(kWindowWords + 1, 77);
    const uint32_t bits = postings.Select(window, chosen, BestQueryKernels(), mask.data());
    ASSERT_EQ(bits, range.end - first);
    ASSERT_EQ(mask, expected);
  }
}

TEST(PostingWindows, SelectsThePostingsOfDocuments) {
  SeededRandom random(15);
  for (const size_t one_in : {1, 2, 20, 300}) {
    SCOPED_TRACE(one_in);
    const std::vector<DocId> docs = RandomDocs(one_in, random);
    const DocidList list(docs);
    ExpectSelected(docs, list.view());
    ExpectSelected(docs, BitsetList(docs, kDocs).view());
  }
}

TEST(PostingWindows, SelectsNothingWhereRanksDisagreeWithBits) {
  SeededRandom random(16);
  const std::vector<DocId> docs = RandomDocs(3, random);
  BitsetList list(docs, kDocs);
  list.words[5] ^= 1;
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(list.view(), context);
  std::vector<uint64_t> mask(kWindowWords + 1);
  EXPECT_EQ(postings.Select(0, WindowBits(), BestQueryKernels(), mask.data()), 0u);
  EXPECT_NE(postings.Select(1, WindowBits(), BestQueryKernels(), mask.data()), 0u);
}

TEST(PostingWindows, ReportsDocumentsOutsideOfTheirWindow) {
  SeededRandom random(14);
  DocidList list(RandomDocs(10, random));
  list.docs()[5] = kDocs + 100;
  CursorContext context{kDocs, "segment", absl::OkStatus()};
  PostingWindows postings(list.view(), context);
  WindowBits bits;
  postings.Fill(0, bits);
  EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
}

}  // namespace posting_windows_test
}  // namespace pmdex
