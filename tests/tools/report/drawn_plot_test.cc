#include "tools/report/drawn_plot.h"

#include <cmath>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/run_program.h"
#include "tools/child_process.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace drawn_plot_test {

bool HasGnuplot() {
  return RunChild({"gnuplot", "--version"}).ok();
}

BarPlot Hostile(bool stacked) {
  BarPlot plot;
  plot.name = "hostile";
  plot.title = "'; system('touch pwned'); # `touch pwned` <script>&";
  plot.y_label = "\"$(touch pwned)\"";
  plot.stacked = stacked;
  plot.categories = {"END_OF_DATA", "@x <b>", "\\"};
  plot.series = {{"a'b", {1, 2, NAN}, {0.1, 0.2, 0}}, {"<i>", {3, 4, 5}, {0, 0, 1}}};
  return plot;
}

TEST(DrawnPlot, DrawsBarsWhateverTheirTextIs) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (const bool stacked : {false, true}) {
    const TemporaryDirectory directory;
    const auto drawn = DrawPlot(Hostile(stacked), directory.path());
    ASSERT_TRUE(drawn.ok()) << drawn.status();
    EXPECT_EQ(drawn->why_not, "");
    EXPECT_TRUE(drawn->svg.starts_with("<svg"));
    EXPECT_EQ(drawn->svg.find("<script>"), std::string::npos);
    EXPECT_NE(drawn->svg.find("&lt;script>"), std::string::npos);
    EXPECT_NE(drawn->svg.find("currentColor"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(directory / "pwned"));
    EXPECT_GT(std::filesystem::file_size(directory / "hostile.png"), 1000u);
  }
}

TEST(DrawnPlot, DrawsLinesWithErrorBarsOnLogarithmicAxes) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const TemporaryDirectory directory;
  LinePlot plot;
  plot.name = "lines";
  plot.log_x = plot.log_y = true;
  plot.series = {{"one", {{1, 10, 2}, {10, 20, 3}}}, {"none", {}}, {"two", {{5, 7, 0}}}};
  const auto drawn = DrawPlot(plot, directory.path());
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(drawn->why_not, "");
  EXPECT_EQ(drawn->png_name, "lines.png");
}

TEST(DrawnPlot, SaysThatGnuplotIsMissing) {
  const TemporaryDirectory directory;
  const auto drawn = DrawPlot(Hostile(false), directory.path(), "no-such-gnuplot");
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(drawn->svg, "");
  EXPECT_NE(drawn->why_not.find("gnuplot is not installed"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(directory / "hostile.gnuplot"));
}

TEST(DrawnPlot, SaysThatGnuplotFailed) {
  const TemporaryDirectory directory;
  const auto drawn = DrawPlot(Hostile(false), directory.path(), "false");
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_NE(drawn->why_not.find("gnuplot failed"), std::string::npos);
}

TEST(DrawnPlot, DrawsNothingWithoutValues) {
  const TemporaryDirectory directory;
  BarPlot plot;
  plot.name = "empty";
  const auto drawn = DrawPlot(plot, directory.path());
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_EQ(drawn->why_not, "there is no value to draw");
  EXPECT_FALSE(DrawPlot(Hostile(false), directory / "missing").ok());
}

TEST(DrawnPlot, TakesOnlyTheSvgElementOfAFile) {
  EXPECT_EQ(EmbeddableSvg("<?xml?><svg fill=\"black\"><g/></svg>\n"),
            "<svg fill=\"currentColor\"><g/></svg>");
  EXPECT_EQ(EmbeddableSvg("</svg><svg"), "");
  EXPECT_EQ(EmbeddableSvg(""), "");
}

}  // namespace drawn_plot_test
}  // namespace pmdex
