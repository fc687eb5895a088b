// The progress of a run in one line for a terminal.
#pragma once

#include <string>
#include <string_view>

#include "engine/ingest/ingest_report.h"

namespace pmdex {

// "[#######------]  42%  1.3 GiB  152 MiB/s  73,120 docs/s  ETA 0:09", at most `width` columns:
// parts that do not fit are left out, the bar takes what remains. Without a known total there is
// neither bar nor percentage nor ETA.
std::string RenderProgress(const IngestProgress& progress, size_t width);

// Keeps one line on stderr up to date, if that is a terminal. Not thread-safe.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const IngestProgress& progress);
  // Words in its place; at most 79 columns.
  void Show(std::string_view words);
  // Takes the line away, so that other output can follow.
  void Clear();

 private:
  const bool enabled_;
  bool shown_ = false;
};

}  // namespace pmdex
