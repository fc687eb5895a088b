#include "tools/report/html_report.h"

#include "absl/strings/str_cat.h"

#include "tools/report/html_text.h"
#include "tools/report/table_html.h"

namespace pmdex {
namespace {

constexpr char kStyle[] = R"(
:root { --ink: #1c1e21; --paper: #ffffff; --soft: #5f6670; --line: #d9dde2; --band: #f5f7f9;
        --link: #0b62a8; --warn: #fff4d6; --warn-line: #d89b00; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e6e9; --paper: #15181c; --soft: #9ba3ad; --line: #363c44; --band: #1d2126;
          --link: #6db5ef; --warn: #3a2f10; --warn-line: #d89b00; } }
@page { margin: 15mm; }
body { margin: 0; background: var(--paper); color: var(--ink);
       font: 16px/1.5 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 32px 40px 64px; }
h1 { font-size: 1.75em; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 1.25em; margin: 40px 0 12px; padding-top: 12px; border-top: 1px solid var(--line);
     break-after: avoid; }
p { max-width: 46em; margin: 8px 0; overflow-wrap: anywhere; }
.subtitle { color: var(--soft); }
nav { margin: 16px 0 0; font-size: .9em; } nav a { color: var(--link); margin-right: 18px; }
.warning { max-width: 46em; background: var(--warn); border-left: 4px solid var(--warn-line);
           padding: 8px 14px; margin: 12px 0; }
figure { margin: 16px 0 24px; } figure.plot { break-inside: avoid; }
figcaption { color: var(--soft); font-size: .9em; margin: 4px 0; }
.parts { display: flex; flex-wrap: wrap; gap: 16px 40px; align-items: flex-end; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .875em; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line);
         vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tr { break-inside: avoid; } tbody tr:hover { background: var(--band); }
td:first-child, th:first-child { min-width: 8em; }
.n { text-align: right; white-space: nowrap; }
th.n { white-space: normal; overflow-wrap: normal; } .divided th.n { width: 1px; }
dl { display: grid; grid-template-columns: fit-content(40%) 1fr; gap: 2px 20px; font-size: .925em; }
dt { color: var(--soft); } dd { margin: 0; } dt, dd { overflow-wrap: anywhere; }
svg { max-width: 100%; height: auto; }
@media (max-width: 800px) { main { padding: 24px 16px 48px; } }
@media print {
  :root { --ink: #000000; --paper: #ffffff; --soft: #444444; --line: #bbbbbb; --band: #f4f4f4;
          --link: #000000; --warn: #ffffff; color-scheme: light; }
  body { font-size: 10pt; } main { max-width: none; padding: 0; } nav { display: none; }
  .parts { display: block; } .scroll { overflow: visible; margin-bottom: 12px; }
  table { font-size: 8pt; }
  th, td { overflow-wrap: break-word; padding-right: 8px; }
  td:first-child, th:first-child { min-width: 6em; } }
)";

}  // namespace

HtmlReport::HtmlReport(std::string_view title, std::string_view subtitle)
    : title_(title), subtitle_(subtitle) {}

HtmlReport& HtmlReport::Section(std::string_view title) {
  sections_.emplace_back(title);
  absl::StrAppend(&body_, "<h2 id=\"section-", sections_.size(), "\">", EscapeHtml(title),
                  "</h2>\n");
  return *this;
}

HtmlReport& HtmlReport::Paragraph(std::string_view text) {
  absl::StrAppend(&body_, "<p>", EscapeHtml(text), "</p>\n");
  return *this;
}

HtmlReport& HtmlReport::Warning(std::string_view text) {
  absl::StrAppend(&body_, "<div class=\"warning\">", EscapeHtml(text), "</div>\n");
  return *this;
}

HtmlReport& HtmlReport::Facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += "<dl>\n";
  for (const auto& [name, value] : facts) {
    absl::StrAppend(&body_, "<dt>", EscapeHtml(name), "</dt><dd>", EscapeHtml(value), "</dd>\n");
  }
  body_ += "</dl>\n";
  return *this;
}

HtmlReport& HtmlReport::Table(const ReportTable& table) {
  body_ += TableToHtml(table);
  return *this;
}

HtmlReport& HtmlReport::Plot(const DrawnPlot& plot) {
  if (plot.svg.empty()) {
    return Warning(absl::StrCat("The plot \"", plot.title, "\" is not drawn: ", plot.why_not, "."));
  }
  absl::StrAppend(&body_, "<figure class=\"plot\">", plot.svg,
                  "<figcaption>Also beside this page: ", EscapeHtml(plot.png_name),
                  "</figcaption></figure>\n");
  return *this;
}

HtmlReport& HtmlReport::Picture(std::string_view caption, std::string_view svg) {
  absl::StrAppend(&body_, "<figure class=\"plot\">", std::string(svg), "<figcaption>",
                  EscapeHtml(caption), "</figcaption></figure>\n");
  return *this;
}

std::string HtmlReport::Page() const {
  std::string contents;
  for (size_t i = 0; i < sections_.size(); ++i) {
    absl::StrAppend(&contents, "<a href=\"#section-", i + 1, "\">", EscapeHtml(sections_[i]),
                    "</a> ");
  }
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<title>",
      EscapeHtml(title_), "</title>\n<style>", kStyle, "</style></head>\n<body><main>\n<h1>",
      EscapeHtml(title_), "</h1>\n<p class=\"subtitle\">", EscapeHtml(subtitle_), "</p>\n<nav>",
      contents, "</nav>\n", body_, "</main></body></html>\n");
}

}  // namespace pmdex
