#include "query/expansion/list_batch.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/segment_bytes.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace list_batch_test {

// 400 terms; every third has one document, whose list is inline.
class ListBatchTest : public testing::Test {
 protected:
  ListBatchTest() {
    VectorSegmentInput input({.positions = false});
    field_ = input.AddField("field");
    for (DocId doc = 0; doc < 50; ++doc) {
      input.AddDocument("doc" + std::to_string(doc));
      for (int term = 100; term < 500; ++term) {
        if (doc == 0 || term % 3 != 0) input.AddPosting(field_, std::to_string(term), {doc, 1, {}});
      }
    }
    input.Finish();
    segment_ = SegmentBytes(input).Open().value();
  }

  // The documents of the lists in the order in which they were read.
  std::vector<uint32_t> ReadAll(Deadline deadline) {
    std::vector<uint32_t> dfs;
    DeadlineWatch watch(deadline);
    const auto read = [&](const DocumentsView& list) {
      dfs.push_back(list.df);
      return absl::OkStatus();
    };
    ListBatch lists(*segment_, /*are_neighbours=*/true, watch, read);
    TermIterator terms(segment_->dictionary(), field_);
    for (bool more = terms.Seek(""); more; more = terms.Next()) {
      EXPECT_TRUE(lists.Add(terms.documents()).ok());
    }
    EXPECT_TRUE(lists.Flush().ok());
    return dfs;
  }

  FieldId field_;
  std::shared_ptr<const Segment> segment_;
};

TEST_F(ListBatchTest, ReadsEveryListOnce) {
  const std::vector<uint32_t> dfs = ReadAll(kNoDeadline);
  ASSERT_EQ(dfs.size(), 400u);
  EXPECT_EQ(std::count(dfs.begin(), dfs.end(), 1u), 133);
  EXPECT_EQ(std::count(dfs.begin(), dfs.end(), 50u), 267);
}

TEST_F(ListBatchTest, LeavesOutWhatComesAfterTheDeadline) {
  EXPECT_LT(ReadAll(std::chrono::steady_clock::time_point::min()).size(), 400u);
}

TEST_F(ListBatchTest, PassesErrorsOn) {
  DeadlineWatch watch(kNoDeadline);
  const auto read = [](const DocumentsView&) { return absl::DataLossError("damaged"); };
  ListBatch lists(*segment_, /*are_neighbours=*/false, watch, read);
  TermIterator terms(segment_->dictionary(), field_);
  ASSERT_TRUE(terms.Seek("102"));  // inline, so that it is read at once
  EXPECT_EQ(lists.Add(terms.documents()).code(), absl::StatusCode::kDataLoss);
  ASSERT_TRUE(terms.Next());
  EXPECT_TRUE(lists.Add(terms.documents()).ok());
  EXPECT_EQ(lists.Flush().code(), absl::StatusCode::kDataLoss);
}

}  // namespace list_batch_test
}  // namespace pmdex
