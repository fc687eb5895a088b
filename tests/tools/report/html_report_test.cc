#include "tools/report/html_report.h"

#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace html_report_test {

constexpr char kHostile[] = "<script>alert(1)</script>";

TEST(HtmlReport, EscapesTextEverywhere) {
  HtmlReport report(kHostile, kHostile);
  report.Section(kHostile).Paragraph(kHostile).Warning(kHostile).Facts({{kHostile, kHostile}});
  report.Table({kHostile, {{kHostile}}, {{kHostile}}});
  report.Plot({kHostile, "", "", kHostile}).Picture(kHostile, "<svg></svg>");
  const std::string page = report.Page();
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
}

TEST(HtmlReport, LoadsNothingFromElsewhere) {
  HtmlReport report("a", "b");
  report.Plot({"t", "<svg></svg>", "t.png", ""});
  const std::string page = report.Page();
  for (const char* outside : {"http:", "https:", "src=", "@import", "url(", "<link", "<script"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  }
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, ListsItsSectionsInOrder) {
  HtmlReport report("a", "b");
  report.Section("One").Section("Two");
  const std::string page = report.Page();
  EXPECT_NE(page.find("<a href=\"#section-1\">One</a> <a href=\"#section-2\">Two</a>"),
            std::string::npos);
  EXPECT_NE(page.find("<h2 id=\"section-2\">Two</h2>"), std::string::npos);
}

// Of two rules for the same element the later one counts.
TEST(HtmlReport, HasTheRulesForPaperBehindThoseThatTheyChange) {
  const std::string page = HtmlReport("t", "s").Page();
  const size_t paper = page.find("@media print");
  ASSERT_NE(paper, std::string::npos);
  for (const char* rule : {"\nbody {", "\nmain {", "\n.scroll {", "\ntable {", "\nth, td {"}) {
    ASSERT_NE(page.find(rule), std::string::npos) << rule;
    EXPECT_LT(page.rfind(rule), paper) << rule;
  }
}

TEST(HtmlReport, SaysWhyAPlotIsMissing) {
  HtmlReport report("a", "b");
  report.Plot({"Times", "", "", "gnuplot is not installed"});
  EXPECT_NE(report.Page().find("Times&quot; is not drawn: gnuplot is not installed."),
            std::string::npos);
}

}  // namespace html_report_test
}  // namespace pmdex
