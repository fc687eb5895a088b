// Anonymous memory for large tables and arenas. A buffer of 2 MiB or more is aligned to 2 MiB and
// asks the kernel for 2 MiB pages, with which random accesses miss the TLB far less often. Owns its
// memory; movable. Not thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace pmdex {

class HugeBuffer {
 public:
  HugeBuffer() = default;
  // All bytes are zero. Throws std::bad_alloc if there is no memory.
  explicit HugeBuffer(size_t size_bytes);
  ~HugeBuffer();
  HugeBuffer(HugeBuffer&& other) noexcept;
  HugeBuffer& operator=(HugeBuffer&& other) noexcept;

  // Makes the buffer larger. Its bytes keep their values, perhaps at another address; new bytes are
  // zero. The pages of a large buffer are moved, not copied. Throws std::bad_alloc if there is no
  // memory; the buffer is then unchanged.
  void Grow(size_t size_bytes);

  // Lets the kernel give the buffer its memory now, and not page by page when they are first
  // touched. The memory lies on the NUMA node of the calling thread. A hint: errors are ignored.
  void Populate();

  std::byte* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

  // The whole buffer as elements of T. Requires a trivial T for which zero bytes are a value.
  template <typename T>
  std::span<T> As() const {
    return {reinterpret_cast<T*>(data_), size_bytes_ / sizeof(T)};
  }

 private:
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace pmdex
