// A ReadableFile of bytes that a test gives it. The bytes begin at a page boundary, as in a
// mapping. AddressSanitizer detects reads behind them.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

#include "pmem/directory.h"

namespace pmdex {

class MemoryFile : public ReadableFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes)
      : size_bytes_(bytes.size()),
        bytes_(static_cast<std::byte*>(::operator new(bytes.size(), kPage))) {
    if (!bytes.empty()) std::memcpy(bytes_.get(), bytes.data(), bytes.size());
  }

  std::span<const std::byte> bytes() const override { return {bytes_.get(), size_bytes_}; }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  static constexpr std::align_val_t kPage{4096};
  struct Free {
    void operator()(std::byte* bytes) const { ::operator delete(bytes, kPage); }
  };
  const size_t size_bytes_;
  const std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace pmdex
