// Builds a report as one HTML page that needs no network: styles and pictures are inside. It reads
// well at 1280 pixels and on paper, and follows the reader's choice of light or dark. For
// `pmdex profile`, `compare` and `bench-server`.
//
//   HtmlReport report("pmdex profile", "500 queries");
//   report.Section("Where the cycles go").Table(table).Plot(drawn);
//   WriteReportFile(directory, "report.html", report.Page());
//
// All text is escaped, except the pictures. For one thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/report/drawn_plot.h"
#include "tools/report/report_table.h"

namespace pmdex {

class HtmlReport {
 public:
  HtmlReport(std::string_view title, std::string_view subtitle);

  HtmlReport& Section(std::string_view title);  // a heading; the contents at the top list it
  HtmlReport& Paragraph(std::string_view text);
  HtmlReport& Warning(std::string_view text);  // a paragraph that stands out
  // Names and values in two columns: the machine, the settings of a run.
  HtmlReport& Facts(const std::vector<std::pair<std::string, std::string>>& facts);
  HtmlReport& Table(const ReportTable& table);
  HtmlReport& Plot(const DrawnPlot& plot);  // or the reason why it was not drawn
  // svg: a whole <svg> element that pmdex made itself; it is not escaped.
  HtmlReport& Picture(std::string_view caption, std::string_view svg);

  std::string Page() const;

 private:
  std::string title_;
  std::string subtitle_;
  std::vector<std::string> sections_;
  std::string body_;
};

}  // namespace pmdex
