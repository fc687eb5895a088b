// A ReadableFile of bytes that a test made up. The bytes lie at a page boundary, as in a mapping,
// and end where a read beyond them is caught by AddressSanitizer.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "pmem/directory.h"

namespace pmdex {

class MemoryFile : public ReadableFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes)
      : size_bytes_(bytes.size()),
        // aligned_alloc takes any size here: glibc does not insist on a multiple.
        bytes_(static_cast<std::byte*>(std::aligned_alloc(4096, bytes.size()))) {
    if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
  }

  std::span<const std::byte> bytes() const override { return {bytes_.get(), size_bytes_}; }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  const size_t size_bytes_;
  const std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace pmdex
