#include "tools/report/table_html.h"

#include "gtest/gtest.h"

namespace pmdex {
namespace table_html_test {

ReportTable Example() {
  ReportTable table;
  table.caption = "Times <1>";
  table.columns = {{"class"}, {"mean us", true}};
  table.rows = {{"<b>\n", "1,234"}, {"page_faults", "7", "beyond"}, {}};
  return table;
}

TEST(TableHtml, EscapesEveryCellOfThePage) {
  const std::string html = TableToHtml(Example());
  EXPECT_NE(html.find("<figcaption>Times &lt;1&gt;</figcaption>"), std::string::npos);
  EXPECT_NE(html.find("<td>&lt;b&gt; </td><td class=\"n\">1,234</td>"), std::string::npos);
  EXPECT_NE(html.find("<th class=\"n\">mean us</th>"), std::string::npos);
}

TEST(TableHtml, LetsNamesWrapAndIgnoresCellsBeyondTheColumns) {
  const std::string html = TableToHtml(Example());
  EXPECT_NE(html.find("<td>page_<wbr>faults</td>"), std::string::npos) << html;
  EXPECT_EQ(html.find("beyond"), std::string::npos);
}

TEST(TableHtml, HasATableForEachPart) {
  ReportTable table = Example();
  EXPECT_EQ(TableToHtml(table).find("divided"), std::string::npos);
  for (int i = 0; i < 20; ++i) table.columns.push_back({"another number", true});
  const std::string html = TableToHtml(table);
  EXPECT_NE(html.find("class=\"parts divided\""), std::string::npos);
  EXPECT_NE(html.find("<table>"), html.rfind("<table>"));
  EXPECT_EQ(html.find("<figcaption>"), html.rfind("<figcaption>"));
}

}  // namespace table_html_test
}  // namespace pmdex
