// The progress of a run, as one line for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/ingest/ingest_report.h"

namespace pmdex {

// "[#######------]  42%  1.3 GiB  152 MiB/s  73,120 docs/s  ETA 0:09", in at most `width` columns.
// Leaves out the parts that do not fit; the bar takes the columns that remain. Leaves out bar,
// percentage and ETA if the total is not known.
//
// The percentage is of the work and not of the input alone: reading and indexing a document are
// three quarters of it, and writing it into a segment is one. Once all input is read, "writing
// segments" stands in place of the rates and the ETA.
std::string RenderProgress(const IngestProgress& progress, size_t width);

// Keeps one line on stderr up to date if stderr is a terminal. Not thread-safe.
class ProgressLine {
 public:
  explicit ProgressLine(bool enabled);
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const IngestProgress& progress);
  // Shows words instead, in at most 79 columns.
  void Show(std::string_view words);
  // Removes the line, so that other output can follow.
  void Clear();

 private:
  const bool enabled_;
  bool shown_ = false;
};

}  // namespace pmdex
