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

TEST(ReportTable, EscapesEveryCellOfThePage) {
  const std::string html = TableToHtml(Example());
  EXPECT_NE(html.find("<figcaption>Times &lt;1&gt;</figcaption>"), std::string::npos);
  EXPECT_NE(html.find("<td>&lt;b&gt; </td><td class=\"n\">1,234</td>"), std::string::npos);
  EXPECT_NE(html.find("<th class=\"n\">mean us</th>"), std::string::npos);
}

TEST(ReportTable, IgnoresCellsBeyondTheColumns) {
  ReportTable table;
  table.columns = {{"a"}};
  table.rows = {{"1", "2"}, {}};
  EXPECT_EQ(TableToText(table), "a\n1\n\n");
  EXPECT_EQ(TableToHtml(table).find(">2<"), std::string::npos);
}

}  // namespace report_table_test
}  // namespace pmdex
