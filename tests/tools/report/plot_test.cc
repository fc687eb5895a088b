#include "tools/report/plot.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace plot_test {

BarPlot Bars() {
  BarPlot plot;
  plot.name = "bars";
  plot.title = "it's `id` and\nmore";
  plot.categories = {"a'b", "c"};
  plot.series = {{"one", {1, NAN}, {0.5, 0}}, {"two", {2}, {}}};
  return plot;
}

TEST(Plot, NamesOfFilesAreLettersDigitsAndHyphens) {
  EXPECT_TRUE(IsPlotName("top-down-1"));
  for (const char* name : {"", "a/b", "..", "A", "a b", "a'"}) EXPECT_FALSE(IsPlotName(name));
  EXPECT_FALSE(IsPlotName(std::string(61, 'a')));
}

TEST(Plot, QuotesTextSoThatGnuplotInterpretsNothing) {
  const std::string script = GnuplotScript(Bars());
  EXPECT_NE(script.find("set title 'it\u2019s \u2019id\u2019 and more' noenhanced\n"),
            std::string::npos)
      << script;
  EXPECT_EQ(script.find('`'), std::string::npos);
  EXPECT_NE(script.find("('a\u2019b' 0, 'c' 1)"), std::string::npos);
}

TEST(Plot, WritesMissingValuesAsMissing) {
  const std::string script = GnuplotScript(Bars());
  EXPECT_NE(script.find("\n0 1 0.5 2 0\n1 NaN 0 NaN 0\nEND_OF_DATA\n"), std::string::npos)
      << script;
}

TEST(Plot, DrawsErrorBarsOnlySideBySide) {
  BarPlot plot = Bars();
  EXPECT_NE(GnuplotScript(plot).find("histogram errorbars"), std::string::npos);
  plot.stacked = true;
  EXPECT_EQ(GnuplotScript(plot).find("errorbars"), std::string::npos);
  EXPECT_NE(GnuplotScript(plot).find("rowstacked"), std::string::npos);
}

TEST(Plot, KnowsWhetherThereIsAnythingToDraw) {
  EXPECT_TRUE(HasValues(Bars()));
  EXPECT_FALSE(HasValues(BarPlot()));
  BarPlot bars = Bars();
  bars.series = {{"x", {NAN, NAN}, {}}};
  EXPECT_FALSE(HasValues(bars));
  LinePlot lines;
  lines.series = {{"x", {{NAN, 1}}}};
  EXPECT_FALSE(HasValues(lines));
  lines.series.push_back({"y", {{1, 1}}});
  EXPECT_TRUE(HasValues(lines));
}

TEST(Plot, LeavesOutLinesWithoutPoints) {
  LinePlot plot;
  plot.series = {{"empty", {}}, {"full", {{1, 2, 0.5}}}};
  const std::string script = GnuplotScript(plot);
  EXPECT_EQ(script.find("'empty'"), std::string::npos);
  EXPECT_NE(script.find("\n1 2 0.5\n"), std::string::npos);
}

}  // namespace plot_test
}  // namespace pmdex
