#include "engine/ingest/pipeline/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"

#include "engine/ingest/ingest_report.h"

namespace pmdex {
namespace {

constexpr size_t kDefaultWidth = 80;
constexpr size_t kMinBar = 10;
constexpr size_t kMaxBar = 40;
constexpr std::string_view kGap = "  ";

std::string FormatBytes(double bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1000 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  const int digits = unit == 0 || bytes >= 100 ? 0 : 1;
  return absl::StrFormat("%.*f %s", digits, bytes, kUnits[unit]);
}

std::string FormatCount(double value) {
  std::string digits = absl::StrFormat("%.0f", value);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string FormatDuration(double seconds) {
  const uint64_t whole = static_cast<uint64_t>(std::min(std::ceil(seconds), 359999.0));
  if (whole >= 3600) {
    return absl::StrFormat("%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return absl::StrFormat("%d:%02d", whole / 60, whole % 60);
}

// The shares of a document's work that come before and with its segment. Of a build of text, about
// a quarter of the processor time goes to sorting and writing.
constexpr double kIndexingShare = 0.75;
constexpr double kWritingShare = 1 - kIndexingShare;

bool IsRead(const IngestProgress& progress) {
  return progress.bytes_total > 0 && progress.bytes_done >= progress.bytes_total;
}

bool IsWritten(const IngestProgress& progress) {
  return progress.written_documents >= progress.documents;
}

// The part of the work that is done, from 0 to 1. Requires bytes_total > 0.
double DoneShare(const IngestProgress& progress) {
  const double read = std::min(
      1.0, static_cast<double>(progress.bytes_done) / static_cast<double>(progress.bytes_total));
  const double written = IsWritten(progress) ? 1
                                             : static_cast<double>(progress.written_documents) /
                                                   static_cast<double>(progress.documents);
  return read * (kIndexingShare + kWritingShare * written);
}

// Parts in the order in which they appear; the last ones are given up first.
std::vector<std::string> Parts(const IngestProgress& progress, double done) {
  const double seconds = std::max(progress.elapsed_seconds, 1e-3);
  const double bytes_per_second = static_cast<double>(progress.bytes_done) / seconds;
  std::vector<std::string> parts;
  if (progress.bytes_total > 0) parts.push_back(absl::StrFormat("%3.0f%%", std::floor(done * 100)));
  parts.push_back(FormatBytes(static_cast<double>(progress.bytes_done)));
  if (IsRead(progress) && !IsWritten(progress)) {
    parts.push_back("writing segments");
    return parts;
  }
  parts.push_back(FormatBytes(bytes_per_second) + "/s");
  parts.push_back(FormatCount(static_cast<double>(progress.documents) / seconds) + " docs/s");
  if (done > 0) parts.push_back("ETA " + FormatDuration(seconds * (1 - done) / done));
  return parts;
}

std::string Bar(double done, size_t width) {
  const size_t inner = width - 2;
  const size_t filled = static_cast<size_t>(done * static_cast<double>(inner));
  return "[" + std::string(filled, '#') + std::string(inner - filled, '-') + "]";
}

size_t TerminalWidth() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  // The last column stays free: some terminals wrap when it is written.
  return known ? size.ws_col - size_t{1} : kDefaultWidth - 1;
}

}  // namespace

std::string RenderProgress(const IngestProgress& progress, size_t width) {
  const double done = progress.bytes_total == 0 ? 0 : DoneShare(progress);
  std::string text;
  for (const std::string& part : Parts(progress, done)) {
    const size_t gap = text.empty() ? 0 : kGap.size();
    if (text.size() + gap + part.size() > width) break;
    if (gap > 0) text += kGap;
    text += part;
  }
  const size_t taken = text.size() + kGap.size();
  if (progress.bytes_total == 0 || width < taken + kMinBar) return text;
  return Bar(done, std::min(kMaxBar, width - taken)) + std::string(kGap) + text;
}

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && isatty(STDERR_FILENO) != 0) {}

void ProgressLine::Show(const IngestProgress& progress) {
  if (enabled_) Show(RenderProgress(progress, TerminalWidth()));
}

void ProgressLine::Show(std::string_view words) {
  if (!enabled_) return;
  // \x1b[K clears what a longer line before left behind.
  std::fprintf(stderr, "\r%s\x1b[K", std::string(words).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::Clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace pmdex
