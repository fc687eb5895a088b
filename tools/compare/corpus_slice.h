// A part of the text of a corpus, for the scaling study and for --dry-run. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

struct CorpusSlice {
  std::string directory;       // has the text, and nothing else
  std::string format;          // as `pmdex index --format` takes it
  uint64_t bytes = 0;          // of all text
  uint64_t made_up_bytes = 0;  // of these, text that was generated
};

// The bytes of all files that a build of these inputs would read.
absl::StatusOr<uint64_t> CorpusBytes(const std::vector<std::string>& inputs);

// Copies at most so many bytes of text, from files that are drawn at random with a fixed seed (the
// rules of tuning_sample.h), into a new directory.
absl::StatusOr<CorpusSlice> TakeCorpusSlice(const std::vector<std::string>& inputs,
                                            const std::string& directory, uint64_t bytes);

// Adds generated text until the slice has so many bytes: lines of words that are drawn at random,
// with a fixed seed, by their frequency in the first 16 MiB of the slice; lines are as long as
// those there. It has the document frequencies of real text, but no phrases, no topics and no new
// words.
absl::Status GenerateText(uint64_t bytes, CorpusSlice& slice);

}  // namespace pmdex
