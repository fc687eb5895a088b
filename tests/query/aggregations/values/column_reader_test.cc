// Many documents at once give the values that look-ups of single documents give.
#include "query/aggregations/values/column_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/column_index.h"

namespace pmdex {
namespace column_reader_test {

constexpr uint32_t kDocs = kWindowDocs + 500;

std::vector<uint64_t> KeysOf(const ColumnView& column, DocId doc) {
  const auto range = column.ValuesOf(doc).value();
  std::vector<uint64_t> keys;
  for (uint64_t i = 0; i < range.count; ++i) keys.push_back(column.KeyAt(range.first + i).value());
  return keys;
}

std::vector<uint16_t> RandomDocs(uint32_t window, int percent, std::mt19937& random) {
  std::vector<uint16_t> docs;
  for (uint32_t doc = 0; doc < std::min<uint32_t>(kWindowDocs, kDocs - window * kWindowDocs); ++doc)
    if (static_cast<int>(random() % 100) < percent) docs.push_back(static_cast<uint16_t>(doc));
  return docs;
}

void ExpectValues(ColumnReader& reader, uint32_t window, std::span<const uint16_t> docs) {
  const ColumnView& column = reader.column();
  BatchValues values;
  values.positions.push_back(7);  // of a batch before
  reader.Read(docs, values);
  std::vector<std::vector<uint64_t>> found(docs.size());
  for (size_t i = 0; i < values.keys.size(); ++i) {
    ASSERT_LT(values.PositionOf(i), docs.size()) << column.name();
    found[values.PositionOf(i)].push_back(values.keys[i]);
  }
  std::vector<uint64_t> counts(300);
  const bool counted = reader.CountKeys(docs, counts);
  EXPECT_EQ(counted, !column.is_multi()) << column.name();
  std::vector<uint64_t> expected_counts(counts.size());
  for (size_t i = 0; i < docs.size(); ++i) {
    const std::vector<uint64_t> keys = KeysOf(column, window * kWindowDocs + docs[i]);
    EXPECT_EQ(found[i], keys) << column.name() << " " << docs[i];
    for (const uint64_t key : keys) {
      if (counted && key < expected_counts.size()) ++expected_counts[key];
    }
  }
  EXPECT_EQ(counts, expected_counts) << column.name();
}

TEST(ColumnReader, ReadsWhatLookUpsOfSingleDocumentsGive) {
  std::mt19937 random(5);
  const ColumnIndex index = MakeColumnIndex(5, {kDocs});
  std::map<bool, int> dense_columns;
  for (const ColumnView& column : index.snapshot->segments()[0]->columns()) {
    ++dense_columns[column.is_dense()];
    ColumnReader reader(column);
    for (const uint32_t window : {0u, 1u, 0u}) {
      ASSERT_TRUE(reader.Load(window).ok());
      for (const int percent : {0, 1, 50, 100}) {
        ExpectValues(reader, window, RandomDocs(window, percent, random));
      }
    }
  }
  EXPECT_GT(dense_columns[false], 2);
  EXPECT_GT(dense_columns[true], 2);
}

}  // namespace column_reader_test
}  // namespace pmdex
