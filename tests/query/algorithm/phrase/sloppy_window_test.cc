// Compares the window of phrases with slop with the matcher that reads every position, on an index
// of several windows with lists of all representations.
#include "query/algorithm/phrase/sloppy_window.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/query/algorithm/phrase/opened_phrase.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace sloppy_window_test {

constexpr uint32_t kDocs = 12000;

class SloppyWindowTest : public WindowedIndexTest<testing::TestWithParam<SimdLevel>, kDocs> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
  }

  OpenedPhrase Open(const std::string& text) { return OpenPhrase(Bind(text), segment(), context_); }
  SloppyWindow NewWindow(const OpenedPhrase& phrase) {
    const BoundQuery& root = *phrase.binding.root;
    return SloppyWindow(phrase.words, root.offsets, root.slop, QueryKernelsOf(GetParam()));
  }
  static WindowBits Candidates(OpenedPhrase& phrase, uint32_t window) {
    WindowBits docs;
    docs.words.fill(~uint64_t{0});
    for (PostingWindows& term : phrase.terms) {
      WindowBits of_term;
      term.Fill(window, of_term);
      docs.And(of_term);
    }
    return docs;
  }
  static bool Has(const WindowBits& docs, uint32_t in_window) {
    return (docs.words[in_window / 64] >> (in_window % 64) & 1) != 0;
  }

  CursorContext context_{kDocs, "segment", absl::OkStatus()};
};

TEST_P(SloppyWindowTest, KnowsTheFrequencyOfNearlyAllDocuments) {
  uint32_t left_out = 0, known = 0, unknown = 0;
  for (const char* text : {"body:\"t0 t1\"~1", "body:\"t2 t0 t1\"~3", "body:\"t9 t0\"~40",
                           "body:\"t4 t0 t1 t3\"~5", "body:\"t8 t9\"~2", "body:\"t1 t0\"~70000"}) {
    SCOPED_TRACE(text);
    OpenedPhrase phrase = Open(text);
    SloppyWindow sloppy_window = NewWindow(phrase);
    for (const uint32_t window : {1u, 0u, 2u}) {
      const WindowBits candidates = Candidates(phrase, window);
      WindowBits docs = candidates;
      sloppy_window.Retain(window, phrase.terms, nullptr, docs);
      candidates.ForEach([&](uint32_t in_window) {
        const DocId doc = window * kWindowDocs + in_window;
        const float expected = FrequencyByMatcher(phrase, doc);
        const uint32_t place = sloppy_window.Find(doc);
        EXPECT_TRUE(Has(docs, in_window) || expected == 0) << doc;
        EXPECT_NE(Has(docs, in_window), Has(sloppy_window.without(), in_window)) << doc;
        left_out += Has(docs, in_window) ? 0 : 1;
        if (place == SloppyWindow::kUnknown) {
          unknown += Has(docs, in_window) ? 1 : 0;
          return !testing::Test::HasFailure();
        }
        EXPECT_TRUE(Has(docs, in_window)) << doc;
        ++known;
        EXPECT_EQ(sloppy_window.Frequency(place), expected) << doc;
        EXPECT_EQ(sloppy_window.Matches(place), expected > 0) << doc;
        EXPECT_GE(sloppy_window.FrequencyBound(place), expected) << doc;
        EXPECT_EQ(sloppy_window.LengthCode(place),
                  phrase.lists[0].codes[*phrase.lists[0].PostingOf(doc)]);
        return !testing::Test::HasFailure();
      });
      docs.AndNot(candidates);
      EXPECT_EQ(docs.Count(), 0u);
    }
  }
  EXPECT_GT(left_out, 1000u);
  EXPECT_GT(known, 10000u);
  EXPECT_LT(unknown, known / 100);
}

TEST_P(SloppyWindowTest, LeavesOutDocumentsWithFewerNearPositionsThanTheTableSays) {
  OpenedPhrase phrase = Open("body:\"t1 t0\"~2");
  SloppyWindow all = NewWindow(phrase);
  SloppyWindow some = NewWindow(phrase);
  LeastFreqs table;
  table.least.fill(3);
  table.least[10] = 0;
  const WindowBits candidates = Candidates(phrase, 1);
  WindowBits with_all = candidates;
  WindowBits with_some = candidates;
  all.Retain(1, phrase.terms, nullptr, with_all);
  some.Retain(1, phrase.terms, &table, with_some);
  EXPECT_LT(with_some.Count(), with_all.Count());
  EXPECT_GT(with_some.Count(), 10u);
  with_all.ForEach([&](uint32_t in_window) {
    const uint32_t place = all.Find(kWindowDocs + in_window);
    if (place == SloppyWindow::kUnknown) return true;
    // Each near position of t1 adds at most so much.
    const float of_one = SloppyRuns(phrase.binding.root->offsets, 2).FrequencyBound(1);
    if (!Has(with_some, in_window)) {
      EXPECT_FALSE(Has(some.without(), in_window)) << in_window;
      EXPECT_NE(all.LengthCode(place), 10);
      EXPECT_LE(all.Frequency(place), 2 * of_one * 1.001f);
    }
    return true;
  });
}

TEST_P(SloppyWindowTest, KnowsNothingOfOtherWindowsAndDocuments) {
  OpenedPhrase phrase = Open("body:\"t0 t1\"~2");
  SloppyWindow sloppy_window = NewWindow(phrase);
  EXPECT_EQ(sloppy_window.Find(0), SloppyWindow::kUnknown);
  WindowBits docs = Candidates(phrase, 0);
  const WindowBits all = docs;
  for (uint64_t& word : docs.words) word &= 0x00000000ffffffff;
  sloppy_window.Retain(0, phrase.terms, nullptr, docs);
  uint32_t known = 0;
  all.ForEach([&](uint32_t doc) {
    EXPECT_EQ(sloppy_window.Find(kWindowDocs + doc), SloppyWindow::kUnknown);
    const bool is_known = sloppy_window.Find(doc) != SloppyWindow::kUnknown;
    EXPECT_FALSE(is_known && doc % 64 >= 32) << doc;
    known += is_known ? 1 : 0;
    return true;
  });
  EXPECT_GT(known, 100u);
}

INSTANTIATE_TEST_SUITE_P(Levels, SloppyWindowTest,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

}  // namespace sloppy_window_test
}  // namespace pmdex
