#include "engine/columns/column_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/columns/column_key.h"
#include "engine/columns/column_layout.h"
#include "engine/columns/column_set_builder.h"
#include "engine/columns/columns_writer.h"

namespace pmdex {
namespace column_builder_test {

std::vector<DocId> DocsOf(const ColumnBuilder& column) {
  std::vector<DocId> docs;
  for (size_t i = 0; i < column.value_count(); ++i) docs.push_back(column.doc_of(i));
  return docs;
}

TEST(ColumnBuilder, KeepsTheValuesInTheOrderInWhichTheyCame) {
  ColumnBuilder column("size", FieldType::kI64);
  column.Add(1, FieldValue::I64(-5));
  column.Add(1, FieldValue::I64(7));
  column.Add(4, FieldValue::I64(0));
  column.Freeze();
  EXPECT_EQ(DocsOf(column), (std::vector<DocId>{1, 1, 4}));
  ASSERT_EQ(column.keys().size(), 3u);
  EXPECT_EQ(I64OfKey(column.keys()[0]), -5);
  EXPECT_EQ(I64OfKey(column.keys()[1]), 7);
  EXPECT_GT(column.memory_bytes(), 3 * sizeof(uint64_t));
}

TEST(ColumnBuilder, KnowsTheDocumentsWhicheverHaveAValue) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    ColumnBuilder column("n", FieldType::kU64);
    std::vector<DocId> expected;
    DocId doc = round % 3 == 0 ? random() % 2 : 0;
    // Mostly one value a document; gaps and second values come late, early or never.
    const uint32_t rarity = 1 + random() % 60;
    for (uint32_t n = random() % 100; n > 0; --n) {
      column.Add(doc, FieldValue::U64(doc));
      expected.push_back(doc);
      if (random() % 50 == 0) {
        const DocId from = random() % (doc + 2);
        column.RemoveFrom(from);
        std::erase_if(expected, [from](DocId kept) { return kept >= from; });
        doc = from;
        continue;
      }
      doc += random() % rarity == 0 ? random() % 3 : 1;
    }
    EXPECT_GE(column.memory_bytes(), expected.size() * sizeof(uint64_t));
    column.Freeze();
    ASSERT_EQ(DocsOf(column), expected);
    ASSERT_EQ(std::vector<uint64_t>(column.keys().begin(), column.keys().end()),
              std::vector<uint64_t>(expected.begin(), expected.end()));
    bool are_all = true;
    for (size_t i = 0; i < expected.size(); ++i) are_all = are_all && expected[i] == i;
    ASSERT_TRUE(are_all || !column.is_dense());
  }
}

TEST(ColumnBuilder, GivesKeywordsTheirPlaceInByteOrder) {
  ColumnBuilder column("level", FieldType::kKeyword);
  for (const char* text : {"warn", "error", "warn", "Z", "\xc3\xa4"}) {
    column.Add(0, FieldValue::Keyword(std::string(text)));
  }
  column.Freeze();
  column.Freeze();
  EXPECT_EQ(std::vector<std::string_view>(column.keywords().begin(), column.keywords().end()),
            (std::vector<std::string_view>{"Z", "error", "warn", "\xc3\xa4"}));
  EXPECT_EQ(std::vector<uint64_t>(column.keys().begin(), column.keys().end()),
            (std::vector<uint64_t>{2, 1, 2, 0, 3}));
}

TEST(ColumnBuilder, ForgetsWhatIsRemoved) {
  ColumnBuilder column("level", FieldType::kKeyword);
  column.Add(0, FieldValue::Keyword("b"));
  column.Add(3, FieldValue::Keyword("a"));
  column.Add(3, FieldValue::Keyword("b"));
  column.RemoveFrom(3);
  column.Freeze();
  EXPECT_EQ(column.value_count(), 1u);
  ASSERT_EQ(column.keywords().size(), 1u);
  EXPECT_EQ(column.keywords()[0], "b");
  EXPECT_EQ(column.keys()[0], 0u);
}

TEST(ColumnSetBuilder, RefusesAValueOfAnotherType) {
  ColumnSetBuilder set;
  EXPECT_TRUE(set.empty());
  EXPECT_TRUE(set.Add("a", 0, FieldValue::I64(1)));
  EXPECT_FALSE(set.Add("a", 1, FieldValue::F64(1)));
  EXPECT_TRUE(set.Add("B", 2, FieldValue::Bool(true)));
  set.Column("without values", FieldType::kDate);
  set.RemoveFrom(9);
  EXPECT_GT(set.memory_bytes(), 0u);
  EXPECT_GT(set.flush_bytes(), 0u);
  ASSERT_EQ(set.column_count(), 3u);
  EXPECT_EQ((*set.Load(0))->name(), "B");
  EXPECT_EQ((*set.Load(1))->value_count(), 1u);
  EXPECT_EQ((*set.Load(2))->value_count(), 0u);
  EXPECT_EQ(set.column_count(), 3u) << "a second time";
}

TEST(ColumnSetBuilder, PutsValuesIntoTheirColumnsInWhateverOrderTheFieldsCome) {
  std::mt19937 random(4);
  std::vector<std::string> names = {"a", "b", "ab", "", "long name of a field"};
  std::map<std::string, std::vector<DocId>> expected;
  ColumnSetBuilder set;
  for (DocId doc = 0; doc < 500; ++doc) {
    // Mostly the order of the document before, as fields come.
    if (random() % 4 == 0) std::shuffle(names.begin(), names.end(), random);
    for (const std::string& name : names) {
      if (random() % 5 == 0) continue;
      ASSERT_TRUE(set.Add(name, doc, FieldValue::I64(doc)));
      expected[name].push_back(doc);
    }
  }
  ASSERT_EQ(set.column_count(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const ColumnBuilder& column = **set.Load(i);
    EXPECT_EQ(DocsOf(column), expected[column.name()]);
  }
}

TEST(ColumnsWriter, PlansNothingWithoutValues) {
  ColumnSetBuilder set;
  set.Column("a", FieldType::kI64);
  EXPECT_EQ(ColumnsWriter::Plan(&set, 10)->size_bytes(), 0u);
  EXPECT_EQ(ColumnsWriter::Plan(nullptr, 10)->size_bytes(), 0u);
}

TEST(ColumnsWriter, RefusesADocumentThatTheSegmentDoesNotHave) {
  ColumnSetBuilder set;
  set.Add("a", 10, FieldValue::I64(1));
  EXPECT_EQ(ColumnsWriter::Plan(&set, 10).status().code(), absl::StatusCode::kInternal);
}

TEST(ColumnLayout, TakesTheFewestBytesForTheDifferences) {
  EXPECT_EQ(ValueBytesOf(5, 5), 1);
  EXPECT_EQ(ValueBytesOf(1000, 1255), 1);
  EXPECT_EQ(ValueBytesOf(1000, 1256), 2);
  EXPECT_EQ(ValueBytesOf(0, 65'536), 4);
  EXPECT_EQ(ValueBytesOf(0, uint64_t{1} << 32), 8);
}

TEST(ColumnLayout, LeavesOutThePartsThatAColumnDoesNotNeed) {
  ColumnEntry entry{};
  entry.doc_count = 5000;
  entry.value_count = 5000;
  entry.value_bytes = 4;
  const uint64_t dense = LayOutColumn(5000, 100, entry);
  EXPECT_EQ(entry.presence_offset, 0u);
  EXPECT_EQ(entry.starts_offset, 0u);
  EXPECT_EQ(entry.values_offset, 128u);
  EXPECT_EQ(entry.keywords_offset, 0u);
  EXPECT_GT(LayOutColumn(5001, 100, entry), dense);
  EXPECT_NE(entry.presence_offset, 0u);
}

}  // namespace column_builder_test
}  // namespace pmdex
