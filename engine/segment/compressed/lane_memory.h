// Memory for the lanes of one decoded list. A list may take megabytes, and memory that is new to
// the process is cleared by the kernel page by page when it is written: that took a quarter of the
// time of phrases over long lists. So a thread keeps the memory of lists that it has done with, up
// to kMostKeptBytes, for the next ones. What it keeps is freed when the thread ends.
#pragma once

#include <cstddef>

namespace pmdex {

class LaneMemory {
 public:
  // All that a thread keeps together.
  static constexpr size_t kMostKeptBytes = size_t{64} << 20;

  LaneMemory() = default;
  // At least so many bytes, aligned to 64, with undefined content. Throws std::bad_alloc.
  explicit LaneMemory(size_t bytes);
  // Leaves the memory to the calling thread, which need not be the one that took it.
  ~LaneMemory();
  LaneMemory(LaneMemory&& other) noexcept;
  LaneMemory& operator=(LaneMemory&& other) noexcept;

  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace pmdex
