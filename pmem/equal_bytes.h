// Compares short strings, such as the names of fields, in registers: a call of memcmp would cost
// more than its work. Reads only the bytes of both. Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pmem/short_bytes.h"

namespace pmdex {

inline bool AreEqual(std::string_view a, std::string_view b) {
  const size_t n = a.size();
  if (n != b.size()) return false;
  // Words that overlap.
  const auto are_equal = [&]<typename Word>(Word) {
    const auto at = [n](std::string_view text) {
      return LoadWord<Word>(text.data() + n - sizeof(Word));
    };
    return LoadWord<Word>(a.data()) == LoadWord<Word>(b.data()) && at(a) == at(b);
  };
  if (n > 2 * sizeof(uint64_t)) return std::memcmp(a.data(), b.data(), n) == 0;
  if (n >= sizeof(uint64_t)) return are_equal(uint64_t{});
  if (n >= sizeof(uint32_t)) return are_equal(uint32_t{});
  if (n >= sizeof(uint16_t)) return are_equal(uint16_t{});
  return n == 0 || a[0] == b[0];
}

}  // namespace pmdex
