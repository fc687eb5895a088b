#include "query/result/explain.h"

#include <memory>
#include <string_view>

#include "gtest/gtest.h"

#include "query/planning/query_binder.h"
#include "query/searcher.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace explain_test {

class ExplainTest : public testing::Test {
 protected:
  ExplainTest() {
    reference_.Add({"0", {{"body", "a b a"}}});
    reference_.Add({"1", {{"body", "b"}}});
    searcher_ = std::make_unique<Searcher>(reference_.BuildSnapshot(1, true, false));
  }
  Explanation First(std::string_view query, SimilarityKind kind = SimilarityKind::kBm25) {
    SearchOptions options;
    options.explain = true;
    options.similarity = kind;
    const auto result = searcher_->Search(query, options);
    EXPECT_TRUE(result.ok() && !result->hits.empty());
    EXPECT_EQ(result->explanations[0].value, result->hits[0].score);
    return result->explanations[0];
  }

  ReferenceIndex reference_{AnalyzerKind::kStandard};
  std::unique_ptr<Searcher> searcher_;
};

TEST_F(ExplainTest, ATermIsTheProductOfItsDetails) {
  for (const SimilarityKind kind : {SimilarityKind::kBm25, SimilarityKind::kTfidf}) {
    const Explanation explanation = First("a^2", kind);
    float product = 1;
    for (const Explanation& detail : explanation.details) product *= detail.value;
    EXPECT_NEAR(product, explanation.value, 1e-5f * explanation.value);
    EXPECT_EQ(explanation.details[0].description, "boost");
    EXPECT_NE(explanation.description.find("body:a"), std::string::npos);
  }
}

TEST_F(ExplainTest, ADeletedDocumentMatchesNothing) {
  Query query;
  query.kind = QueryKind::kAll;
  reference_.Delete(1);
  const auto snapshot = reference_.BuildSnapshot(1, true, false);
  const auto binding = BindQuery(query, *snapshot, SimilarityKind::kBm25);
  ASSERT_TRUE(binding.ok());
  EXPECT_TRUE(Explain(*binding, 0).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Explain(*binding, 1).status()));
}

TEST_F(ExplainTest, ABooleanIsTheSumOfItsDetails) {
  const Explanation explanation = First("+a b zzz b*");
  ASSERT_EQ(explanation.details.size(), 3u);
  double sum = 0;
  for (const Explanation& detail : explanation.details) sum += detail.value;
  EXPECT_EQ(static_cast<float>(sum), explanation.value);
}

TEST_F(ExplainTest, APhraseListsTheIdfOfEachTerm) {
  const Explanation explanation = First("\"a b\"~2");
  EXPECT_EQ(explanation.details[0].description, "idf, sum of:");
  EXPECT_EQ(explanation.details[0].details.size(), 2u);
  EXPECT_NE(explanation.description.find("body:\"a b\"~2"), std::string::npos);
}

TEST_F(ExplainTest, RefusesADocumentThatDoesNotMatch) {
  Query query;
  query.kind = QueryKind::kTerm;
  query.field = "body";
  query.text = "a";
  const auto binding = BindQuery(query, searcher_->snapshot(), SimilarityKind::kBm25);
  ASSERT_TRUE(binding.ok());
  EXPECT_TRUE(Explain(*binding, 0).ok());
  EXPECT_EQ(Explain(*binding, 1).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Explain(*binding, 99).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace explain_test
}  // namespace pmdex
