// Searches of random corpora by random queries, against the reference that looks at every document.
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "query/searcher.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"
#include "tests/support/random_tree.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace searcher_property_test {

struct PropertyCase {
  AnalyzerKind analyzer;
  bool positions;
  SimilarityKind similarity;
  size_t per_segment;
  uint64_t seed;
  size_t deleted_percent = 0;  // of the documents
};

// Adds the documents, and deletes some of them as the case says.
void AddDocuments(const PropertyCase& param, const std::vector<CorpusDocument>& documents,
                  ReferenceIndex& reference) {
  SeededRandom random(param.seed);
  for (size_t doc = 0; doc < documents.size(); ++doc) {
    reference.Add(documents[doc]);
    if (random.Below(100) < param.deleted_percent) reference.Delete(doc);
  }
}

class SearcherProperty : public testing::TestWithParam<PropertyCase> {};

QueryPointer Parse(const Searcher& searcher, std::string_view text) {
  const auto names = searcher.snapshot().field_names();
  const auto analyzer = NewAnalyzer(searcher.snapshot().settings().analyzer);
  auto query = QueryParser(*analyzer, names).Parse(text);
  EXPECT_TRUE(query.ok()) << query.status();
  return query.ok() ? *std::move(query) : std::make_unique<Query>();
}

// Expects the same documents and scores as the reference, in order of score and then of document.
void ExpectSameAsReference(const ReferenceIndex& reference, const Searcher& searcher,
                           const Query& query, SimilarityKind similarity) {
  SCOPED_TRACE(ToString(query));
  const auto expected = reference.Evaluate(query, similarity);
  SearchOptions options;
  options.similarity = similarity;
  options.k = 1u << 20;
  options.count = true;
  const auto all = searcher.Search(query, options);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->total, expected.size());
  ASSERT_EQ(all->hits.size(), expected.size());
  for (size_t i = 0; i < all->hits.size(); ++i) {
    const Hit& hit = all->hits[i];
    const auto match = expected.find(hit.doc);
    ASSERT_NE(match, expected.end()) << hit.id;
    EXPECT_EQ(hit.id, "doc-" + std::to_string(hit.doc));
    EXPECT_NEAR(hit.score, match->second.score,
                1e-6 * match->second.score + 3e-7 * match->second.magnitude);
    if (i == 0) continue;
    const Hit& before = all->hits[i - 1];
    EXPECT_TRUE(before.score > hit.score || (before.score == hit.score && before.doc < hit.doc));
  }
  // A smaller k must give the beginning of the same list.
  options.k = 7;
  const auto top = searcher.Search(query, options);
  ASSERT_TRUE(top.ok()) << top.status();
  EXPECT_EQ(top->total, expected.size());
  ASSERT_EQ(top->hits.size(), std::min<size_t>(7, expected.size()));
  for (size_t i = 0; i < top->hits.size(); ++i) {
    EXPECT_EQ(top->hits[i].doc, all->hits[i].doc);
    EXPECT_EQ(top->hits[i].score, all->hits[i].score);
  }
}

QueryPointer Exists(const std::string& field) {
  auto query = std::make_unique<Query>();
  query->kind = QueryKind::kExists;
  query->field = field;
  return query;
}

const Query* FirstPhraseOrTerm(const Query& query) {
  if (query.kind == QueryKind::kTerm || query.kind == QueryKind::kPhrase) return &query;
  for (const Clause& clause : query.clauses) {
    if (const Query* found = FirstPhraseOrTerm(*clause.query)) return found;
  }
  return nullptr;
}

QueryPointer Copy(const Query& leaf) {
  auto copy = std::make_unique<Query>(LeafOf(leaf));
  copy->boost = leaf.boost;
  copy->field = leaf.field;
  copy->every_field = leaf.every_field;
  return copy;
}

void ExpectExplained(const Searcher& searcher, const Query& query, SimilarityKind similarity) {
  SCOPED_TRACE(ToString(query));
  SearchOptions options;
  options.similarity = similarity;
  options.explain = true;
  options.k = 20;
  const auto result = searcher.Search(query, options);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->explanations.size(), result->hits.size());
  for (size_t hit = 0; hit < result->hits.size(); ++hit) {
    ASSERT_EQ(result->explanations[hit].value, result->hits[hit].score);
  }
}

// Asks for all documents in an order of their own, and for one that does not exist.
void ExpectMatches(const ReferenceIndex& reference, const Searcher& searcher, const Query& query) {
  SCOPED_TRACE(ToString(query));
  const auto expected = reference.Evaluate(query, SimilarityKind::kBm25);
  const uint64_t count = searcher.snapshot().doc_count();
  std::vector<uint64_t> docs;
  for (uint64_t i = 0; i <= count; ++i) docs.push_back((i * 7919) % (count + 1));
  const auto matches = searcher.Matches(query, docs);
  ASSERT_TRUE(matches.ok()) << matches.status();
  ASSERT_EQ(matches->size(), docs.size());
  for (size_t i = 0; i < docs.size(); ++i) {
    ASSERT_EQ((*matches)[i], expected.count(docs[i]) != 0) << docs[i];
  }
}

// Random limits for a search with these hits.
SearchOptions RandomLimits(SeededRandom& random, const SearchResult& all) {
  SearchOptions options;
  constexpr size_t kWanted[] = {0, 1, 3, 10, 1000};
  options.k = kWanted[random.Below(5)];
  options.exhaustive = random.OneIn(4);
  options.count = random.OneIn(3);
  if (random.OneIn(2)) options.count_limit = random.Below(all.hits.size() + 3);
  if (all.hits.empty()) return options;
  const Hit& hit = all.hits[random.Below(all.hits.size())];
  if (random.OneIn(2)) options.after = SearchPlace{hit.score, hit.doc};
  if (random.OneIn(2)) options.min_score = all.hits[random.Below(all.hits.size())].score;
  if (random.OneIn(4)) options.min_score = std::nextafter(options.min_score, 1e30f);
  return options;
}

// Expects what is left of the whole ranking after the limits, with a count as exact as asked for.
void ExpectWithinLimits(SeededRandom& random, const Searcher& searcher, const Query& query,
                        SimilarityKind similarity) {
  SCOPED_TRACE(ToString(query));
  SearchOptions whole;
  whole.k = 1u << 20;
  whole.exhaustive = true;
  whole.similarity = similarity;
  const auto all = searcher.Search(query, whole);
  ASSERT_TRUE(all.ok()) << all.status();
  SearchOptions options = RandomLimits(random, *all);
  options.similarity = similarity;
  std::vector<Hit> expected;
  uint64_t total = 0;
  for (const Hit& hit : all->hits) {
    if (hit.score < options.min_score) continue;
    ++total;
    const auto& after = options.after;
    const bool is_behind = !after.has_value() || hit.score < after->score ||
                           (hit.score == after->score && hit.doc > after->doc);
    if (is_behind && expected.size() < options.k) expected.push_back(hit);
  }
  const auto found = searcher.Search(query, options);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->hits.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(found->hits[i].doc, expected[i].doc);
    ASSERT_EQ(found->hits[i].score, expected[i].score);
  }
  const bool must_count = options.count || options.exhaustive ||
                          (options.count_limit.has_value() && total <= *options.count_limit);
  ASSERT_TRUE(found->total_exact || !must_count);
  ASSERT_LE(found->total, total);
  if (found->total_exact) {
    ASSERT_EQ(found->total, total);
  }
  if (!found->total_exact && options.count_limit.has_value()) {
    ASSERT_GT(found->total, *options.count_limit);
  }
}

TEST_P(SearcherProperty, EqualsTheReferenceOnRandomQueries) {
  const PropertyCase& param = GetParam();
  RandomCorpus corpus(param.seed);
  ReferenceIndex reference(param.analyzer);
  AddDocuments(param, corpus.Documents(120), reference);
  const Searcher searcher(
      reference.BuildSnapshot(param.per_segment, param.positions, /*store_text=*/false));
  for (int i = 0; i < Rounds(400) && !testing::Test::HasFailure(); ++i) {
    ExpectSameAsReference(reference, searcher, *Parse(searcher, corpus.Query(param.positions)),
                          param.similarity);
  }
}

TEST_P(SearcherProperty, EqualsTheReferenceOnRandomTrees) {
  const PropertyCase& param = GetParam();
  RandomCorpus corpus(param.seed + 50);
  SeededRandom random(param.seed);
  ReferenceIndex reference(param.analyzer);
  AddDocuments(param, corpus.Documents(80), reference);
  const Searcher searcher(
      reference.BuildSnapshot(param.per_segment, param.positions, /*store_text=*/false));
  const auto id = [&] { return "doc-" + std::to_string(random.Below(100)); };
  const auto leaf = [&]() -> QueryPointer {
    if (random.OneIn(8)) return Exists(random.OneIn(9) ? "nofield" : "title");
    QueryPointer query = Parse(searcher, corpus.Query(param.positions));
    if (!param.positions || !random.OneIn(3)) return query;
    const Query* part = FirstPhraseOrTerm(*query);
    return part == nullptr ? std::move(query) : ToPhrasePrefix(random, Copy(*part));
  };
  for (int i = 0; i < Rounds(150) && !testing::Test::HasFailure(); ++i) {
    const QueryPointer tree = RandomTree(random, static_cast<int>(random.Below(4)), leaf, id);
    ExpectSameAsReference(reference, searcher, *tree, param.similarity);
    ExpectExplained(searcher, *tree, param.similarity);
    ExpectMatches(reference, searcher, *tree);
    for (int n = 0; n < 3; ++n) ExpectWithinLimits(random, searcher, *tree, param.similarity);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Corpora, SearcherProperty,
    testing::Values(PropertyCase{AnalyzerKind::kStandard, true, SimilarityKind::kBm25, 1000, 1},
                    PropertyCase{AnalyzerKind::kStandard, true, SimilarityKind::kBm25, 17, 2, 20},
                    PropertyCase{AnalyzerKind::kStandard, true, SimilarityKind::kTfidf, 50, 3, 1},
                    PropertyCase{AnalyzerKind::kStandard, false, SimilarityKind::kBm25, 1, 4},
                    PropertyCase{AnalyzerKind::kWhitespace, true, SimilarityKind::kBm25, 40, 5, 99},
                    PropertyCase{AnalyzerKind::kWhitespace, false, SimilarityKind::kTfidf, 60, 6},
                    PropertyCase{AnalyzerKind::kEnglish, true, SimilarityKind::kBm25, 30, 7},
                    PropertyCase{AnalyzerKind::kEnglish, true, SimilarityKind::kTfidf, 100, 8, 20},
                    PropertyCase{AnalyzerKind::kLog, true, SimilarityKind::kBm25, 25, 9},
                    PropertyCase{AnalyzerKind::kLog, false, SimilarityKind::kBm25, 77, 10, 50},
                    PropertyCase{AnalyzerKind::kStandard, true, SimilarityKind::kBm25, 30, 11,
                                 100}));

TEST_P(SearcherProperty, ExplainsEveryHitWithItsScore) {
  const PropertyCase& param = GetParam();
  RandomCorpus corpus(param.seed + 100);
  ReferenceIndex reference(param.analyzer);
  AddDocuments(param, corpus.Documents(60), reference);
  const Searcher searcher(
      reference.BuildSnapshot(param.per_segment, param.positions, /*store_text=*/false));
  SearchOptions options;
  options.similarity = param.similarity;
  options.explain = true;
  size_t explained = 0;
  for (int i = 0; i < 150; ++i) {
    const std::string query = corpus.Query(param.positions);
    const auto result = searcher.Search(query, options);
    ASSERT_TRUE(result.ok()) << query << ": " << result.status();
    ASSERT_EQ(result->explanations.size(), result->hits.size());
    for (size_t hit = 0; hit < result->hits.size(); ++hit) {
      EXPECT_EQ(result->explanations[hit].value, result->hits[hit].score) << query;
      ++explained;
    }
  }
  if (param.deleted_percent < 50) {
    EXPECT_GT(explained, 100u);
  }
}

}  // namespace searcher_property_test
}  // namespace pmdex
