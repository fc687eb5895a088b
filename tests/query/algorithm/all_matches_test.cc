#include "query/algorithm/all_matches.h"

#include <vector>

#include "gtest/gtest.h"

#include "tests/support/reference_index.h"

namespace pmdex {
namespace all_matches_test {

using Matches = std::vector<std::vector<DocId>>;

Query Term(const char* text) {
  Query query;
  query.kind = QueryKind::kTerm;
  query.field = "body";
  query.text = text;
  return query;
}

TEST(AllMatches, AreThoseOfEachSegmentWithoutDeletedDocuments) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  for (const char* body : {"a", "b", "a b", "c", "a"}) reference.Add({"d", {{"body", body}}});
  const auto snapshot = reference.BuildSnapshot(2, false, false);
  const auto matches = FindMatches(Term("a"), *snapshot);
  ASSERT_TRUE(matches.ok()) << matches.status();
  std::vector<uint64_t> docs;
  for (size_t i = 0; i < matches->size(); ++i) {
    for (const DocId doc : (*matches)[i]) docs.push_back(snapshot->doc_base(i) + doc);
  }
  EXPECT_EQ(docs, (std::vector<uint64_t>{0, 2, 4}));
  EXPECT_EQ(*FindMatches(Term("nowhere"), *snapshot), Matches(snapshot->segments().size()));
  const std::vector<std::shared_ptr<const Segment>> segments(snapshot->segments().begin(),
                                                             snapshot->segments().end());
  std::vector<std::shared_ptr<const LiveDocs>> live_docs(segments.size());
  live_docs[0] = std::make_shared<const LiveDocs>(
      LiveDocs::Without(segments[0]->doc_count(), std::vector<DocId>{0}));
  const auto reduced = Snapshot::Of(snapshot->settings(), segments, live_docs);
  Matches expected = *matches;
  ASSERT_EQ(expected[0].front(), 0u);
  expected[0].erase(expected[0].begin());
  EXPECT_EQ(*FindMatches(Term("a"), *reduced), expected);
}

TEST(AllMatches, RefusesWhatCannotBeBound) {
  ReferenceIndex reference(AnalyzerKind::kWhitespace);
  reference.Add({"d", {{"body", "a"}}});
  const auto snapshot = reference.BuildSnapshot(2, false, false);
  Query query;
  query.kind = QueryKind::kConstantScore;
  EXPECT_EQ(FindMatches(query, *snapshot).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace all_matches_test
}  // namespace pmdex
