#include "tools/report/drawn_plot.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "pmem/check.h"
#include "tools/child_process.h"
#include "tools/report/report_files.h"

namespace pmdex {
namespace {

constexpr std::chrono::seconds kLongestDrawing{60};

DrawnPlot NotDrawn(const Plot& plot, std::string why) {
  DrawnPlot drawn;
  drawn.title = TitleOf(plot);
  drawn.why_not = std::move(why);
  return drawn;
}

// gnuplot numbers its elements, and a page has many plots: without identifiers none clash.
std::string WithUniqueIds(const std::string& svg, const std::string& name) {
  return absl::StrReplaceAll(svg, {{"id=\"gnuplot_plot_", absl::StrCat("id=\"", name, "-")},
                                   {"id='gpDot'", absl::StrCat("id='", name, "-dot'")},
                                   {"id='gpPt", absl::StrCat("id='", name, "-pt")},
                                   {"'#gpDot", absl::StrCat("'#", name, "-dot")},
                                   {"'#gpPt", absl::StrCat("'#", name, "-pt")}});
}

}  // namespace

std::string EmbeddableSvg(const std::string& file) {
  const size_t begin = file.find("<svg");
  const size_t end = file.rfind("</svg>");
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return absl::StrReplaceAll(file.substr(begin, end + 6 - begin),
                             {{"color=\"black\"", "color=\"currentColor\""},
                              {"fill=\"black\"", "fill=\"currentColor\""},
                              {"stroke='black'", "stroke='currentColor'"},
                              {"rgb(  0,   0,   0)", "currentColor"}});
}

absl::StatusOr<DrawnPlot> DrawPlot(const Plot& plot, const std::string& directory,
                                   const std::string& program) {
  const std::string name = NameOf(plot);
  PMDEX_CHECK(IsPlotName(name));
  if (!HasValues(plot)) return NotDrawn(plot, "there is no value to draw");
  PMDEX_RETURN_IF_ERROR(WriteReportFile(directory, name + ".gnuplot", GnuplotScript(plot)));
  ChildOptions options;
  options.directory = directory;
  options.time_limit = kLongestDrawing;
  const auto run = RunChild({program, "-d", name + ".gnuplot"}, options);
  if (absl::IsNotFound(run.status())) {
    return NotDrawn(plot, absl::StrCat("gnuplot is not installed (apt-get install gnuplot-nox, "
                                       "then gnuplot ",
                                       name, ".gnuplot)"));
  }
  if (!run.ok()) return NotDrawn(plot, std::string(Message(run.status())));
  if (run->exit_status != 0) {
    return NotDrawn(plot, absl::StrCat("gnuplot failed: ", run->messages.substr(0, 300)));
  }
  PMDEX_ASSIGN_OR_RETURN(const std::string file, ReadReportFile(directory + "/" + name + ".svg"));
  DrawnPlot drawn;
  drawn.title = TitleOf(plot);
  drawn.svg = WithUniqueIds(EmbeddableSvg(file), name);
  drawn.png_name = name + ".png";
  if (drawn.svg.empty()) return NotDrawn(plot, "gnuplot wrote no picture");
  return drawn;
}

}  // namespace pmdex
