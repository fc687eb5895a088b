#include "query/algorithm/leaf/term_postings.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/windowed_index.h"

namespace pmdex {
namespace term_postings_test {

constexpr uint32_t kDocs = 12000;

class TermPostingsTest : public WindowedIndexTest<testing::Test, kDocs> {
 protected:
  TermPostings Open(const std::string& text) {
    binding_ = Bind(text);
    const auto list = segment().Postings(*binding_.root->terms[0].entries[0]);
    EXPECT_TRUE(list.ok()) << list.status();
    return {*list, binding_.root->scorer, context_};
  }
  static float ScoreOf(const TermPostings& postings, uint32_t posting) {
    const PostingListView& list = postings.list();
    return postings.scorer().Score(static_cast<float>(list.Freq(posting)), list.codes[posting]);
  }

  QueryBinding binding_;
  SharedExpansions expansions_;
  SegmentContext context_{segment(),          0,           0,
                          BestQueryKernels(), expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_F(TermPostingsTest, ScoresPostings) {
  for (const char* text : {"body:t0", "body:t5", "title:t9"}) {
    const TermPostings postings = Open(text);
    std::vector<uint32_t> some;
    for (uint32_t i = 0; i < postings.list().df && some.size() < Leaf::kBatch; i += 3) {
      some.push_back(i);
    }
    Leaf::ScoreArray scores;
    postings.ScorePostings(some, scores);
    for (size_t i = 0; i < some.size(); ++i) EXPECT_EQ(scores[i], ScoreOf(postings, some[i]));
  }
}

TEST_F(TermPostingsTest, AddsTheScoreOfEachPostingToTheTotals) {
  bool any_escape = false;
  for (const char* text : {"body:t0", "body:t5", "title:t9", "title:t11"}) {
    TermPostings postings = Open(text);
    const PostingListView& list = postings.list();
    for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
      WindowTotals expected;
      expected.of.fill(1.25);
      WindowTotals totals = expected;
      const PostingWindows::Range range = postings.windows().Postings(window);
      for (uint32_t i = range.begin; i < range.end; ++i) {
        expected.of[list.Doc(i) % kWindowDocs] += ScoreOf(postings, i);
        any_escape = any_escape || list.freqs[i] == kFreqEscape;
      }
      postings.AddScores(window, totals);
      ASSERT_EQ(totals.of, expected.of) << text << " " << window;
    }
  }
  EXPECT_TRUE(any_escape);
}

TEST_F(TermPostingsTest, KnowsWhetherItsListHoldsDocids) {
  EXPECT_FALSE(Open("body:t0").has_docids());
  EXPECT_TRUE(Open("title:t9").has_docids());
}

TEST_F(TermPostingsTest, RefusesDocidsOutOfOrder) {
  TermPostings postings = Open("title:t8");
  EXPECT_TRUE(postings.AreInOrder(std::vector<DocId>{1, 5, kDocs - 1}));
  EXPECT_TRUE(context_.cursor.damage.ok());
  EXPECT_FALSE(postings.AreInOrder(std::vector<DocId>{5, 1}));
  EXPECT_FALSE(postings.AreInOrder(std::vector<DocId>{1, kDocs}));
  EXPECT_FALSE(context_.cursor.damage.ok());
}

TEST_F(TermPostingsTest, BoundsScoresByLengthAndFindsWhatReachesTheRest) {
  TermPostings postings = Open("body:t2");
  for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
    LengthBounds bounds;
    postings.BoundByLength(window, bounds);
    LengthBounds others;
    others.of.fill(0.5f);
    const float min_score = 0.5f + bounds.of[postings.list().codes[0]] * 0.8f;
    WindowBits competitive;
    postings.FillCompetitiveBeside(window, min_score, others, competitive);
    const PostingWindows::Range range = postings.windows().Postings(window);
    for (uint32_t i = range.begin; i < range.end; ++i) {
      const float score = ScoreOf(postings, i);
      ASSERT_LE(score, bounds.of[postings.list().codes[i]]);
      const uint32_t doc = postings.list().Doc(i) % kWindowDocs;
      if (score + 0.5f >= min_score) {
        ASSERT_NE(competitive.words[doc / 64] >> (doc % 64) & 1, 0u) << doc;
      }
    }
  }
}

}  // namespace term_postings_test
}  // namespace pmdex
