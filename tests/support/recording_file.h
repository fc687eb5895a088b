// A ReadableFile of bytes that a test gives it. It records the calls of Prefetch.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tests/support/memory_file.h"

namespace pmdex {

struct PrefetchRange {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  friend bool operator==(const PrefetchRange&, const PrefetchRange&) = default;
};

// The calls in their order. It must outlive the file.
using PrefetchLog = std::vector<PrefetchRange>;

class RecordingFile : public MemoryFile {
 public:
  RecordingFile(std::span<const std::byte> bytes, PrefetchLog& log)
      : MemoryFile(bytes), log_(log) {}
  void Prefetch(uint64_t offset, uint64_t size_bytes) const override {
    log_.push_back({offset, size_bytes});
  }

 private:
  PrefetchLog& log_;
};

}  // namespace pmdex
