// Builds the watermark of a running build. Parts of the input arrive in any order, under the
// ordinals that the walk gives to files; the builder joins neighbours. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/ingest/resume/done_work.h"
#include "engine/ingest/resume/watermark.h"

namespace pmdex {

class WatermarkBuilder {
 public:
  // `resumed` is what earlier runs have done.
  explicit WatermarkBuilder(Watermark resumed) : resumed_(std::move(resumed)) {}

  // Says that the walk has come to the next entry of `resumed` and gives it this ordinal, as if it
  // were one file. The caller passes the entries in their order, each before the walk hands out
  // any file behind it.
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
