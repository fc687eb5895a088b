// The checksums of the file formats: XXH3-64 for sections, and CRC32C for headers and small blocks
// (Castagnoli polynomial; initial value and final xor are 0xffffffff, as in iSCSI, RFC 3720). The
// functions are pure and thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace pmdex {

// Chooses the SSE4.2 or the scalar kernel once, at run time. Both return the same value.
uint32_t Crc32c(std::span<const std::byte> bytes);
// The kernels behind Crc32c. crc: 0, or the result for the bytes before these.
uint32_t Crc32cScalar(uint32_t crc, std::span<const std::byte> bytes);
uint32_t Crc32cSse42(uint32_t crc, std::span<const std::byte> bytes);

uint64_t Xxh3(std::span<const std::byte> bytes);

// XXH3-64 of bytes that arrive in pieces. Not thread-safe.
class Xxh3Stream {
 public:
  Xxh3Stream();
  ~Xxh3Stream();
  Xxh3Stream(Xxh3Stream&&) noexcept;
  Xxh3Stream& operator=(Xxh3Stream&&) noexcept;

  void Update(std::span<const std::byte> bytes);
  uint64_t Digest() const;  // of all bytes so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pmdex
