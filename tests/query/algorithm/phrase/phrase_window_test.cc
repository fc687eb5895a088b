// Compares the phrase window with the matcher that reads every position, on an index of several
// windows with lists of all representations.
#include "query/algorithm/phrase/phrase_window.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/cursor/exact_phrase.h"
#include "query/language/query_parser.h"
#include "query/planning/query_binder.h"
#include "tests/support/random_corpus.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace phrase_window_test {

constexpr uint32_t kDocs = 12000;

class PhraseWindowTest : public WindowedIndexTest<testing::TestWithParam<SimdLevel>, kDocs> {
 protected:
  void SetUp() override {
    if (!IsUsable(GetParam())) GTEST_SKIP() << "this CPU has no " << ToString(GetParam());
  }

  // Every word with a list of its own.
  struct Phrase {
    std::vector<PostingListView> lists;
    std::vector<PhraseWord> words;
    std::vector<PostingWindows> terms;
    std::vector<uint32_t> offsets;
  };
  Phrase Open(const std::vector<std::string>& words, const std::vector<uint32_t>& offsets) {
    Phrase phrase;
    phrase.offsets = offsets;
    const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
    for (uint32_t i = 0; i < words.size(); ++i) {
      const auto query = QueryParser(*analyzer, snapshot_->field_names()).Parse("body:" + words[i]);
      const auto binding = BindQuery(**query, *snapshot_, SimilarityKind::kBm25);
      const auto list = segment().Postings(*binding->root->terms[0].entries[0]);
      EXPECT_TRUE(list.ok()) << list.status();
      phrase.lists.push_back(*list);
      phrase.words.push_back({i, i, offsets[i]});
      phrase.terms.emplace_back(*list, context_);
    }
    return phrase;
  }

  // 0 where a term is missing.
  static uint32_t Expected(const Phrase& phrase, DocId doc) {
    std::vector<std::vector<uint32_t>> positions(phrase.lists.size());
    for (size_t i = 0; i < phrase.lists.size(); ++i) {
      const auto posting = phrase.lists[i].PostingOf(doc);
      if (!posting.has_value()) return 0;
      EXPECT_TRUE(phrase.lists[i].ReadPositions(*posting, positions[i]).ok());
    }
    return static_cast<uint32_t>(ExactPhraseMatcher(phrase.offsets).Frequency(positions));
  }
  static WindowBits Candidates(Phrase& phrase, uint32_t window) {
    WindowBits docs;
    docs.words.fill(~uint64_t{0});
    for (PostingWindows& term : phrase.terms) {
      WindowBits of_term;
      term.Fill(window, of_term);
      docs.And(of_term);
    }
    return docs;
  }

  CursorContext context_{kDocs, "segment", absl::OkStatus()};
  const QueryKernels& kernels() const { return QueryKernelsOf(GetParam()); }
};

TEST_P(PhraseWindowTest, KnowsTheFrequencyOfNearlyAllDocuments) {
  const std::vector<std::vector<std::string>> phrases = {
      {"t0", "t1"}, {"t1", "t0", "t2"},       {"t0", "t0"},
      {"t9", "t0"}, {"t4", "t0", "t1", "t0"}, {"t8", "t9"}};
  uint32_t unknown = 0;
  uint32_t known = 0;
  for (const std::vector<std::string>& words : phrases) {
    Phrase phrase = Open(words, {0, 1, 2, 4});
    PhraseWindow phrase_window(phrase.words, kernels());
    for (const uint32_t window : {1u, 0u, 2u}) {
      const WindowBits candidates = Candidates(phrase, window);
      WindowBits docs = candidates;
      phrase_window.Retain(window, phrase.terms, nullptr, docs);
      candidates.ForEach([&](uint32_t in_window) {
        const DocId doc = window * kWindowDocs + in_window;
        const uint32_t expected = Expected(phrase, doc);
        const uint16_t frequency = phrase_window.Frequency(doc);
        const bool is_kept = (docs.words[in_window / 64] >> (in_window % 64) & 1) != 0;
        (frequency == PhraseWindow::kUnknown ? unknown : known) += 1;
        if (frequency == PhraseWindow::kUnknown) {
          EXPECT_TRUE(is_kept);
          return true;
        }
        EXPECT_EQ(frequency, expected) << doc;
        EXPECT_EQ(is_kept, expected > 0) << doc;
        if (expected > 0) {
          EXPECT_EQ(phrase_window.LengthCode(doc),
                    phrase.lists[0].codes[*phrase.lists[0].PostingOf(doc)]);
        }
        return !HasFailure();
      });
      docs.AndNot(candidates);
      EXPECT_EQ(docs.Count(), 0u);
    }
  }
  EXPECT_GT(known, 20000u);
  EXPECT_LT(unknown, known / 1000);
}

TEST_P(PhraseWindowTest, LeavesOutWhatTheTableRefuses) {
  Phrase phrase = Open({"t0", "t1", "t0"}, {0, 1, 2});
  PhraseWindow phrase_window(phrase.words, kernels());
  LeastFreqs table;
  table.least.fill(2);
  table.least[10] = 1;
  const WindowBits candidates = Candidates(phrase, 1);
  WindowBits docs = candidates;
  phrase_window.Retain(1, phrase.terms, &table, docs);
  uint32_t left_out = 0;
  candidates.ForEach([&](uint32_t in_window) {
    const DocId doc = kWindowDocs + in_window;
    const uint32_t expected = Expected(phrase, doc);
    const uint8_t code = phrase.lists[0].codes[*phrase.lists[0].PostingOf(doc)];
    const bool is_kept = (docs.words[in_window / 64] >> (in_window % 64) & 1) != 0;
    EXPECT_EQ(is_kept, expected >= table.least[code]) << doc;
    left_out += expected > 0 && !is_kept ? 1 : 0;
    const uint16_t frequency = phrase_window.Frequency(doc);
    EXPECT_TRUE(frequency == expected || frequency == PhraseWindow::kUnknown);
    return true;
  });
  EXPECT_GT(left_out, 10u);
  EXPECT_GT(docs.Count(), 10u);
}

TEST_P(PhraseWindowTest, KnowsNothingOfOtherWindowsAndDocuments) {
  Phrase phrase = Open({"t0", "t1"}, {0, 1});
  PhraseWindow phrase_window(phrase.words, kernels());
  EXPECT_EQ(phrase_window.Frequency(0), PhraseWindow::kUnknown);
  WindowBits docs = Candidates(phrase, 0);
  const WindowBits all = docs;
  for (uint64_t& word : docs.words) word &= 0x00000000ffffffff;
  phrase_window.Retain(0, phrase.terms, nullptr, docs);
  EXPECT_EQ(phrase_window.Frequency(kWindowDocs + 1), PhraseWindow::kUnknown);
  all.ForEach([&](uint32_t doc) {
    if (doc % 64 >= 32) {
      EXPECT_EQ(phrase_window.Frequency(doc), PhraseWindow::kUnknown);
    }
    return true;
  });
}

TEST_P(PhraseWindowTest, LeavesAllOpenWhereRanksDisagreeWithBits) {
  Phrase phrase = Open({"t0", "t1"}, {0, 1});
  ASSERT_NE(phrase.lists[0].bits, nullptr);
  std::vector<uint64_t> bits(phrase.lists[0].bits,
                             phrase.lists[0].bits + BitsetWords(phrase.lists[0].doc_count));
  WindowBits docs = Candidates(phrase, 0);
  const WindowBits candidates = docs;
  for (uint64_t& word : bits) word |= 0xff;
  phrase.lists[0].bits = bits.data();
  phrase.terms[0] = PostingWindows(phrase.lists[0], context_);
  PhraseWindow phrase_window(phrase.words, kernels());
  phrase_window.Retain(0, phrase.terms, nullptr, docs);
  EXPECT_EQ(docs.words, candidates.words);
}

INSTANTIATE_TEST_SUITE_P(Levels, PhraseWindowTest,
                         testing::Values(SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512),
                         [](const auto& level) { return std::string(ToString(level.param)); });

}  // namespace phrase_window_test
}  // namespace pmdex
