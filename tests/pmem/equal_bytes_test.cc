#include "pmem/equal_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace pmdex {
namespace equal_bytes_test {

TEST(AreEqual, SeesEachByteOfEachSize) {
  for (size_t size = 0; size < 40; ++size) {
    std::string a(size, 'a');
    for (size_t i = 0; i < size; ++i) a[i] = static_cast<char>('a' + i % 7);
    std::string b = a;
    EXPECT_TRUE(AreEqual(a, b)) << size;
    EXPECT_FALSE(AreEqual(a, b + "x"));
    EXPECT_FALSE(AreEqual(a + "x", b));
    for (size_t i = 0; i < size; ++i) {
      b[i] = static_cast<char>(b[i] ^ 0x80);
      EXPECT_FALSE(AreEqual(a, b)) << size << " " << i;
      b[i] = a[i];
    }
  }
}

}  // namespace equal_bytes_test
}  // namespace pmdex
