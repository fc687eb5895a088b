// Removes from the walk what earlier runs have done. It follows the watermark in step with the
// walk, numbers the files that are left, and notes in each file which parts of it are done.
//
// A file that has appeared between two files of a done interval counts as done. For the thread of
// the walk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

class WalkFilter {
 public:
  // Calls `passed` with the ordinal of each entry of `done` that the walk has come to, in order.
  // Adds a problem if a file is gone of which a part was still to be read.
  WalkFilter(const Watermark& done, ProblemLog& problems,
             std::function<void(uint64_t ordinal)> passed)
      : done_(done), problems_(problems), passed_(std::move(passed)) {}

  // Takes the next file of the walk. True if the file is to be read; then its ordinal and its done
  // ranges are set.
  bool Admit(InputFile& file);

 private:
  void Pass() {
    passed_(next_ordinal_++);
    ++next_;
  }

  const Watermark done_;
  ProblemLog& problems_;
  const std::function<void(uint64_t ordinal)> passed_;
  size_t next_ = 0;  // the first entry of done_ that the walk has not passed
  uint64_t next_ordinal_ = 0;
};

}  // namespace pmdex
