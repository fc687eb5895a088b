#include "query/planning/query_binder.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"
#include "tests/support/planned_search.h"
#include "tests/support/reference_index.h"

namespace pmdex {
namespace query_binder_test {

class QueryBinderTest : public testing::Test {
 protected:
  QueryBinderTest() {
    for (const std::string body : {"word a", "wort", "word", "ward b", "c"}) {
      reference_.Add({"d", {{"body", body}}});
    }
    snapshot_ = reference_.BuildSnapshot(2, true, false);
  }

  QueryBinding Bind(std::string_view text, const Deadline& deadline = kNoDeadline) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
    const auto query = QueryParser(*analyzer, snapshot_->field_names()).Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    auto binding = BindQuery(**query, *snapshot_, SimilarityKind::kBm25, deadline);
    EXPECT_TRUE(binding.ok()) << binding.status();
    return std::move(*binding);
  }

  ReferenceIndex reference_{AnalyzerKind::kStandard};
  std::shared_ptr<const Snapshot> snapshot_;
};

// A document and a field of its own for each number, and a field that all have.
class ManyFieldsTest : public testing::Test {
 protected:
  static constexpr size_t kFields = 300;

  ManyFieldsTest() {
    for (size_t i = 0; i < kFields; ++i) {
      const std::string number = std::to_string(i);
      reference_.Add(
          {"d" + number, {{"all", "one two"}, {"f" + number, "own" + number + " every word"}}});
    }
    snapshot_ = reference_.BuildSnapshot(kFields / 3, true, false);
  }

  QueryBinding Bind(std::string_view text, const Deadline& deadline = kNoDeadline) {
    const auto analyzer = NewAnalyzer(AnalyzerKind::kStandard);
    const auto query = QueryParser(*analyzer).Parse(text);
    EXPECT_TRUE(query.ok()) << query.status();
    auto binding = BindQuery(**query, *snapshot_, SimilarityKind::kBm25, deadline);
    EXPECT_TRUE(binding.ok()) << binding.status();
    return std::move(*binding);
  }

  ReferenceIndex reference_{AnalyzerKind::kStandard};
  std::shared_ptr<const Snapshot> snapshot_;
};

TEST_F(ManyFieldsTest, BindsAWordWithoutAFieldToTheFieldsThatHaveIt) {
  for (const char* text :
       {"own299", "\"own299 every\"", "\"own299 word\"~2", "own299*", "o*n299"}) {
    EXPECT_EQ(Bind(text).root->field, "f299") << text;
    EXPECT_TRUE(Bind(text).root->clauses.empty()) << text;
  }
  EXPECT_EQ(Bind("own77~0").root->field, "f77");
  EXPECT_EQ(Bind("one").root->field, "all");
  for (const char* text : {"nowhere", "\"own299 one\"", "\"one own299\"", "nowh*", "n?where"}) {
    EXPECT_EQ(Bind(text).root->kind, BoundKind::kNone) << text;
  }
}

TEST_F(ManyFieldsTest, AddsTheFieldsInTheOrderOfTheirNames) {
  const QueryBinding binding = Bind("own7 every");
  ASSERT_EQ(binding.root->clauses.size(), 2u);
  EXPECT_EQ(binding.root->clauses[0].query->field, "f7");
  const BoundQuery& every = *binding.root->clauses[1].query;
  ASSERT_EQ(every.clauses.size(), kFields);
  EXPECT_TRUE(every.every_field);
  EXPECT_FALSE(binding.root->every_field);
  EXPECT_FALSE(IsPruned(binding));
  const QueryBinding named = Bind("own7 f7:every -every");
  EXPECT_TRUE(IsPruned(named)) << "what is excluded is not scored";
  for (size_t i = 1; i < kFields; ++i) {
    EXPECT_LT(every.clauses[i - 1].query->field, every.clauses[i].query->field);
  }
}

TEST_F(ManyFieldsTest, StopsLookingThroughFieldsAtTheDeadline) {
  const Deadline over = std::chrono::steady_clock::time_point::min();
  EXPECT_TRUE(Bind("every", over).timed_out);
  EXPECT_FALSE(Bind("every").timed_out);
}

TEST_F(QueryBinderTest, SumsDocumentFrequenciesOverSegments) {
  const QueryBinding binding = Bind("word");
  ASSERT_EQ(binding.root->kind, BoundKind::kTerm);
  EXPECT_EQ(binding.root->terms[0].df, 2u);
  EXPECT_EQ(binding.root->terms[0].entries.size(), 3u);
  EXPECT_EQ(binding.root->terms[0].entries[2], nullptr);
}

TEST_F(QueryBinderTest, ExpandsFuzzyWordsInByteOrderWithTheGreatestDf) {
  const QueryBinding binding = Bind("word~1");
  ASSERT_EQ(binding.root->clauses.size(), 3u);
  const std::string expected[] = {"ward", "word", "wort"};
  for (size_t i = 0; i < 3; ++i) {
    const BoundQuery& term = *binding.root->clauses[i].query;
    EXPECT_EQ(term.terms[0].text, expected[i]);
    EXPECT_EQ(term.terms[0].df, 2u);
    EXPECT_EQ(term.boost, expected[i] == "word" ? 1.0f : 0.75f);
  }
}

TEST_F(QueryBinderTest, IsNoQueryAtAllOnceTheDeadlineCameWhileWordsWereLookedUpOrExpanded) {
  const Deadline over = std::chrono::steady_clock::time_point::min();
  for (const char* text : {"word~1", "a -word~1", "+word~1 c", "a word"}) {
    const QueryBinding late = Bind(text, over);
    EXPECT_TRUE(late.timed_out);
    EXPECT_EQ(late.root->kind, BoundKind::kNone);
    EXPECT_FALSE(Bind(text, std::chrono::steady_clock::time_point::max()).timed_out);
  }
}

TEST_F(QueryBinderTest, DropsWhatMatchesNothing) {
  EXPECT_EQ(Bind("zzz").root->kind, BoundKind::kNone);
  EXPECT_EQ(Bind("nofield:a").root->kind, BoundKind::kNone);
  EXPECT_EQ(Bind("+zzz a").root->kind, BoundKind::kNone);
  EXPECT_EQ(Bind("zzz a").root->kind, BoundKind::kTerm);
  EXPECT_EQ(Bind("zzz -a").root->kind, BoundKind::kNone);
  EXPECT_EQ(Bind("-zzz").root->kind, BoundKind::kAll);
  EXPECT_EQ(Bind("\"word zzz\"").root->kind, BoundKind::kNone);
}

TEST_F(QueryBinderTest, GivesAPureExclusionEveryDocument) {
  const QueryBinding binding = Bind("(-a)^3");
  ASSERT_EQ(binding.root->clauses.size(), 2u);
  EXPECT_EQ(binding.root->clauses[0].query->kind, BoundKind::kAll);
  EXPECT_EQ(binding.root->clauses[0].query->boost, 3.0f);
  EXPECT_EQ(binding.root->clauses[1].occur, Occur::kMustNot);
}

TEST_F(QueryBinderTest, MultipliesBoostsDownTheTree) {
  const QueryBinding binding = Bind("(word^2 a)^3");
  EXPECT_EQ(binding.root->clauses[0].query->boost, 6.0f);
  EXPECT_EQ(binding.root->clauses[1].query->boost, 3.0f);
}

}  // namespace query_binder_test
}  // namespace pmdex
