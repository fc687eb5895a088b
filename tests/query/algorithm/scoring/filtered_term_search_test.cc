// A term beside ranges of columns, against the exhaustive search: frequent terms, whose best
// postings are read first, and rare ones, which lead.
#include "query/algorithm/scoring/filtered_term_search.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "query/algorithm/exhaustive.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/columns/snapshot_columns.h"
#include "query/language/query_parser.h"
#include "query/planning/query_binder.h"
#include "query/searcher.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/deletions.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace filtered_term_search_test {

// The field body has the words often, some (a fifth), few (a hundredth) and rare (fewer than a
// block). `ties`: each document has four words, so that scores tie. The columns: uniform has a
// random value below 1,000, gaps the same where there is one, several up to three of them, rising
// the number of the document.
std::shared_ptr<const Segment> MakeSegment(uint64_t seed, uint32_t docs, bool ties) {
  SeededRandom random(seed);
  VectorSegmentInput input({.positions = false});
  const FieldId body = input.AddField("body");
  for (uint32_t doc = 0; doc < docs; ++doc) {
    const DocId id = input.AddDocument("d" + std::to_string(doc));
    std::string text;
    const uint64_t length = ties ? 4 : 1 + random.Below(random.Below(10) == 0 ? 300 : 30);
    for (uint64_t word = 0; word < length; ++word) text += random.Below(3) == 0 ? "often " : "x ";
    if (random.Below(5) == 0) text += "some ";
    if (random.Below(100) == 0) text += "few ";
    if (random.Below(docs / 100 + 1) == 0) text += "rare ";
    input.AddText(id, body, text);
    input.AddValue(id, "uniform", FieldValue::U64(random.Below(1000)));
    if (random.Below(3) != 0) input.AddValue(id, "gaps", FieldValue::U64(random.Below(1000)));
    for (uint64_t n = random.Below(4); n > 0; --n) {
      input.AddValue(id, "several", FieldValue::U64(random.Below(1000)));
    }
    input.AddValue(id, "rising", FieldValue::U64(doc));
  }
  input.Finish();
  return SegmentBytes(input).Open().value();
}

std::shared_ptr<const Snapshot> MakeSnapshot(std::vector<std::shared_ptr<const Segment>> segments) {
  IndexSettings settings;
  settings.analyzer = AnalyzerKind::kWhitespace;
  settings.positions = false;
  return Snapshot::Of(settings, std::move(segments));
}

std::string RandomQuery(SeededRandom& random) {
  const char* const words[] = {"often", "often", "some", "few", "rare"};
  std::string query = "+body:" + std::string(words[random.Below(5)]);
  for (uint64_t filters = 1 + random.Below(3) / 2; filters > 0; --filters) {
    const char* const columns[] = {"uniform", "gaps", "several", "rising"};
    const uint64_t column = random.Below(4);
    const uint64_t most = column == 3 ? 30'000 : 1000;
    const uint64_t low = random.Below(most);
    const uint64_t widths[] = {0, most / 100, most / 10, most / 2};
    query += " +" + std::string(columns[column]) + ":[" + std::to_string(low) + " TO " +
             std::to_string(low + widths[random.Below(4)]) + "]";
    if (random.Below(4) == 0) query += "^0.5";
  }
  return query;
}

TEST(FilteredTermSearch, EqualsTheExhaustiveSearch) {
  const auto whole = MakeSnapshot(
      {MakeSegment(1, 30'000, true), MakeSegment(2, 20'000, false), MakeSegment(3, 9'000, true)});
  const auto compressed = CompressSnapshot(*whole, CompressedSegments::kEverySecond);
  SeededRandom random(3);
  for (const auto& base : {whole, compressed}) {
    for (const Deletions deletions : kEveryDeletions) {
      SCOPED_TRACE(ToString(deletions));
      const Searcher searcher(WithDeletions(*base, deletions));
      for (int round = 0; round < (kIsSanitized ? 10 : 120); ++round) {
        const std::string query = RandomQuery(random);
        SearchOptions options;
        const size_t wanted[] = {1, 10, 100};
        options.k = wanted[random.Below(3)];
        options.count = random.Below(3) == 0;
        const auto pruned = searcher.Search(query, options);
        options.exhaustive = true;
        const auto expected = searcher.Search(query, options);
        ASSERT_TRUE(pruned.ok() && expected.ok()) << query;
        if (options.count) {
          ASSERT_EQ(pruned->total, expected->total) << query;
        }
        ASSERT_EQ(pruned->hits.size(), expected->hits.size()) << query << " k " << options.k;
        for (size_t i = 0; i < expected->hits.size(); ++i) {
          ASSERT_EQ(pruned->hits[i].id, expected->hits[i].id) << query << " hit " << i;
          ASSERT_EQ(pruned->hits[i].score, expected->hits[i].score) << query << " hit " << i;
        }
      }
    }
  }
}

class FilteredTermSearchTest : public testing::Test {
 protected:
  // Opens the query on a segment of 100,000 documents whose scores tie. nullopt if the search does
  // not promise to be enough.
  struct Outcome {
    bool has_plan = false;
    bool found_all = false;
    uint64_t scored = 0;
    std::vector<ScoredDoc> docs;
  };
  Outcome Run(const std::string& text, size_t k) {
    binding_ = std::make_unique<QueryBinding>(Bind(text));
    auto query = OpenClauses(Flatten(*binding_->root), context_);
    EXPECT_TRUE(query.ok());
    TopK top(k);
    const RankingContext ranking{context_, *query, top};
    const auto plan = FilteredTermSearch::PlanFor(ranking);
    if (!plan.has_value()) return {};
    FilteredTermSearch search(ranking, *plan);
    Outcome outcome{true, search.Run(), search.scored(), {}};
    outcome.docs = top.Take();
    return outcome;
  }
  QueryBinding Bind(const std::string& text) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
    QueryParser parser(*analyzer, snapshot_->field_names());
    parser.SetColumns(KnowledgeOf(*snapshot_));
    const auto query = parser.Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    return *BindQuery(**query, *snapshot_, SimilarityKind::kBm25);
  }

  std::shared_ptr<const Snapshot> snapshot_ = MakeSnapshot({MakeSegment(4, 100'000, true)});
  std::unique_ptr<QueryBinding> binding_;
  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {100'000, "segment", absl::OkStatus()}};
};

TEST_F(FilteredTermSearchTest, FindsTheBestAfterALookAtFewDocuments) {
  for (const char* const text : {"+body:often +uniform:<500", "+body:often +uniform:<20"}) {
    const Outcome outcome = Run(text, 10);
    ASSERT_TRUE(outcome.has_plan) << text;
    EXPECT_TRUE(outcome.found_all) << text;
    EXPECT_LE(outcome.scored, 100u) << text;
    const auto expected = SearchExhaustively(*binding_, 10);
    ASSERT_TRUE(expected.ok());
    ASSERT_EQ(outcome.docs.size(), expected->docs.size());
    for (size_t i = 0; i < outcome.docs.size(); ++i) {
      EXPECT_EQ(outcome.docs[i].doc, expected->docs[i].doc);
      EXPECT_EQ(outcome.docs[i].score, expected->docs[i].score);
    }
  }
}

TEST_F(FilteredTermSearchTest, PromisesNothingWhereItWouldLookTooManyDocumentsUp) {
  EXPECT_FALSE(Run("+body:often +uniform:3", 10).has_plan) << "the filter leaves too few";
  EXPECT_FALSE(Run("+body:often +uniform:<500", 10'000).has_plan) << "k is too large";
  EXPECT_FALSE(Run("+body:few +uniform:<500", 10).has_plan) << "docids";
  EXPECT_FALSE(Run("+body:often uniform:<500", 10).has_plan) << "no filter is required";
  EXPECT_FALSE(Run("+body:often +body:some +uniform:<500", 10).has_plan) << "two terms";
  EXPECT_FALSE(Run("+body:often +uniform:<500 -body:some", 10).has_plan) << "a prohibited term";
}

// Documents with a value of the range lie behind those that have the best scores.
TEST_F(FilteredTermSearchTest, SkipsWindowsInWhichAFilterHasNothing) {
  const Outcome outcome = Run("+body:often +rising:[90000 TO 95000]", 10);
  ASSERT_TRUE(outcome.has_plan);
  EXPECT_TRUE(outcome.found_all);
}

}  // namespace filtered_term_search_test
}  // namespace pmdex
