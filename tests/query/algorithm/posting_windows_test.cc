#include "query/algorithm/posting_windows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/bitset_list.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace {

constexpr uint32_t kDocs = 3 * kWindowDocs + 77;

// A list of random documents as lanes, with blocks when it is long.
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
    std::vector<uint16_t> numbers(kWindowDocs);
    postings.Documents(window, numbers.data());
    for (size_t i = 0; i < filled.size(); ++i) ASSERT_EQ(first + numbers[i], filled[i]);
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
    postings.FillPassing(window, table, BestQueryKernels(), passing);
    const PostingWindows::Range range = postings.Postings(window);
    uint32_t expected = 0;
    for (uint32_t i = range.begin; i < range.end; ++i) expected += list.freqs()[i] >= 7 ? 1 : 0;
    EXPECT_EQ(passing.Count(), expected);
  }
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

}  // namespace
}  // namespace pmdex
