// The memory of one file of a directory in DRAM (dram_directory.cc). Thread-safe but for Trim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

class DramBuffer {
 public:
  virtual ~DramBuffer() = default;
  DramBuffer(const DramBuffer&) = delete;
  DramBuffer& operator=(const DramBuffer&) = delete;

  std::span<std::byte> memory() const { return memory_; }
  // The file ends after length_bytes: whole pages behind them may be freed. They stay mapped, and
  // read as zeros, because a view may have been opened before.
  virtual void Trim(uint64_t length_bytes) = 0;

 protected:
  DramBuffer() = default;
  std::span<std::byte> memory_;
};
using DramBufferPointer = std::shared_ptr<DramBuffer>;

// Zeroed memory of at least capacity_bytes, at a multiple of kHugePageBytes with kHugePages and of
// a page with kExact. what: for messages. Returns kResourceExhausted without memory.
absl::StatusOr<DramBufferPointer> AllocateDramBuffer(DramAllocation allocation,
                                                     uint64_t capacity_bytes,
                                                     std::string_view what);

}  // namespace pmdex
