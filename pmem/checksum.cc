#include "pmem/checksum.h"

#include <array>
#include <bit>
#include <cstring>
#include <new>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include "pmem/check.h"
#include "pmem/cpu_features.h"
#include "pmem/xxh3_kernels.h"

namespace pmdex {
namespace {

static_assert(std::endian::native == std::endian::little, "the file formats are little-endian");

// Slicing by eight (Kounavis and Berry, "A Systematic Approach to Building High Performance
// Software-Based CRC Generators", 2005): kTables[k][b] is the CRC of byte b followed by k zero
// bytes.
using Crc32cTables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Crc32cTables MakeCrc32cTables() {
  constexpr uint32_t kReflectedPolynomial = 0x82F63B78;
  Crc32cTables tables{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    tables[0][b] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t b = 0; b < 256; ++b) {
      const uint32_t before = tables[k - 1][b];
      tables[k][b] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Crc32cTables kTables = MakeCrc32cTables();

}  // namespace

uint32_t Crc32cScalar(uint32_t crc, std::span<const std::byte> bytes) {
  const std::byte* p = bytes.data();
  size_t left = bytes.size();
  uint32_t state = ~crc;
  for (; left >= 8; left -= 8, p += 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof(word));
    word ^= state;
    state = 0;
    for (size_t i = 0; i < 8; ++i) state ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
  }
  for (; left > 0; --left, ++p) {
    state = (state >> 8) ^ kTables[0][(state ^ static_cast<uint8_t>(*p)) & 0xFF];
  }
  return ~state;
}

uint32_t Crc32c(std::span<const std::byte> bytes) {
  static const auto kernel = GetCpuFeatures().sse42 ? &Crc32cSse42 : &Crc32cScalar;
  return kernel(0, bytes);
}

uint64_t Xxh3Sse2(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t Xxh3(std::span<const std::byte> bytes) {
  constexpr size_t kShortBytes = 240;  // up to here xxHash uses no vectors
  static const bool has_avx2 = GetCpuFeatures().avx2;
  return has_avx2 && bytes.size() > kShortBytes ? Xxh3Avx2(bytes) : Xxh3Sse2(bytes);
}

// XXH3's state must lie at a multiple of 64, which operator new honours for an over-aligned type.
struct Xxh3Stream::State {
  XXH3_state_t xxh;
};

Xxh3Stream::Xxh3Stream() : state_(std::make_unique<State>()) {
  PMDEX_CHECK(XXH3_64bits_reset(&state_->xxh) == XXH_OK);
}
Xxh3Stream::~Xxh3Stream() = default;
Xxh3Stream::Xxh3Stream(Xxh3Stream&&) noexcept = default;
Xxh3Stream& Xxh3Stream::operator=(Xxh3Stream&&) noexcept = default;

void Xxh3Stream::Update(std::span<const std::byte> bytes) {
  PMDEX_CHECK(XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size()) == XXH_OK);
}

uint64_t Xxh3Stream::Digest() const {
  return XXH3_64bits_digest(&state_->xxh);
}

}  // namespace pmdex
