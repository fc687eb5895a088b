// Anonymous memory for an array that grows at its end to a size that nobody knows before. Beyond
// 64 KiB, growing neither copies bytes nor makes the kernel zero pages again: the kernel moves the
// pages to a larger range of addresses. Pages come in steps, with one call for many, because a
// fault for each costs more. Owns its memory; movable. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

namespace pmdex {

class GrowingMemory {
 public:
  GrowingMemory() = default;
  ~GrowingMemory();
  GrowingMemory(GrowingMemory&& other) noexcept { Swap(other); }  // leaves no memory behind
  GrowingMemory& operator=(GrowingMemory&& other) noexcept {
    Swap(other);
    return *this;
  }

  // Makes at least so many bytes usable. Bytes keep their values, perhaps at another address; new
  // ones are undefined. Throws std::bad_alloc if there is no memory; nothing has changed then.
  void Grow(size_t size_bytes);
  // Says how large the memory will be at least, so that it takes the addresses at once. It takes
  // no memory for that.
  void Expect(size_t size_bytes);

  std::byte* data() const { return data_; }
  // Bytes that are usable, which is the memory that it takes.
  size_t usable_bytes() const { return usable_; }

 private:
  void Swap(GrowingMemory& other) {
    std::swap(data_, other.data_);
    std::swap(usable_, other.usable_);
    std::swap(mapped_, other.mapped_);
    std::swap(expected_, other.expected_);
  }
  void Map(size_t size_bytes);

  std::byte* data_ = nullptr;
  size_t usable_ = 0;
  size_t mapped_ = 0;  // bytes of addresses; 0: of malloc
  size_t expected_ = 0;
};

// An array of plain values in such memory.
template <typename T>
class GrowingArray {
 public:
  using value_type = T;

  GrowingArray() = default;
  // An empty array in this memory.
  explicit GrowingArray(GrowingMemory memory)
      : memory_(std::move(memory)), capacity_(memory_.usable_bytes() / sizeof(T)) {}
  // Leaves an empty array behind.
  GrowingMemory TakeMemory() {
    size_ = capacity_ = 0;
    return std::move(memory_);
  }
  void swap(GrowingArray& other) {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  void push_back(T value) {
    if (size_ == capacity_) Grow(size_ + 1);
    data()[size_++] = value;
  }
  // The elements from the old size on are undefined.
  void resize(size_t size) {
    if (size > capacity_) Grow(size);
    size_ = size;
  }
  void Expect(size_t size) { memory_.Expect(size * sizeof(T)); }

  T* data() { return reinterpret_cast<T*>(memory_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  const T& front() const { return data()[0]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Elements for which there is memory.
  size_t capacity() const { return capacity_; }
  size_t memory_bytes() const { return memory_.usable_bytes(); }
  operator std::span<const T>() const { return {data(), size_}; }

 private:
  void Grow(size_t size) {
    memory_.Grow(size * sizeof(T));
    capacity_ = memory_.usable_bytes() / sizeof(T);
  }

  GrowingMemory memory_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace pmdex
