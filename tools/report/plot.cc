#include "tools/report/plot.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "tools/json_writer.h"

namespace pmdex {
namespace {

// Can be told apart by most people with a colour deficiency, on white and on black (Okabe and Ito,
// "Color Universal Design", 2008, without black and yellow).
constexpr const char* kColours[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7",
                                    "#56b4e9", "#8c8c8c", "#7f5fc8", "#b8a000", "#a0522d"};
constexpr size_t kLongestLabel = 60;

std::string ColourOf(size_t series) {
  return kColours[series % std::size(kColours)];
}

// A string in single quotes, in which gnuplot interprets nothing. Single quotes and backquotes
// become the typographic apostrophe, because gnuplot 5.4 does not read every doubled quote right.
std::string GnuplotText(const std::string& text) {
  std::string quoted = "'";
  size_t length = 0;
  for (const char c : ToValidUtf8(text)) {
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (!continues && ++length > kLongestLabel) break;
    if (c == '\'' || c == '`') {
      quoted += "\u2019";
    } else {
      quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return quoted + "'";
}

std::string Number(double value) {
  return std::isfinite(value) ? absl::StrFormat("%.9g", value) : "NaN";
}

// Beside the plot there is room for some 24 characters.
template <typename AnyPlot>
bool HasLongNames(const AnyPlot& plot) {
  return std::any_of(plot.series.begin(), plot.series.end(),
                     [](const auto& series) { return series.name.size() > 24; });
}

template <typename AnyPlot>
std::string Head(const AnyPlot& plot) {
  return absl::StrCat(
      "# Draws ", plot.name, ".svg and ", plot.name, ".png: gnuplot ", plot.name, ".gnuplot\n",
      "set encoding utf8\nset datafile missing 'NaN'\n", "set title ", GnuplotText(plot.title),
      " noenhanced\n", "set ylabel ", GnuplotText(plot.y_label), " noenhanced\n",
      HasLongNames(plot) ? "set key below Left reverse noenhanced\n"
                         : "set key outside right top vertical Left reverse noenhanced\n",
      "set border 3 lc rgb '#808080'\nset grid y lc rgb '#808080' lw 0.3\n", "set tics nomirror\n",
      plot.log_y ? "set logscale y\n" : "");
}

// The plot command twice, for each of the two formats.
std::string Draw(const std::string& name, const std::string& plot_command) {
  return absl::StrCat("set terminal svg size 1000,420 dynamic font 'sans-serif,14'\nset output '",
                      name, ".svg'\n", plot_command,
                      "set terminal pngcairo size 1500,630 font 'sans,17' background '#ffffff'\n"
                      "set output '",
                      name, ".png'\n", plot_command, "set output\n");
}

double ErrorOf(const BarSeries& series, size_t i) {
  return i < series.errors.size() ? series.errors[i] : 0;
}

std::string BarData(const BarPlot& plot) {
  std::string data = "$data << END_OF_DATA\n";
  for (size_t i = 0; i < plot.categories.size(); ++i) {
    absl::StrAppend(&data, i);
    for (const BarSeries& series : plot.series) {
      absl::StrAppend(&data, " ", Number(i < series.values.size() ? series.values[i] : NAN), " ",
                      Number(ErrorOf(series, i)));
    }
    data += "\n";
  }
  return data + "END_OF_DATA\n";
}

std::string BarTics(const BarPlot& plot) {
  std::string tics = "set xtics noenhanced scale 0 (";
  size_t longest = 0;
  for (size_t i = 0; i < plot.categories.size(); ++i) {
    absl::StrAppend(&tics, i == 0 ? "" : ", ", GnuplotText(plot.categories[i]), " ", i);
    longest = std::max(longest, plot.categories[i].size());
  }
  tics += ")\n";
  // Some 70 characters fit side by side under the axis, beside a wide key.
  if (longest * plot.categories.size() > 60) tics += "set xtics rotate by -35\n";
  return tics;
}

bool HasErrors(const BarPlot& plot) {
  return std::any_of(plot.series.begin(), plot.series.end(), [](const BarSeries& series) {
    return std::any_of(series.errors.begin(), series.errors.end(),
                       [](double error) { return error > 0; });
  });
}

std::string Script(const BarPlot& plot) {
  const bool errors = !plot.stacked && HasErrors(plot);
  std::string script = absl::StrCat(
      Head(plot), BarData(plot), BarTics(plot), "set style data histograms\n",
      "set style histogram ",
      plot.stacked ? "rowstacked"
                   : (errors ? "errorbars gap 1\nset errorbars front lc rgb '#333333' lw 1.5"
                             : "clustered gap 1"),
      "\nset style fill solid 1.0 noborder\nset boxwidth ", plot.stacked ? "0.7" : "0.9",
      " relative\n");
  if (plot.y_max.has_value()) {
    absl::StrAppend(&script, "set yrange [", plot.log_y ? "*" : "0", ":", Number(*plot.y_max),
                    "]\n");
  } else if (!plot.log_y) {
    script += "set yrange [0:*]\n";
  }
  std::string command = "plot ";
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const std::string value = absl::StrCat(2 * i + 2);
    absl::StrAppend(&command, i == 0 ? "" : ", ", "$data using ", value,
                    errors ? absl::StrCat(":", 2 * i + 3) : "", " title ",
                    GnuplotText(plot.series[i].name), " lc rgb '", ColourOf(i), "'");
  }
  return script + Draw(plot.name, command + "\n");
}

std::string Script(const LinePlot& plot) {
  std::string script =
      absl::StrCat(Head(plot), "set xlabel ", GnuplotText(plot.x_label), " noenhanced\n",
                   plot.log_x ? "set logscale x\n" : "", plot.log_y ? "" : "set yrange [0:*]\n",
                   "set offsets graph 0.02, graph 0.02, graph 0.05, 0\n");
  std::string command = "plot ";
  for (size_t i = 0; i < plot.series.size(); ++i) {
    const std::string data = absl::StrCat("$series", i);
    absl::StrAppend(&script, data, " << END_OF_DATA\n");
    for (const LinePoint& point : plot.series[i].points) {
      absl::StrAppend(&script, Number(point.x), " ", Number(point.y), " ", Number(point.error),
                      "\n");
    }
    script += "END_OF_DATA\n";
    absl::StrAppend(&command, i == 0 ? "" : ", ", data, " using 1:2:3 with yerrorlines lw 2 pt ",
                    i % 13 + 4, " ps 0.7 lc rgb '", ColourOf(i), "' title ",
                    GnuplotText(plot.series[i].name));
  }
  return script + Draw(plot.name, command + "\n");
}

bool AnyValue(const BarPlot& plot) {
  return !plot.categories.empty() &&
         std::any_of(plot.series.begin(), plot.series.end(), [](const BarSeries& series) {
           return std::any_of(series.values.begin(), series.values.end(),
                              [](double value) { return std::isfinite(value); });
         });
}

bool AnyPoint(const LineSeries& series) {
  return std::any_of(series.points.begin(), series.points.end(), [](const LinePoint& point) {
    return std::isfinite(point.x) && std::isfinite(point.y);
  });
}

bool AnyValue(const LinePlot& plot) {
  return std::any_of(plot.series.begin(), plot.series.end(), AnyPoint);
}

// gnuplot fails on a series without any point.
LinePlot WithoutEmptySeries(LinePlot plot) {
  std::erase_if(plot.series, [](const LineSeries& series) { return !AnyPoint(series); });
  return plot;
}

}  // namespace

const std::string& NameOf(const Plot& plot) {
  return std::visit([](const auto& some) -> const std::string& { return some.name; }, plot);
}

const std::string& TitleOf(const Plot& plot) {
  return std::visit([](const auto& some) -> const std::string& { return some.title; }, plot);
}

bool IsPlotName(const std::string& name) {
  return !name.empty() && name.size() <= 60 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

bool HasValues(const Plot& plot) {
  return std::visit([](const auto& some) { return AnyValue(some); }, plot);
}

std::string GnuplotScript(const Plot& plot) {
  if (const auto* line = std::get_if<LinePlot>(&plot)) return Script(WithoutEmptySeries(*line));
  return Script(std::get<BarPlot>(plot));
}

}  // namespace pmdex
