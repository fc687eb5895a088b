// Compares the search of whole lists with the exhaustive evaluator, and checks that the leads share
// out the documents.
#include "query/algorithm/list_search.h"

#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "engine/analysis/analyzer.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/directory.h"
#include "query/algorithm/exhaustive.h"
#include "query/algorithm/pruned_search.h"
#include "query/language/query_parser.h"
#include "query/planning/planner.h"
#include "query/planning/query_binder.h"
#include "tests/support/deletions.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace list_search_test {

constexpr uint32_t kDocs = 40'000;

// One segment of documents with one field. Term i is in one of kRareness[i] documents, in some of
// them often. "all" is in every document, and "rest" makes documents of several lengths.
constexpr size_t kRareness[] = {40, 45, 400, 3000, 35, 700};

std::shared_ptr<const Segment> WriteLists(Directory& directory) {
  SeededRandom random(11);
  VectorSegmentInput input({.positions = true, .analyzer = AnalyzerKind::kWhitespace});
  const FieldId field = input.AddField("body");
  for (uint32_t i = 0; i < kDocs; ++i) {
    const DocId doc = input.AddDocument("d" + std::to_string(i));
    uint32_t position = 0;
    const auto add = [&](const std::string& term, size_t count) {
      VectorPosting posting;
      posting.doc = doc;
      posting.freq = static_cast<uint32_t>(count);
      for (size_t n = 0; n < count; ++n) posting.positions.push_back(position++);
      input.AddPosting(field, term, std::move(posting));
    };
    add("all", 1 + random.Below(3));
    add("rest", 1 + random.Below(20));
    for (size_t term = 0; term < std::size(kRareness); ++term) {
      if (random.OneIn(kRareness[term])) add("t" + std::to_string(term), 1 + random.Below(5));
    }
  }
  input.Finish();
  const auto written = WriteSegment(directory, 1, input);
  EXPECT_TRUE(written.ok()) << written.status();
  auto file = directory.Open(written->file_name);
  EXPECT_TRUE(file.ok()) << file.status();
  auto segment = Segment::Open(*std::move(file), written->file_name, std::nullopt);
  EXPECT_TRUE(segment.ok()) << segment.status();
  return *segment;
}

class ListSearchTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = NewDramDirectory("lists");
    IndexSettings settings;
    settings.analyzer = AnalyzerKind::kWhitespace;
    whole_ = Snapshot::Of(settings, {WriteLists(*directory_)});
    snapshot_ = whole_;
  }
  static void TearDownTestSuite() {
    snapshot_.reset();
    whole_.reset();
    directory_.reset();
  }
  ~ListSearchTest() override { snapshot_ = whole_; }

  // Calls check() for the index without deletions and with deletions of every kind.
  template <typename Check>
  static void WithEveryDeletions(Check check) {
    for (const Deletions deletions : kEveryDeletions) {
      SCOPED_TRACE(ToString(deletions));
      snapshot_ = WithDeletions(*whole_, deletions);
      check();
      if (HasFatalFailure()) return;
    }
  }

  static QueryBinding Bind(const std::string& text, uint32_t minimum_should_match = 0) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
    const auto query = QueryParser(*analyzer, snapshot_->field_names()).Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    (*query)->minimum_should_match = minimum_should_match;
    auto binding = BindQuery(**query, *snapshot_, SimilarityKind::kBm25);
    EXPECT_TRUE(binding.ok()) << binding.status();
    return *std::move(binding);
  }
  static void ExpectSame(const std::vector<ScoredDoc>& found,
                         const std::vector<ScoredDoc>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].doc, expected[i].doc) << i;
      ASSERT_EQ(found[i].score, expected[i].score) << i;
    }
  }
  OpenQuery Open(const QueryBinding& binding) {
    auto query = OpenClauses(Flatten(*binding.root), context_);
    EXPECT_TRUE(query.ok()) << query.status();
    return *std::move(query);
  }
  // Every document that the lead finds, in the order of the scores.
  static std::vector<ScoredDoc> AllOf(LeadSearch& lead, TopK& top) {
    const auto [begin, end] = lead.Postings(0, 0xffffffff);
    lead.Search(begin, end, -std::numeric_limits<float>::infinity());
    return top.Take();
  }

  inline static std::unique_ptr<Directory> directory_;
  inline static std::shared_ptr<const Snapshot> snapshot_, whole_;
  SharedExpansions expansions_;
  SegmentContext context_{
      *snapshot_->segments()[0], 0,           0,
      BestQueryKernels(),        expansions_, {kDocs, "segment", absl::OkStatus()}};
};

constexpr const char* kOfLists[] = {"t0 t1",    "t0 t1 t2 t3 t4 t5", "t0 t0 t3",  "t3",
                                    "t2 t3 t5", "t0 t3 t3 t1",       "t4 t0^3 t2"};

TEST_F(ListSearchTest, FindsEachDocumentOfTheListsOnceWithItsScore) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    for (const char* text : kOfLists) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      const auto expected = SearchExhaustively(binding, kDocs);
      ASSERT_TRUE(expected.ok());
      const OpenQuery query = Open(binding);
      TopK top(kDocs);
      ListSearch search({context_, query, top});
      TopK all(kDocs);
      for (const std::span<LeadSearch> leads : {search.short_leads(), search.LongLeads()}) {
        for (LeadSearch& lead : leads) {
          for (const ScoredDoc& doc : AllOf(lead, top)) {
            EXPECT_LE(doc.score, lead.bound());
            all.Add(doc);
          }
        }
      }
      ExpectSame(all.Take(), expected->docs);
      EXPECT_EQ(search.bound_beside_lists(), 0);
      EXPECT_EQ(search.scored(), expected->total);
    }
  });
}

TEST_F(ListSearchTest, BoundsTheDocumentsThatAreInNoList) {
  WithEveryDeletions([&] {
    context_.cursor.live_docs = snapshot_->live_docs(0);
    const QueryBinding binding = Bind("all t1 t4 t3 -t2");
    const auto expected = SearchExhaustively(binding, kDocs);
    ASSERT_TRUE(expected.ok());
    const OpenQuery query = Open(binding);
    TopK top(kDocs);
    ListSearch search({context_, query, top});
    std::set<uint64_t> found;
    for (const std::span<LeadSearch> leads : {search.short_leads(), search.LongLeads()}) {
      for (LeadSearch& lead : leads) {
        for (const ScoredDoc& doc : AllOf(lead, top)) found.insert(doc.doc);
      }
    }
    EXPECT_LE(search.bound_beside_lists(), search.bound_beside_short());
    size_t others = 0;
    for (const ScoredDoc& doc : expected->docs) {
      if (found.count(doc.doc) != 0) continue;
      ++others;
      EXPECT_LE(doc.score, search.bound_beside_lists());
    }
    EXPECT_EQ(others + found.size(), expected->docs.size());
    EXPECT_EQ(others == 0, expected->docs.empty());
  });
}

TEST_F(ListSearchTest, LooksTheDocumentsOfShortListsUpInTheLongOnes) {
  const auto leads_of = [this](const char* text) {
    const QueryBinding binding = Bind(text);
    const OpenQuery query = Open(binding);
    TopK top(10);
    ListSearch search({context_, query, top});
    return std::pair{search.short_leads().size(), search.LongLeads().size()};
  };
  EXPECT_EQ(leads_of("t0 t2 t3"), std::pair(size_t{2}, size_t{1}));
  EXPECT_EQ(leads_of("t3 all"), std::pair(size_t{1}, size_t{0})) << "nothing else to read";
  EXPECT_EQ(leads_of("t0 t1"), std::pair(size_t{0}, size_t{3})) << "first what both have";
}

TEST_F(ListSearchTest, FindsTheBestDocumentsWhereSegmentsAreSearchedWithIt) {
  WithEveryDeletions([&] {
    for (const char* text : {"t0 t1", "t0 all", "t3 all", "t0 t1 t2 t3 t4 t5 all", "t3 t1 rest",
                             "t0 t3 -t1", "t5 t2^9 rest all", "t2 t3 t5"}) {
      SCOPED_TRACE(text);
      const QueryBinding binding = Bind(text);
      for (const size_t k : {1, 10, 300}) {
        PlanOptions options;
        options.k = k;
        const SearchPlan plan = PlanSearch(binding, options);
        const auto expected = SearchExhaustively(binding, k);
        const auto found = SearchPruned({binding, plan});
        ASSERT_TRUE(expected.ok() && found.ok());
        ASSERT_NO_FATAL_FAILURE(ExpectSame(found->docs, expected->docs));
        EXPECT_LE(found->scored, expected->total);
      }
    }
  });
}

TEST_F(ListSearchTest, ObeysLimitsAndMinimumNumbersOfClauses) {
  WithEveryDeletions([&] {
    SeededRandom random(12);
    for (const char* text : {"t0 t1 t4 all", "t0 t1 t2 t3 t4", "t3 t1 t0 rest^0.1",
                             "t5 t2^9 rest all", "t0 t1 t4 t5 -t3", "t0 t3 t0 t1"}) {
      for (const uint32_t minimum : {0, 2, 3}) {
        SCOPED_TRACE(text + (" with a minimum of " + std::to_string(minimum)));
        const QueryBinding binding = Bind(text, minimum);
        const auto all = SearchExhaustively(binding, kDocs);
        ASSERT_TRUE(all.ok());
        if (all->docs.empty()) continue;
        for (int i = 0; i < Rounds(12); ++i) {
          PlanOptions options;
          options.k = 1 + random.Below(40);
          if (i % 2 == 0) options.limits.after = all->docs[random.Below(all->docs.size())];
          if (i % 3 == 0)
            options.limits.min_score = all->docs[random.Below(all->docs.size())].score;
          const auto expected = SearchExhaustively(binding, options.k, {}, options.limits);
          if (i % 3 != 0) options.count_limit = random.Below(2 * all->docs.size());
          const SearchPlan plan = PlanSearch(binding, options);
          const auto found = SearchPruned({binding, plan});
          ASSERT_TRUE(expected.ok() && found.ok());
          ASSERT_EQ(found->segments[0], Algorithm::kWholeLists);
          ASSERT_NO_FATAL_FAILURE(ExpectSame(found->docs, expected->docs));
          ASSERT_LE(found->scored, all->total);
          if (found->matches.has_value() && *found->matches <= plan.count_limit) {
            ASSERT_EQ(*found->matches, all->total);
          }
        }
      }
    }
  });
}

}  // namespace list_search_test
}  // namespace pmdex
