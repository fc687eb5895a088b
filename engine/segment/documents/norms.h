// Length codes: the length of a field of a document in one byte, as in Lucene's
// SmallFloat.intToByte4. Lengths up to 39 are exact; greater ones keep four significant bits. A
// greater length never has a smaller code. Code 0 means that the document does not have the field.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace pmdex {

namespace norms_internal {
constexpr uint32_t ToFloat4(uint64_t value) {
  const int bits = std::bit_width(value);
  if (bits < 4) return static_cast<uint32_t>(value);
  const int shift = bits - 4;
  return static_cast<uint32_t>(((value >> shift) & 7) | (static_cast<uint64_t>(shift + 1) << 3));
}
constexpr uint64_t FromFloat4(uint32_t code) {
  const uint64_t mantissa = code & 7;
  const int shift = static_cast<int>(code >> 3) - 1;
  return shift < 0 ? mantissa : (mantissa | 8) << shift;
}
inline constexpr uint32_t kMaxFloat4 = ToFloat4(0x7fffffff);
inline constexpr uint32_t kExactCodes = 255 - kMaxFloat4;
}  // namespace norms_internal

// Lengths above 0x7fffffff get the code of 0x7fffffff.
constexpr uint8_t EncodeLength(uint32_t length) {
  using namespace norms_internal;
  if (length > 0x7fffffff) length = 0x7fffffff;
  if (length < kExactCodes) return static_cast<uint8_t>(length);
  return static_cast<uint8_t>(kExactCodes + ToFloat4(length - kExactCodes));
}

// The shortest length that has this code. Similarities compute with this length.
constexpr uint32_t DecodeLength(uint8_t code) {
  using namespace norms_internal;
  if (code < kExactCodes) return code;
  return static_cast<uint32_t>(kExactCodes + FromFloat4(code - kExactCodes));
}

}  // namespace pmdex
