#include "query/algorithm/doc_matches.h"

#include <vector>

#include "gtest/gtest.h"

#include "tests/support/reference_index.h"

namespace pmdex {
namespace doc_matches_test {

Query Term(const char* text) {
  Query query;
  query.kind = QueryKind::kTerm;
  query.field = "body";
  query.text = text;
  return query;
}

TEST(DocMatches, AnswersInTheOrderOfTheQuestions) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  for (const char* body : {"a", "b", "a b", "c", "a"}) reference.Add({"d", {{"body", body}}});
  const auto snapshot = reference.BuildSnapshot(2, false, false);
  const std::vector<uint64_t> docs = {4, 0, 1, 3, 2, 0, 99};
  const auto matches = MatchDocs(Term("a"), *snapshot, docs);
  ASSERT_TRUE(matches.ok()) << matches.status();
  EXPECT_EQ(*matches, (std::vector<bool>{true, true, false, false, true, true, false}));
  EXPECT_TRUE(MatchDocs(Term("a"), *snapshot, {})->empty());
  EXPECT_EQ(*MatchDocs(Term("nowhere"), *snapshot, docs), std::vector<bool>(docs.size()));
}

TEST(DocMatches, EndsAtTheDeadline) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  reference.Add({"d", {{"body", "a"}}});
  const auto snapshot = reference.BuildSnapshot(1, false, false);
  const std::vector<uint64_t> docs = {0};
  const Deadline over(Deadline::TimePoint::min());
  EXPECT_TRUE(absl::IsDeadlineExceeded(MatchDocs(Term("a"), *snapshot, docs, over).status()));
}

TEST(DocMatches, LeavesDeletedDocumentsOut) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  for (const char* body : {"a", "a", "a b", "c", "a"}) reference.Add({"d", {{"body", body}}});
  for (const uint64_t doc : {0, 3, 4}) reference.Delete(doc);
  const auto snapshot = reference.BuildSnapshot(2, false, false);
  const std::vector<uint64_t> docs = {4, 0, 1, 3, 2};
  EXPECT_EQ(*MatchDocs(Term("a"), *snapshot, docs),
            (std::vector<bool>{false, false, true, false, true}));
}

TEST(DocMatches, RefusesWhatCannotBeBound) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  reference.Add({"d", {{"body", "a"}}});
  const auto snapshot = reference.BuildSnapshot(2, false, false);
  Query query;
  query.kind = QueryKind::kConstantScore;
  const auto matches = MatchDocs(query, *snapshot, {});
  EXPECT_EQ(matches.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace doc_matches_test
}  // namespace pmdex
