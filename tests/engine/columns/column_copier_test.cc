#include "engine/columns/column_copier.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/segment/verify/verifier.h"
#include "tests/support/random_columns.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace column_copier_test {

std::shared_ptr<const Segment> SegmentOf(const std::vector<RandomColumn>& columns, uint32_t first,
                                         uint32_t count) {
  VectorSegmentInput input({.positions = false});
  input.AddField("body");
  for (uint32_t i = 0; i < count; ++i) input.AddDocument("");
  AddColumns(columns, first, input);
  input.Finish();
  return SegmentBytes(input).Open().value();
}

// Every second document of two segments, in reverse order of the segments.
TEST(ColumnCopier, GivesEachDocumentItsValues) {
  constexpr uint32_t kDocs = 700;
  const std::vector<RandomColumn> columns = MakeRandomColumns(6, 2 * kDocs);
  const auto first = SegmentOf(columns, 0, kDocs);
  const auto second = SegmentOf(columns, kDocs, kDocs);
  VectorSegmentInput input({.positions = false});
  input.AddField("body");
  for (uint32_t i = 0; i < kDocs; ++i) input.AddDocument("");
  input.Finish();
  for (const RandomColumn& column : columns) {
    ColumnBuilder& target = input.columns()->Column(column.name, column.type);
    const ColumnView* const views[] = {first->FindColumn(column.name),
                                       second->FindColumn(column.name)};
    for (const size_t source : {1u, 0u}) {
      if (views[source] == nullptr) continue;
      ColumnCopier copier(*views[source], target);
      for (DocId i = 0; i < kDocs / 2; ++i) {
        ASSERT_TRUE(copier.Copy(2 * i, source == 1 ? i : kDocs / 2 + i).ok());
      }
    }
  }
  const auto merged = SegmentBytes(input).Open().value();
  for (const RandomColumn& column : columns) {
    const ColumnView* const view = merged->FindColumn(column.name);
    if (view == nullptr) continue;
    for (DocId to = 0; to < kDocs; ++to) {
      const bool of_second = to < kDocs / 2;
      const uint32_t from = (of_second ? to + kDocs / 2 : to - kDocs / 2) * 2;
      const ValueRange range = view->ValuesOf(to).value();
      ASSERT_EQ(range.count, column.values[from].size()) << column.name;
      for (uint32_t i = 0; i < range.count; ++i) {
        const uint64_t key = view->KeyAt(range.first + i).value();
        if (column.type == FieldType::kKeyword) {
          ASSERT_EQ(view->Keyword(key).value(), column.values[from][i].keyword);
        } else {
          ASSERT_EQ(BitsOfKey(column.type, key), column.values[from][i].bits);
        }
      }
    }
  }
  EXPECT_TRUE(VerifySegment(*merged).empty());
}

}  // namespace column_copier_test
}  // namespace pmdex
