// A bounded number of bytes that requests reserve while they wait. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace pmdex {

class ByteBudget;

// Gives its bytes back when it is destroyed.
class ReservedBytes {
 public:
  ReservedBytes(ByteBudget& budget, uint64_t bytes) : budget_(budget), bytes_(bytes) {}
  ReservedBytes(const ReservedBytes&) = delete;
  ReservedBytes& operator=(const ReservedBytes&) = delete;
  ~ReservedBytes();

 private:
  ByteBudget& budget_;
  const uint64_t bytes_;
};

class ByteBudget {
 public:
  explicit ByteBudget(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // nullptr if so many bytes are not left. The budget outlives what it returns.
  std::unique_ptr<const ReservedBytes> Reserve(uint64_t bytes) {
    uint64_t used = used_bytes_.load(std::memory_order_relaxed);
    do {
      if (used > most_bytes_ || bytes > most_bytes_ - used) return nullptr;
    } while (!used_bytes_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return std::make_unique<const ReservedBytes>(*this, bytes);
  }
  uint64_t used_bytes() const { return used_bytes_.load(std::memory_order_relaxed); }

 private:
  friend class ReservedBytes;
  const uint64_t most_bytes_;
  std::atomic<uint64_t> used_bytes_{0};
};

inline ReservedBytes::~ReservedBytes() {
  budget_.used_bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
}

}  // namespace pmdex
