#include "engine/ingest/resume/done_work.h"

#include <gtest/gtest.h>

#include "engine/ingest/problem_kind.h"

namespace pmdex {
namespace done_work_test {

TEST(DoneWork, JoinsFilesThatFollowOneAnother) {
  DoneWork work;
  for (const uint64_t ordinal : {3, 4, 5, 9}) work.AddFile(ordinal, 0, std::to_string(ordinal));
  ASSERT_EQ(work.files.size(), 2u);
  EXPECT_EQ(work.files[0].first.path, "3");
  EXPECT_EQ(work.files[0].last.path, "5");
  EXPECT_EQ(work.files[0].last_ordinal, 5u);
  EXPECT_EQ(work.files[1].first_ordinal, 9u);
}

TEST(DoneWork, AddsUp) {
  DoneWork sum;
  for (int i = 0; i < 2; ++i) {
    DoneWork work;
    work.documents = 1;
    work.tokens = 2;
    work.bytes_in = 3;
    work.segment_ids = {static_cast<uint64_t>(i)};
    work.problems[ProblemKind::kBinaryFile] = {4, {"a", "b"}};
    work.bytes.resize(1);
    work.AddFile(static_cast<uint64_t>(10 * i), 0, "f");
    sum.Add(std::move(work));
  }
  EXPECT_EQ(sum.documents, 2u);
  EXPECT_EQ(sum.tokens, 4u);
  EXPECT_EQ(sum.bytes_in, 6u);
  EXPECT_EQ(sum.segment_ids, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(sum.problems.at(ProblemKind::kBinaryFile).count, 8u);
  EXPECT_EQ(sum.problems.at(ProblemKind::kBinaryFile).first_places.size(), 3u);
  EXPECT_EQ(sum.bytes.size(), 2u);
  EXPECT_EQ(sum.files.size(), 2u);
}

}  // namespace done_work_test
}  // namespace pmdex
