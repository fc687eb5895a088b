// Grows the watermark of a running build. What is done arrives in any order, by the ordinals that
// the walk gives to files; neighbours are joined. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "engine/ingest/resume/done_work.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

class WatermarkBuilder {
 public:
  // `resumed`: what was done before this run.
  explicit WatermarkBuilder(Watermark resumed) : resumed_(std::move(resumed)) {}

  // The walk has come to the next entry of what was done before, and gives it this ordinal, as if
  // it were one file. Called for the entries in their order, before the walk hands out anything
  // behind.
  void Pass(uint64_t ordinal);
  void Add(const DoneFiles& files);
  void Add(const DoneBytes& bytes);

  Watermark Build() const;

 private:
  struct Files {
    uint64_t last_ordinal = 0;
    WalkPosition first;
    WalkPosition last;
  };
  struct Part {
    WalkPosition file;
    std::vector<DoneRange> ranges;
  };
  using Runs = std::map<uint64_t, Files>;

  Runs runs_;                       // by first ordinal
  std::map<uint64_t, Part> parts_;  // by ordinal
  Watermark resumed_;
  size_t passed_ = 0;  // entries of resumed_ that have an ordinal
};

}  // namespace pmdex
