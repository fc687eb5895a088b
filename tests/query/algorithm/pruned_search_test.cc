#include "query/algorithm/pruned_search.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "query/algorithm/exhaustive.h"
#include "query/algorithm/scoring/sure_score.h"
#include "query/language/query_parser.h"
#include "tests/support/deletions.h"
#include "tests/support/effort.h"
#include "tests/support/planned_search.h"
#include "tests/support/random_corpus.h"
#include "tests/support/random_tree.h"
#include "tests/support/windowed_index.h"

namespace pmdex {
namespace pruned_search_test {

class PrunedSearch : public WindowedIndexTest<testing::Test, 40000, 300, 4096 * 2> {
 protected:
  static std::vector<const QueryKernels*> UsableKernels() {
    std::vector<const QueryKernels*> kernels;
    for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
      if (IsUsable(level)) kernels.push_back(&QueryKernelsOf(level));
    }
    return kernels;
  }

  // Every second query of a test is asked without deletions.
  static void UseDeletionsInTurn(int query) {
    const auto turn = static_cast<size_t>(query / 2);
    UseDeletions(query % 2 == 0 ? Deletions::kNone : kEveryDeletions[turn % 6]);
  }

  // Same documents, same scores, same order, same count.
  static void ExpectEqualsTheOracle(const std::string& text, SimilarityKind similarity) {
    SCOPED_TRACE(text);
    ExpectEqualsTheOracle(Bind(text, similarity), {1, 10, 137, 3000});
  }
  static void ExpectEqualsTheOracle(const QueryBinding& binding,
                                    const std::vector<size_t>& wanted) {
    for (const size_t k : wanted) {
      const auto expected = SearchExhaustively(binding, k);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (const QueryKernels* kernels : UsableKernels()) {
        const auto count = PlanAndCount(binding, *kernels);
        ASSERT_TRUE(count.ok()) << count.status();
        ASSERT_EQ(count->count, expected->total);
        ASSERT_FALSE(count->timed_out);
        if (!IsPruned(binding)) continue;
        PlanOptions options;
        options.k = k;
        options.count = k != 10;
        const auto pruned = PlanAndSearch(binding, options, *kernels);
        ASSERT_TRUE(pruned.ok()) << pruned.status();
        ASSERT_EQ(pruned->matches.value_or(expected->total), expected->total) << k;
        ASSERT_FALSE(pruned->matches.has_value() && !options.count);
        ASSERT_EQ(pruned->docs.size(), expected->docs.size()) << k;
        for (size_t i = 0; i < pruned->docs.size(); ++i) {
          ASSERT_EQ(pruned->docs[i].doc, expected->docs[i].doc) << i << " of " << k;
          ASSERT_EQ(pruned->docs[i].score, expected->docs[i].score) << i << " of " << k;
        }
        ASSERT_LE(pruned->scored, expected->total);
      }
    }
  }
};

std::string RandomTerm(SeededRandom& random) {
  const std::string field = random.OneIn(4) ? (random.OneIn(3) ? "" : "title:") : "body:";
  const std::string boost = random.OneIn(6) ? "^" + std::to_string(1 + random.Below(4)) : "";
  return field + "t" + std::to_string(random.Below(13)) + boost;  // t12 does not exist
}

std::string RandomPhrase(SeededRandom& random) {
  std::string text = "body:\"";
  const size_t words = 2 + random.Below(3);
  for (size_t i = 0; i < words; ++i) text += (i ? " t" : "t") + std::to_string(random.Below(6));
  return text + (random.OneIn(3) ? "\"~2" : "\"");
}

std::string RandomLeaf(SeededRandom& random) {
  if (random.OneIn(6)) return RandomPhrase(random);
  if (random.OneIn(15)) return "t1*";
  if (random.OneIn(15)) return "title:*";
  if (random.OneIn(25)) return "*:*";
  if (random.OneIn(10)) {
    return "(t" + std::to_string(random.Below(12)) + "^0.3 " + RandomTerm(random) + " " +
           RandomTerm(random) + ")";
  }
  if (random.OneIn(10)) return "(" + RandomTerm(random) + " " + RandomTerm(random) + ")";
  return RandomTerm(random);
}

// Clauses of any kind, some of them groups again.
std::string RandomGroup(SeededRandom& random, int depth) {
  std::string text;
  const size_t clauses = 2 + random.Below(3);
  for (size_t c = 0; c < clauses; ++c) {
    const char* occur[] = {"", "", "+", "+", "-"};
    const std::string boost = random.OneIn(5) ? "^" + std::to_string(random.Below(4)) : "";
    text += (c ? " " : "") + std::string(occur[random.Below(5)]);
    text += depth > 0 && random.OneIn(2) ? "(" + RandomGroup(random, depth - 1) + ")" + boost
                                         : RandomLeaf(random);
  }
  return text;
}

QueryPointer Parse(const std::string& text) {
  const auto analyzer = NewAnalyzer(AnalyzerKind::kWhitespace);
  const std::vector<std::string> fields = {"body", "title"};
  auto query = QueryParser(*analyzer, fields).Parse(text);
  EXPECT_TRUE(query.ok()) << query.status();
  return *std::move(query);
}

// A tree of every kind of combination over the leaves of RandomLeaf and phrase prefixes.
QueryPointer RandomQuery(SeededRandom& random) {
  const auto leaf = [&]() -> QueryPointer {
    if (random.OneIn(8)) return ToPhrasePrefix(random, Parse(RandomPhrase(random)));
    return Parse(RandomLeaf(random));
  };
  const auto id = [&] {
    return "d" + std::to_string(1 + random.Below(4)) + "-" + std::to_string(random.Below(9000));
  };
  return RandomTree(random, 1 + static_cast<int>(random.Below(3)), leaf, id);
}

TEST_F(PrunedSearch, EqualsTheOracleOnTreesOfEveryKind) {
  SeededRandom random(91);
  size_t pruned = 0;
  for (int i = 0; i < Rounds(250) && !testing::Test::HasFailure(); ++i) {
    UseDeletionsInTurn(i);
    const QueryPointer query = RandomQuery(random);
    SCOPED_TRACE(ToString(*query));
    const auto binding =
        BindQuery(*query, *snapshot_, i % 3 == 0 ? SimilarityKind::kTfidf : SimilarityKind::kBm25);
    ASSERT_TRUE(binding.ok()) << binding.status();
    pruned += IsPruned(*binding) ? 1 : 0;
    ExpectEqualsTheOracle(*binding, {1, 10, 300});
  }
  EXPECT_GT(pruned, kIsSanitized ? 4u : 120u);
}

// Deadlines, limits of the ranking and several threads at once.
TEST_F(PrunedSearch, EqualsTheOracleOnTreesWithLimits) {
  SeededRandom random(92);
  for (int i = 0; i < Rounds(120) && !testing::Test::HasFailure(); ++i) {
    UseDeletionsInTurn(i);
    const QueryPointer query = RandomQuery(random);
    SCOPED_TRACE(ToString(*query));
    const auto binding = BindQuery(*query, *snapshot_, SimilarityKind::kBm25);
    ASSERT_TRUE(binding.ok()) << binding.status();
    const auto all = SearchExhaustively(*binding, 2000);
    ASSERT_TRUE(all.ok());
    PlanOptions options;
    options.k = 1 + random.Below(200);
    options.threads = 1 + random.Below(3);
    options.least_parallel_postings = 0;
    options.windows_per_range = 2;
    if (!all->docs.empty()) {
      if (random.OneIn(2)) options.limits.after = all->docs[random.Below(all->docs.size())];
      if (random.OneIn(2)) {
        options.limits.min_score = all->docs[random.Below(all->docs.size())].score;
      }
    }
    if (random.OneIn(2)) options.count_limit = random.Below(2 * all->total + 2);
    const SearchPlan plan = PlanSearch(*binding, options);
    if (plan.algorithm == Algorithm::kNone || plan.algorithm == Algorithm::kExhaustive) continue;
    const auto expected = SearchExhaustively(*binding, options.k, {}, options.limits);
    const auto found = PlanAndSearch(*binding, options);
    ASSERT_TRUE(expected.ok() && found.ok());
    ASSERT_NO_FATAL_FAILURE(ExpectSame(found->docs, expected->docs));
    ASSERT_LE(found->scored, expected->total);
    if (!options.count_limit.has_value()) continue;
    // Exact up to the limit, and more than the limit where more match.
    const auto count = CountMatches({*binding, plan});
    ASSERT_TRUE(count.ok());
    for (const uint64_t matches : {count->count, found->matches.value_or(count->count)}) {
      ASSERT_EQ(std::min(matches, *options.count_limit + 1),
                std::min(all->total, *options.count_limit + 1));
      ASSERT_LE(matches, all->total);
    }
  }
}

TEST_F(PrunedSearch, ScoresFewDocumentsOfAFilteredQueryAndOfAMaximum) {
  const auto scored = [&](const Query& query) {
    const auto binding = BindQuery(query, *snapshot_, SimilarityKind::kBm25);
    const auto all = SearchExhaustively(*binding, 10);
    const auto pruned = PlanAndSearch(*binding);
    EXPECT_TRUE(all.ok() && pruned.ok());
    return static_cast<double>(pruned->scored) / static_cast<double>(all->total);
  };
  Query filtered;
  filtered.kind = QueryKind::kBoolean;
  filtered.clauses.push_back({Occur::kFilter, Parse("body:t1")});
  filtered.clauses.push_back({Occur::kMust, Parse("body:t0")});
  EXPECT_LT(scored(filtered), 0.25);
  Query best;
  best.kind = QueryKind::kDisjunctionMax;
  best.tie_breaker = 0.3f;
  best.clauses.push_back({Occur::kShould, Parse("body:t0 body:t3")});
  best.clauses.push_back({Occur::kShould, Parse("title:t0 title:t3")});
  EXPECT_LT(scored(best), 0.5);
}

TEST_F(PrunedSearch, EqualsTheOracleOnTerms) {
  WithEveryDeletions([&] {
    for (int rank = 0; rank < 12; rank += kIsSanitized ? 5 : 1) {
      for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
        ExpectEqualsTheOracle("body:t" + std::to_string(rank), kind);
        ExpectEqualsTheOracle("t" + std::to_string(rank), kind);
      }
    }
  });
}

TEST_F(PrunedSearch, EqualsTheOracleOnRandomQueries) {
  SeededRandom random(42);
  for (int i = 0; i < Rounds(250) && !testing::Test::HasFailure(); ++i) {
    UseDeletionsInTurn(i);
    std::string text;
    const size_t clauses = 1 + random.Below(5);
    for (size_t c = 0; c < clauses; ++c) {
      const char* occur[] = {"", "", "+", "+", "-"};
      text += (c ? " " : "") + std::string(occur[random.Below(5)]) + RandomLeaf(random);
    }
    ExpectEqualsTheOracle(text, i % 3 == 0 ? SimilarityKind::kTfidf : SimilarityKind::kBm25);
  }
}

TEST_F(PrunedSearch, EqualsTheOracleOnRandomTrees) {
  SeededRandom random(43);
  for (int i = 0; i < Rounds(150) && !testing::Test::HasFailure(); ++i) {
    UseDeletionsInTurn(i);
    ExpectEqualsTheOracle(RandomGroup(random, 1 + static_cast<int>(random.Below(3))),
                          i % 3 == 0 ? SimilarityKind::kTfidf : SimilarityKind::kBm25);
  }
}

TEST_F(PrunedSearch, ScoresFewDocumentsOfAGroup) {
  for (const char* text :
       {"(+body:t0 +body:t1) body:t3", "+(+body:t0 +body:t3) +(body:t1 title:t1)"}) {
    const QueryBinding binding = Bind(text, SimilarityKind::kBm25);
    const auto all = SearchExhaustively(binding, 10);
    const auto pruned = PlanAndSearch(binding);
    ASSERT_TRUE(all.ok() && pruned.ok());
    EXPECT_LT(pruned->scored, all->total / 4) << text;
  }
}

TEST_F(PrunedSearch, DoesNotOpenSegmentsThatCannotCompete) {
  size_t left_out = 0;
  for (int rank = 0; rank < 12; ++rank) {
    const QueryBinding binding = Bind("body:t" + std::to_string(rank), SimilarityKind::kBm25);
    PlanOptions options;
    options.k = 1;
    const auto best = PlanAndSearch(binding, options);
    const auto expected = SearchExhaustively(binding, 1);
    ASSERT_TRUE(best.ok() && expected.ok());
    ASSERT_EQ(best->docs.size(), 1u);
    EXPECT_EQ(best->docs[0].doc, expected->docs[0].doc);
    left_out += static_cast<size_t>(
        std::count(best->segments.begin(), best->segments.end(), Algorithm::kNone));
  }
  EXPECT_GT(left_out, 3u);
}

TEST_F(PrunedSearch, ScoresEveryMatchWhenAskedTo) {
  WithEveryDeletions([&] {
    for (const char* text :
         {"body:\"t0 t1\"", "body:\"t2 t0 t2\"~3", "body:t4 body:t7", "+body:t0 +body:t5"}) {
      const QueryBinding binding = Bind(text, SimilarityKind::kBm25);
      const auto all = SearchExhaustively(binding, 10);
      SearchPlan plan = PlanSearch(binding, {});
      plan.count = CountMethod::kByScoring;
      const auto scored = SearchPruned({binding, plan});
      ASSERT_TRUE(all.ok() && scored.ok());
      EXPECT_EQ(scored->scored, all->total) << text;
      ASSERT_EQ(scored->docs.size(), all->docs.size());
      for (size_t i = 0; i < all->docs.size(); ++i)
        EXPECT_EQ(scored->docs[i].doc, all->docs[i].doc);
    }
  });
}

TEST_F(PrunedSearch, EqualsTheOracleOnSeveralThreads) {
  SeededRandom random(77);
  for (int i = 0; i < Rounds(60); ++i) {
    UseDeletionsInTurn(i);
    const std::string text =
        RandomLeaf(random) + " " + RandomLeaf(random) + " +" + RandomLeaf(random);
    SCOPED_TRACE(text);
    const QueryBinding binding = Bind(text, SimilarityKind::kBm25);
    if (!IsPruned(binding)) continue;
    for (const size_t k : {1, 10, 500}) {
      const auto expected = SearchExhaustively(binding, k);
      PlanOptions options;
      options.k = k;
      options.threads = 3;
      options.least_parallel_postings = 0;
      options.windows_per_range = 2;
      ASSERT_EQ(PlanSearch(binding, options).threads, 3u);
      const auto found = PlanAndSearch(binding, options);
      ASSERT_TRUE(expected.ok() && found.ok());
      ASSERT_EQ(found->docs.size(), expected->docs.size());
      for (size_t j = 0; j < found->docs.size(); ++j) {
        ASSERT_EQ(found->docs[j].doc, expected->docs[j].doc) << j << " of " << k;
        ASSERT_EQ(found->docs[j].score, expected->docs[j].score);
      }
    }
  }
}

TEST_F(PrunedSearch, ScoresFewDocumentsOfMany) {
  const QueryBinding binding = Bind("body:t0 body:t3", SimilarityKind::kBm25);
  const auto all = SearchExhaustively(binding, 10);
  const auto pruned = PlanAndSearch(binding);
  ASSERT_TRUE(all.ok() && pruned.ok());
  EXPECT_LT(pruned->scored, all->total / 10);
  EXPECT_FALSE(pruned->timed_out);
}

TEST_F(PrunedSearch, GivesTheBestSoFarAtTheDeadline) {
  const QueryBinding binding = Bind("body:t0 body:t3", SimilarityKind::kBm25);
  const QueryKernels& kernels = BestQueryKernels();
  const Deadline over = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto late = PlanAndSearch(binding, {}, kernels, over);
  ASSERT_TRUE(late.ok());
  EXPECT_TRUE(late->timed_out);
  EXPECT_LE(late->docs.size(), 10u);
  PlanOptions options;
  options.count = true;
  EXPECT_FALSE(PlanAndSearch(binding, options, kernels, over)->matches.has_value());
  const auto counted = PlanAndCount(binding, kernels, over);
  const auto walked = SearchExhaustively(binding, 10, over);
  ASSERT_TRUE(counted.ok() && walked.ok());
  EXPECT_TRUE(counted->timed_out);
  EXPECT_TRUE(walked->timed_out);
}

TEST_F(PrunedSearch, CountsWhileItRanksWhenAsked) {
  WithEveryDeletions([&] {
    for (const char* text : {"body:t0 body:t3", "+body:t0 +title:t9", "+body:t0 -title:t9 body:t1",
                             "+title:t9 -body:t0"}) {
      const QueryBinding binding = Bind(text, SimilarityKind::kBm25);
      PlanOptions options;
      options.count = true;
      const auto pruned = PlanAndSearch(binding, options);
      ASSERT_TRUE(pruned.ok());
      EXPECT_EQ(pruned->matches.value_or(0), SearchExhaustively(binding, 1)->total) << text;
    }
  });
}

TEST_F(PrunedSearch, EqualsTheOracleWhereScoresAreZeroOrAllTheSame) {
  WithEveryDeletions([&] {
    for (const char* text : {"body:t0^0", "body:t1^0 body:t5", "+body:t1^0 +body:t2^0", "title:*^0",
                             "body:t1*", "body:t1*^0 body:t9", "body:\"t0 t1\"^0", "*:* -body:t0",
                             "body:\"t1 t0\"~3^0 body:t11"}) {
      for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
        ExpectEqualsTheOracle(text, kind);
      }
    }
  });
}

TEST_F(PrunedSearch, EqualsTheOracleOnManyTerms) {
  WithEveryDeletions([&] {
    std::string text;
    for (int i = 0; i < 12; ++i) {
      for (const char* field : {"body:t", "title:t"}) text += field + std::to_string(i) + " ";
    }
    ExpectEqualsTheOracle(text, SimilarityKind::kBm25);
    ExpectEqualsTheOracle("body:t11~1 title:t9~1", SimilarityKind::kBm25);
    ExpectEqualsTheOracle("body:t11~2", SimilarityKind::kBm25);
  });
}

TEST_F(PrunedSearch, IsNotForWhatMatchesNothingOrWeighsLessThanZero) {
  EXPECT_TRUE(IsPruned(Bind("body:t0", SimilarityKind::kBm25)));
  EXPECT_FALSE(IsPruned(Bind("body:nowhere", SimilarityKind::kBm25)));
  const QueryBinding binding = Bind("+body:t0 (+body:t2 -title:t3)", SimilarityKind::kBm25);
  EXPECT_TRUE(IsPruned(binding));
  const std::vector<BoundClause>& group = binding.root->clauses[1].query->clauses;
  group[1].query->scorer.weight = -1;  // prohibited: never scored
  EXPECT_TRUE(IsPruned(binding));
  group[0].query->scorer.weight = -1;
  EXPECT_FALSE(IsPruned(binding));
}

// Far more of the best documents are deleted than of all, so that the score that a search begins
// with is not reached by enough documents, and it has to begin anew.
TEST_F(PrunedSearch, FindsTheBestAlsoIfTheBestOfAListAreDeleted) {
  const auto whole = snapshot_;
  size_t too_few = 0;
  for (const char* text : {"body:t0", "body:t1", "title:t0 body:t2"}) {
    for (const size_t best : {15, 150, 1200}) {
      snapshot_ = whole;
      const auto of_whole = SearchExhaustively(Bind(text), best);
      ASSERT_TRUE(of_whole.ok()) << of_whole.status();
      std::vector<uint64_t> deleted;
      for (const ScoredDoc& doc : of_whole->docs) deleted.push_back(doc.doc);
      snapshot_ = WithDeletions(*whole, deleted);
      ExpectEqualsTheOracle(text, SimilarityKind::kBm25);
      const QueryBinding binding = Bind(text);
      PlanOptions options;
      options.k = 10;
      const SearchPlan plan = PlanSearch(binding, options);
      const auto likely = FindLikelyScore({binding, plan});
      const auto expected = SearchExhaustively(binding, options.k);
      ASSERT_TRUE(likely.ok() && expected.ok());
      if (*likely > expected->docs.back().score) ++too_few;
    }
  }
  EXPECT_GT(too_few, 0u);
}

}  // namespace pruned_search_test
}  // namespace pmdex
