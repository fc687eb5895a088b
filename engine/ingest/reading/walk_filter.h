// Takes out of the walk what an earlier run has done. Follows the watermark in step with the walk,
// numbers the files that are left, and tells those that are partly done what to leave out.
//
// A file that has appeared between two done ones since counts as done. One thread: the walk's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

class WalkFilter {
 public:
  // `passed` is told the ordinal of each entry of `done` that the walk has come to, in order.
  // `problems` hears of a file that is gone although a part of it was still to be read.
  WalkFilter(const Watermark& done, ProblemLog& problems,
             std::function<void(uint64_t ordinal)> passed)
      : done_(done), problems_(problems), passed_(std::move(passed)) {}

  // Whether the file, the next of the walk, is to be read; then its ordinal and done ranges are
  // set.
  bool Admit(InputFile& file);

 private:
  void Pass() {
    passed_(next_ordinal_++);
    ++next_;
  }

  const Watermark done_;
  ProblemLog& problems_;
  const std::function<void(uint64_t ordinal)> passed_;
  size_t next_ = 0;  // entry that the walk has not passed
  uint64_t next_ordinal_ = 0;
};

}  // namespace pmdex
