// The encoding of what ingest keeps in a manifest: numbers with seven bits a byte, and strings with
// their length before them. The reader accepts any bytes: behind the first error it returns zeros,
// and failed() is true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace pmdex {

class ProgressWriter {
 public:
  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::byte>(value | 0x80));
    bytes_.push_back(static_cast<std::byte>(value));
  }
  void String(std::string_view text) {
    Number(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class ProgressReader {
 public:
  explicit ProgressReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t Number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const uint64_t byte = std::to_integer<uint64_t>(bytes_[at_++]);
      const uint64_t bits = byte & 0x7f;
      if (bits << shift >> shift != bits) break;
      value |= bits << shift;
      if (byte < 0x80) return value;
    }
    Fail();
    return 0;
  }
  std::string_view String() {
    const uint64_t size = Number();
    if (size > bytes_.size() - at_) Fail();
    if (failed_) return {};
    const auto text = bytes_.subspan(at_, size);
    at_ += size;
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  // A number of elements that take at least one byte each. Fails if so many cannot follow.
  uint64_t Count() {
    const uint64_t count = Number();
    if (count > bytes_.size() - at_) Fail();
    return failed_ ? 0 : count;
  }
  void Fail() {
    failed_ = true;
    at_ = bytes_.size();
  }
  bool failed() const { return failed_; }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace pmdex
