#include "tools/report/report_table.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace report_table_test {

ReportTable Example() {
  ReportTable table;
  table.caption = "Times <1>";
  table.columns = {{"class"}, {"mean us", true}};
  table.rows = {{"\u00e4-\u20ac", "7"}, {"<b>\n", "1,234"}, {"empty", ""}};
  return table;
}

TEST(ReportTable, AlignsColumnsByCharacters) {
  EXPECT_EQ(TableToText(Example()),
            "Times <1>\n"
            "class  mean us\n"
            "\u00e4-\u20ac          7\n"
            "<b>\\n    1,234\n"
            "empty\n");
}

TEST(ReportTable, IgnoresCellsBeyondTheColumns) {
  ReportTable table;
  table.columns = {{"a"}};
  table.rows = {{"1", "2"}, {}};
  EXPECT_EQ(TableToText(table), "a\n1\n\n");
}

}  // namespace report_table_test
}  // namespace pmdex
