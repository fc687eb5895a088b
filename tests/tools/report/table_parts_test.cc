#include "tools/report/table_parts.h"

#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace table_parts_test {

// A table of a key and this many columns of numbers.
ReportTable WideTable(size_t columns) {
  ReportTable table;
  table.caption = "wide";
  table.columns = {{"class"}};
  table.rows = {{"and-2"}, {"or-5"}};
  for (size_t i = 0; i < columns; ++i) {
    table.columns.push_back({"number " + std::to_string(i), true});
    for (auto& row : table.rows) row.push_back(row[0] + "/" + std::to_string(i));
  }
  return table;
}

TEST(TableParts, LeaveATableAloneThatFits) {
  const ReportTable table = WideTable(4);
  const auto parts = PartsThatFit(table);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].columns.size(), 5u);
  EXPECT_EQ(parts[0].rows, table.rows);
  EXPECT_EQ(PartsThatFit(ReportTable()).size(), 1u);
}

TEST(TableParts, HoldEveryColumnOnceBesideTheKeys) {
  for (const size_t columns : {12u, 20u, 55u}) {
    const ReportTable table = WideTable(columns);
    const auto parts = PartsThatFit(table);
    ASSERT_GT(parts.size(), 1u);
    size_t next = 1;
    for (const ReportTable& part : parts) {
      EXPECT_EQ(part.caption, &part == &parts[0] ? "wide" : "");
      EXPECT_EQ(part.columns[0].name, "class");
      for (size_t i = 1; i < part.columns.size(); ++i, ++next) {
        EXPECT_EQ(part.columns[i].name, table.columns[next].name);
        EXPECT_TRUE(part.columns[i].is_number);
        for (size_t row = 0; row < 2; ++row) {
          EXPECT_EQ(part.rows[row][0], table.rows[row][0]);
          EXPECT_EQ(part.rows[row][i], table.rows[row][next]);
        }
      }
    }
    EXPECT_EQ(next, columns + 1);
  }
}

TEST(TableParts, AreOfAboutTheSameWidth) {
  const auto parts = PartsThatFit(WideTable(12));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].columns.size(), 7u);
  EXPECT_EQ(parts[1].columns.size(), 7u);
}

TEST(TableParts, NeverPartAColumnFromWhatSaysSomethingOfIt) {
  for (size_t first = 2; first < 8; ++first) {
    ReportTable table = WideTable(16);
    for (size_t i = first; i < table.columns.size(); i += 2) {
      table.columns[i].belongs_to_previous = true;
    }
    for (const ReportTable& part : PartsThatFit(table)) {
      EXPECT_FALSE(part.columns[1].belongs_to_previous);
    }
  }
}

TEST(TableParts, RepeatAllKeys) {
  ReportTable table = WideTable(20);
  table.key_columns = 3;
  const auto parts = PartsThatFit(table);
  ASSERT_GT(parts.size(), 1u);
  for (const ReportTable& part : parts) {
    ASSERT_GT(part.columns.size(), 3u);
    EXPECT_EQ(part.columns[2].name, "number 1");
    EXPECT_EQ(part.rows[1][2], "or-5/1");
  }
}

TEST(TableParts, TakeAColumnThatIsTooWideForAnyPart) {
  ReportTable table = WideTable(3);
  table.columns[2].name = std::string(100, 'm');
  const auto parts = PartsThatFit(table);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1].columns[1].name, table.columns[2].name);
}

TEST(TableParts, FillRowsThatAreTooShort) {
  ReportTable table = WideTable(20);
  table.rows.push_back({"term"});
  for (const ReportTable& part : PartsThatFit(table)) {
    ASSERT_EQ(part.rows.size(), 3u);
    EXPECT_EQ(part.rows[2].size(), part.columns.size());
    EXPECT_EQ(part.rows[2][0], "term");
  }
  table.key_columns = 100;  // nothing but keys
  EXPECT_EQ(PartsThatFit(table).size(), 1u);
}

TEST(TableParts, MeasureTextByItsCharacters) {
  EXPECT_DOUBLE_EQ(TextWidthEm("12"), 2 * TextWidthEm("1"));
  EXPECT_DOUBLE_EQ(TextWidthEm("\u00e4"), TextWidthEm("a"));
  EXPECT_LT(TextWidthEm("ill"), TextWidthEm("mmm"));
}

}  // namespace table_parts_test
}  // namespace pmdex
