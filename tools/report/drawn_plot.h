// Draws a plot with gnuplot, into a directory and as SVG to embed in a page. Thread-safe: no state.
#pragma once

#include <string>

#include "pmem/status.h"
#include "tools/report/plot.h"

namespace pmdex {

struct DrawnPlot {
  std::string title;
  // The <svg> element, which takes the text colour of the page. Empty if nothing was drawn.
  std::string svg;
  std::string png_name;  // the file beside the report; empty if nothing was drawn
  std::string why_not;   // why nothing was drawn, for the reader of the report
};

// Writes NAME.gnuplot, NAME.svg and NAME.png into the directory. If gnuplot is missing or fails,
// the result says so; that is no error, because the tables have the same numbers. Returns an error
// if a file cannot be written. Requires IsPlotName(NameOf(plot)) and an existing directory.
// program: the name or path of gnuplot.
absl::StatusOr<DrawnPlot> DrawPlot(const Plot& plot, const std::string& directory,
                                   const std::string& program = "gnuplot");

// The <svg> element of a file that gnuplot wrote, with black replaced by the page's text colour.
// Empty if there is none.
std::string EmbeddableSvg(const std::string& file);

}  // namespace pmdex
