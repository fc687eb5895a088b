// Compares the window of phrase prefixes with the matcher that reads every position, on an index of
// several windows with lists of all representations.
#include "query/algorithm/phrase/phrase_prefix_window.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/cursor/exact_phrase.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace phrase_prefix_window_test {

constexpr uint32_t kDocs = 9000;

class PhrasePrefixWindowTest : public WindowedIndexTest<testing::TestWithParam<SimdLevel>, kDocs> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
  }

  std::vector<PostingWindows> Open(const std::vector<std::string>& names) {
    std::vector<PostingWindows> lists;
    for (const std::string& name : names) {
      const QueryBinding binding = Bind("body:" + name);
      const auto list = segment().Postings(*binding.root->terms[0].entries[0]);
      EXPECT_TRUE(list.ok()) << list.status();
      lists.emplace_back(*list, context_);
    }
    return lists;
  }
  static std::vector<uint32_t> Positions(const PostingWindows& term, DocId doc) {
    std::vector<uint32_t> positions;
    const auto posting = term.list().PostingOf(doc);
    if (posting.has_value()) {
      EXPECT_TRUE(term.list().ReadPositions(*posting, positions).ok());
    }
    return positions;
  }

  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_P(PhrasePrefixWindowTest, KnowsTheFrequencyOfNearlyAllDocuments) {
  struct Case {
    std::vector<std::string> words, last;
    std::vector<uint32_t> offsets;
  };
  uint32_t known = 0, unknown = 0, with_several = 0;
  for (const Case& tried :
       {Case{{"t0"}, {"t1", "t2", "t9"}, {0, 1}}, Case{{"t1", "t0"}, {"t0", "t3"}, {0, 1, 2}},
        Case{{"t2", "t0", "t1"}, {"t0", "t1", "t4", "t11"}, {0, 1, 3, 4}}}) {
    std::vector<PostingWindows> words = Open(tried.words);
    std::vector<PostingWindows> last = Open(tried.last);
    PhrasePrefixWindow phrase_window(tried.offsets, QueryKernelsOf(GetParam()));
    for (const uint32_t window : {1u, 0u, 2u}) {
      WindowBits candidates;
      candidates.words.fill(~uint64_t{0});
      for (PostingWindows& word : words) {
        WindowBits docs;
        word.Fill(window, docs);
        candidates.And(docs);
      }
      std::map<DocId, uint32_t> found;
      DocId before = 0;
      for (const auto& [doc, frequency] : phrase_window.Find(window, words, last, candidates)) {
        ASSERT_TRUE(found.empty() || before < doc);
        found[before = doc] = frequency;
      }
      candidates.ForEach([&](uint32_t in_window) {
        const DocId doc = window * kWindowDocs + in_window;
        std::vector<std::vector<uint32_t>> positions;
        for (const PostingWindows& word : words) positions.push_back(Positions(word, doc));
        float expected = 0;  // no two terms stand on the same position here
        uint32_t terms = 0;
        for (const PostingWindows& term : last) {
          positions.push_back(Positions(term, doc));
          const float frequency = ExactPhraseMatcher(tried.offsets).Frequency(positions);
          positions.pop_back();
          expected += frequency;
          terms += frequency > 0 ? 1 : 0;
        }
        const uint32_t frequency = found.contains(doc) ? found[doc] : 0;
        (frequency == PhrasePrefixWindow::kUnknown ? unknown : known) += 1;
        if (frequency == PhrasePrefixWindow::kUnknown) return true;
        EXPECT_EQ(static_cast<float>(frequency), expected) << doc;
        with_several += terms > 1 ? 1 : 0;
        found.erase(doc);
        return !testing::Test::HasFailure();
      });
      for (const auto& [doc, frequency] : found) {
        EXPECT_EQ(frequency, PhrasePrefixWindow::kUnknown) << doc;
      }
    }
  }
  EXPECT_GT(known, 10000u);
  EXPECT_LT(unknown, known / 50);
  EXPECT_GT(with_several, 50u);
}

TEST_P(PhrasePrefixWindowTest, LeavesTermsOnTheSamePositionOpen) {
  std::vector<PostingWindows> words = Open({"t0"});
  std::vector<PostingWindows> last = Open({"t1", "t1"});
  PhrasePrefixWindow phrase_window(std::vector<uint32_t>{0, 1}, QueryKernelsOf(GetParam()));
  WindowBits candidates;
  words[0].Fill(0, candidates);
  const auto found = phrase_window.Find(0, words, last, candidates);
  EXPECT_GT(found.size(), 100u);
  for (const auto& [doc, frequency] : found) EXPECT_EQ(frequency, PhrasePrefixWindow::kUnknown);
}

INSTANTIATE_TEST_SUITE_P(Levels, PhrasePrefixWindowTest,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

}  // namespace phrase_prefix_window_test
}  // namespace pmdex
