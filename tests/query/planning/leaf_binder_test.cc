#include "query/planning/leaf_binder.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/reference_index.h"

namespace pmdex {
namespace leaf_binder_test {

class LeafBinderTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* body : {"red apple", "red apricot", "red pear", "green apple"}) {
      reference_.Add({"d", {{"body", body}}});
    }
    snapshot_ = reference_.BuildSnapshot(3, positions_, false);
    binding_.snapshot = snapshot_.get();
  }
  BoundPointer Bind(const Query& query, float boost = 1) {
    DeadlineWatch watch(kNoDeadline);
    auto bound = LeafBinder(binding_, watch).Bind(query, boost);
    EXPECT_TRUE(bound.ok()) << bound.status();
    return bound.ok() ? *std::move(bound) : NewBoundQuery(BoundKind::kNone, 0);
  }
  static Query PhrasePrefix(std::vector<std::string> terms, uint32_t max_expansions = 50) {
    Query query;
    query.kind = QueryKind::kPhrasePrefix;
    query.field = "body";
    for (uint32_t i = 0; i < terms.size(); ++i) query.offsets.push_back(i);
    query.terms = std::move(terms);
    query.max_expansions = max_expansions;
    return query;
  }

  bool positions_ = true;
  ReferenceIndex reference_{AnalyzerKind::kWhitespace};
  std::shared_ptr<const Snapshot> snapshot_;
  QueryBinding binding_;
};

TEST_F(LeafBinderTest, WeighsAPhrasePrefixByAllItsExpansions) {
  const BoundPointer bound = Bind(PhrasePrefix({"red", "ap"}), 2);
  ASSERT_EQ(bound->kind, BoundKind::kPhrasePrefix);
  EXPECT_EQ(ToText(*bound), "body:\"red ap*\"");
  ASSERT_EQ(bound->expansions.size(), 2u);
  const float idf = bound->terms[0].idf + bound->expansions[0].idf + bound->expansions[1].idf;
  EXPECT_FLOAT_EQ(bound->idf, idf);
  EXPECT_FLOAT_EQ(bound->scorer.weight, 2 * idf);
}

TEST_F(LeafBinderTest, MakesSimplerQueriesOfPhrasePrefixes) {
  EXPECT_EQ(ToText(*Bind(PhrasePrefix({"red", "apr"}))), "body:\"red apricot\"");
  EXPECT_EQ(ToText(*Bind(PhrasePrefix({"red", "ap"}, 1))), "body:\"red apple\"");
  EXPECT_EQ(ToText(*Bind(PhrasePrefix({"ap"}))), "(body:apple body:apricot)");
  EXPECT_EQ(ToText(*Bind(PhrasePrefix({"p"}))), "body:pear");
  EXPECT_EQ(Bind(PhrasePrefix({"red", "x"}))->kind, BoundKind::kNone);
  EXPECT_EQ(Bind(PhrasePrefix({"blue", "ap"}))->kind, BoundKind::kNone);
  EXPECT_EQ(Bind(PhrasePrefix({"red", "ap"}, 0))->kind, BoundKind::kNone);
}

TEST_F(LeafBinderTest, FindsTheFieldOfAQueryForItsDocuments) {
  Query query;
  query.kind = QueryKind::kExists;
  query.field = "body";
  EXPECT_EQ(Bind(query)->kind, BoundKind::kField);
  query.field = "nofield";
  EXPECT_EQ(Bind(query)->kind, BoundKind::kNone);
}

TEST_F(LeafBinderTest, RefusesAPhrasePrefixWithoutPositionsOrOffsets) {
  DeadlineWatch watch(kNoDeadline);
  Query query = PhrasePrefix({"red", "ap"});
  query.offsets.pop_back();
  EXPECT_EQ(LeafBinder(binding_, watch).Bind(query, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
  positions_ = false;
  SetUp();
  EXPECT_EQ(LeafBinder(binding_, watch).Bind(PhrasePrefix({"red", "ap"}), 1).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace leaf_binder_test
}  // namespace pmdex
