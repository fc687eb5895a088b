#include "tools/report/table_html.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "tools/report/html_text.h"
#include "tools/report/table_parts.h"

namespace pmdex {
namespace {

// Names of metrics and paths may wrap behind these.
std::string WrappingHtml(const std::string& text) {
  return absl::StrReplaceAll(EscapeHtml(text), {{"_", "_<wbr>"}, {"/", "/<wbr>"}});
}

void AppendPart(const ReportTable& part, std::string& html) {
  html += "<div class=\"scroll\"><table><thead><tr>";
  for (const ReportColumn& column : part.columns) {
    absl::StrAppend(&html, column.is_number ? "<th class=\"n\">" : "<th>",
                    WrappingHtml(column.name), "</th>");
  }
  html += "</tr></thead><tbody>\n";
  for (const auto& row : part.rows) {
    html += "<tr>";
    for (size_t i = 0; i < std::min(row.size(), part.columns.size()); ++i) {
      absl::StrAppend(&html, part.columns[i].is_number ? "<td class=\"n\">" : "<td>",
                      WrappingHtml(row[i]), "</td>");
    }
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
}

}  // namespace

std::string TableToHtml(const ReportTable& table) {
  std::string html = "<figure class=\"table\">";
  if (!table.caption.empty()) {
    absl::StrAppend(&html, "<figcaption>", EscapeHtml(table.caption), "</figcaption>");
  }
  const std::vector<ReportTable> parts = PartsThatFit(table);
  html += parts.size() == 1 ? "<div class=\"parts\">" : "<div class=\"parts divided\">";
  for (const ReportTable& part : parts) AppendPart(part, html);
  return html + "</div></figure>\n";
}

}  // namespace pmdex
