// Plots of a report as plain values, and the gnuplot script that draws one. drawn_plot.h runs it.
// Thread-safe: no state.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pmdex {

// One colour of a bar plot. values, errors: indexed like BarPlot::categories; NaN: not measured, no
// bar is drawn. errors is empty, or half the height of each error bar.
struct BarSeries {
  std::string name;
  std::vector<double> values;
  std::vector<double> errors;
};

struct BarPlot {
  std::string name;  // of the files: a-z, 0-9 and -
  std::string title;
  std::string y_label;
  bool stacked = false;  // on top of each other (errors are not drawn); else side by side
  bool log_y = false;    // not with stacked
  std::optional<double> y_max;
  std::vector<std::string> categories;
  std::vector<BarSeries> series;
};

struct LinePoint {
  double x = 0;
  double y = 0;
  double error = 0;  // half the height of the error bar; 0: none
};

struct LineSeries {
  std::string name;
  std::vector<LinePoint> points;
};

struct LinePlot {
  std::string name;  // of the files: a-z, 0-9 and -
  std::string title;
  std::string x_label;
  std::string y_label;
  bool log_x = false;
  bool log_y = false;
  std::vector<LineSeries> series;
};

using Plot = std::variant<BarPlot, LinePlot>;

const std::string& NameOf(const Plot& plot);
const std::string& TitleOf(const Plot& plot);

// True if the name can be the name of files: 1 to 60 of the characters a-z, 0-9 and -.
bool IsPlotName(const std::string& name);

// False if there is no value to draw. gnuplot would fail.
bool HasValues(const Plot& plot);

// A script that writes NAME.svg and NAME.png into its working directory. All text of the plot is
// quoted, so that it can be nothing but text to gnuplot.
std::string GnuplotScript(const Plot& plot);

}  // namespace pmdex
