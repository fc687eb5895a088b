#include "engine/segment/segment_input.h"

#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace segment_input_test {

std::vector<std::string> TermsOf(SegmentInput& input, const std::vector<uint32_t>& numbers) {
  std::vector<std::string> found;
  const std::unique_ptr<TermStream> terms = input.OpenSomeTerms(numbers);
  PostingBlock block;
  while (terms->Next()) {
    EXPECT_TRUE(terms->NextBlock(block));
    EXPECT_EQ(block.count, terms->df());
    found.emplace_back(terms->term());
  }
  return found;
}

TEST(SegmentInput, PassesOverTheTermsThatWereNotAskedFor) {
  VectorSegmentInput input({.positions = false});
  const FieldId body = input.AddField("body");
  input.AddText(input.AddDocument("doc"), body, "a b c d a");
  input.Finish();
  using Terms = std::vector<std::string>;
  EXPECT_EQ(TermsOf(input, {}), Terms());
  EXPECT_EQ(TermsOf(input, {0}), Terms({"a"}));
  EXPECT_EQ(TermsOf(input, {1, 3}), Terms({"b", "d"}));
  EXPECT_EQ(TermsOf(input, {0, 1, 2, 3}), Terms({"a", "b", "c", "d"}));
  EXPECT_EQ(TermsOf(input, {2, 7}), Terms({"c"})) << "there is no eighth one";
}

TEST(SegmentInput, SaysAtWhichTermAStreamBreaksItsContract) {
  VectorSegmentInput input({.positions = false});
  input.AddField("title");
  const FieldId body = input.AddField("body");
  input.AddText(input.AddDocument("doc"), body, "a b");
  input.Finish();
  const std::unique_ptr<TermStream> terms = input.OpenTerms();
  ASSERT_TRUE(terms->Next() && terms->Next());
  const absl::Status status = BrokenStream(*terms, "no postings");
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(), "term stream, field 1, term \"b\": no postings");
}

}  // namespace segment_input_test
}  // namespace pmdex
