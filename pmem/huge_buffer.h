// Anonymous memory for large tables and arenas: zeroed, 2 MiB aligned where it is 2 MiB or more,
// and with the kernel asked for 2 MiB pages, because a random access then misses the TLB far less
// often. Owns its memory; movable. Not thread-safe.
#pragma once

#include <cstddef>
#include <span>

namespace pmdex {

class HugeBuffer {
 public:
  HugeBuffer() = default;
  // Zeroed. Throws std::bad_alloc when there is no memory, as new does.
  explicit HugeBuffer(size_t size_bytes);
  ~HugeBuffer();
  HugeBuffer(HugeBuffer&& other) noexcept;
  HugeBuffer& operator=(HugeBuffer&& other) noexcept;

  // Makes it larger: what is in it stays, what follows is zeroed. Large buffers keep their pages,
  // at another address. Throws std::bad_alloc, and is as it was, when there is no memory.
  void Grow(size_t size_bytes);

  std::byte* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

  // The whole buffer as elements of T, a trivial type for which zeros are a value.
  template <typename T>
  std::span<T> As() const {
    return {reinterpret_cast<T*>(data_), size_bytes_ / sizeof(T)};
  }

 private:
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace pmdex
