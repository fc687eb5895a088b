// A ReadableFile of bytes that a test gives it, whose medium fails when the test says so.
#pragma once

#include <utility>
#include <vector>

#include "tests/support/memory_file.h"

namespace pmdex {

// The faults that the test sets. It must outlive the file.
struct FaultyMedium {
  absl::Status health;
  std::vector<BadBlock> bad_blocks;
};

class FaultyFile : public MemoryFile {
 public:
  FaultyFile(std::span<const std::byte> bytes, const FaultyMedium& medium)
      : MemoryFile(bytes), medium_(medium) {}
  absl::Status Health() const override { return medium_.health; }
  std::span<const BadBlock> known_bad_blocks() const override { return medium_.bad_blocks; }

 private:
  const FaultyMedium& medium_;
};

}  // namespace pmdex
