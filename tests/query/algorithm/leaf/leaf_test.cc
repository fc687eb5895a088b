// Tests what every leaf promises (query/algorithm/leaf.h), on an index of several windows, by
// comparing it with the cursors of the exhaustive evaluator.
#include "query/algorithm/leaf/leaf.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/leaf/constant_leaf.h"
#include "query/algorithm/leaf/group_leaf.h"
#include "query/algorithm/leaf/leaf_factory.h"
#include "query/algorithm/leaf/phrase_leaf.h"
#include "query/algorithm/leaf/term_leaf.h"
#include "query/algorithm/leaf/term_postings.h"
#include "query/cursor/open_cursor.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace leaf_test {

constexpr uint32_t kDocs = 12000;

class LeafTest : public WindowedIndexTest<testing::TestWithParam<const char*>, kDocs> {
 protected:
  // Every match with its score, by the cursor.
  std::map<DocId, float> Expected(const QueryBinding& binding) {
    std::map<DocId, float> scores;
    CursorContext walk{kDocs, "segment", absl::OkStatus()};
    const auto cursor = OpenCursor(*binding.root, segment(), 0, walk);
    EXPECT_TRUE(cursor.ok()) << cursor.status();
    for (DocId doc = (*cursor)->doc(); doc != kEndOfDocs; doc = (*cursor)->Next()) {
      scores[doc] = (*cursor)->Score();
    }
    return scores;
  }

  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {kDocs, "segment", absl::OkStatus()}};
};

TEST_P(LeafTest, FillsWindowsWithItsDocumentsInAnyOrder) {
  const QueryBinding binding = Bind(GetParam());
  const std::map<DocId, float> expected = Expected(binding);
  const auto leaf = OpenLeaf(*binding.root, context_);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  for (const uint32_t window : {2u, 0u, 1u, 1u, 2u}) {
    WindowBits bits;
    (*leaf)->Fill(window, bits);
    uint32_t count = 0;
    for (const auto& [doc, score] : expected) count += doc / kWindowDocs == window ? 1 : 0;
    EXPECT_EQ(bits.Count(), count);
    bits.ForEach([&, window = window](uint32_t doc) {
      EXPECT_TRUE(expected.contains(window * kWindowDocs + doc));
      return true;
    });
    WindowBits all;
    for (uint64_t& word : all.words) word = ~uint64_t{0};
    (*leaf)->Retain(window, all);
    EXPECT_EQ(all.words, bits.words);
    EXPECT_LE((*leaf)->FirstWindowFrom(window), count > 0 ? window : 3u);
  }
  EXPECT_TRUE(context_.cursor.damage.ok());
}

TEST_P(LeafTest, ScoresAsTheCursorDoes) {
  const QueryBinding binding = Bind(GetParam());
  const std::map<DocId, float> expected = Expected(binding);
  const auto leaf = OpenLeaf(*binding.root, context_);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  // Next to each other, and far apart.
  for (const DocId step : {1u, 17u, 700u}) {
    for (DocId first = 0; first < kDocs; first += step * Leaf::kBatch) {
      std::vector<DocId> docs;
      for (DocId doc = first; doc < kDocs && docs.size() < Leaf::kBatch; doc += step) {
        docs.push_back(doc);
      }
      Leaf::ScoreArray needed{}, scores, again;
      (*leaf)->ScoreDocs(docs, needed, scores);
      for (size_t i = 0; i < docs.size(); ++i) {
        const auto match = expected.find(docs[i]);
        ASSERT_EQ(scores[i], match == expected.end() ? Leaf::kNoMatch : match->second) << docs[i];
        if (match == expected.end()) continue;
        ASSERT_LE(scores[i], (*leaf)->SegmentBound());
        needed[i] = i % 2 == 0 ? scores[i] : scores[i] * 1.5f;
      }
      (*leaf)->ScoreDocs(docs, needed, again);
      for (size_t i = 0; i < docs.size(); ++i) {
        ASSERT_TRUE(again[i] == scores[i] || (i % 2 != 0 && again[i] == Leaf::kTooLow)) << docs[i];
      }
    }
  }
  EXPECT_TRUE(context_.cursor.damage.ok()) << context_.cursor.damage;
}

TEST_P(LeafTest, HasABitForEachOfItsDocumentsOrNone) {
  const QueryBinding binding = Bind(GetParam());
  const auto leaf = OpenLeaf(*binding.root, context_);
  ASSERT_TRUE(leaf.ok()) << leaf.status();
  const uint64_t* bits = (*leaf)->MemberBits();
  if (bits == nullptr) return;
  ASSERT_NE((*leaf)->term_postings(), nullptr);
  EXPECT_FALSE((*leaf)->term_postings()->has_docids());
  const std::map<DocId, float> expected = Expected(binding);
  for (DocId doc = 0; doc < kDocs; ++doc) {
    ASSERT_EQ(bits[doc / 64] >> (doc % 64) & 1, expected.count(doc));
  }
}

TEST_P(LeafTest, BoundsEveryScoreOfAWindowAndLetsPassWhatReachesAScore) {
  for (const SimilarityKind similarity : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const QueryBinding binding = Bind(GetParam(), similarity);
    const std::map<DocId, float> expected = Expected(binding);
    const auto leaf = OpenLeaf(*binding.root, context_);
    ASSERT_TRUE(leaf.ok()) << leaf.status();
    (*leaf)->PrepareBounds();
    for (uint32_t window = 0; window < WindowCount(kDocs); ++window) {
      for (const float part : {0.0f, 0.3f, 0.7f, 0.95f}) {
        const float needed = part * (*leaf)->Bound(window);
        WindowBits passing;
        (*leaf)->FillCompetitive(window, needed, passing);
        WindowSums sums;
        sums.of.fill(0);
        (*leaf)->AddScores(window, sums);
        for (const auto& [doc, score] : expected) {
          if (doc / kWindowDocs != window) continue;
          const uint32_t here = doc % kWindowDocs;
          ASSERT_LE(score, (*leaf)->Bound(window));
          ASSERT_GE(sums.of[here], score);
          if (score >= needed) {
            ASSERT_NE(passing.words[here / 64] >> (here % 64) & 1, 0u);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LeafTest,
                         testing::Values("body:t0", "body:t3", "body:t8", "body:t11", "title:t9",
                                         "body:\"t0 t1\"", "body:\"t1 t0 t1 t2\"",
                                         "body:\"t2 t1\"~3", "body:t1*", "title:*", "*:*"));

// As leaves: `(+body:t0 +body:t3) other`.
INSTANTIATE_TEST_SUITE_P(
    Groups, LeafTest,
    testing::Values("+body:t0 +body:t3", "+body:t8 +body:t1 body:t0", "body:t4 body:t9 title:t2",
                    "+body:t1 -body:t0", "body:t2 -title:t1", "+(+body:t0 +body:t5) -body:t2",
                    "+body:t0^0 +body:t3^0", "+body:\"t0 t1\" +title:t1", "+*:* +body:t11",
                    "body:t0 (+body:t1 +(body:t2 -body:t3)) (+title:t1 +body:t1*)"));

TEST(LengthsOfTests, CoverSeveralWindows) {
  EXPECT_EQ(WindowCount(kDocs), 3u);
}

}  // namespace leaf_test
}  // namespace pmdex
