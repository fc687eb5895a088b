#include "pmem/short_bytes.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "gtest/gtest.h"

namespace pmdex {
namespace short_bytes_test {

TEST(ShortBytes, AreLoadedWithZerosBehindThem) {
  std::mt19937 random(3);
  for (size_t size = 0; size <= 16; ++size) {
    // No more memory than the bytes: the address sanitizer sees a read beyond them.
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(1 + random() % 255);
    const std::unique_ptr<char[]> exact(new char[size]);
    bytes.copy(exact.get(), size);
    const PaddedBytes loaded = LoadPadded({exact.get(), size});
    char back[16];
    std::memcpy(back, &loaded.first, 8);
    std::memcpy(back + 8, &loaded.second, 8);
    bytes.resize(16);
    EXPECT_EQ(std::string(back, 16), bytes) << size;
  }
}

TEST(ShortBytes, AreSharedUpToTheFirstThatDiffers) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::string common(random() % 40, 'x');
    std::string a = common, b = common;
    if (random() % 4 != 0) a += "a" + std::string(random() % 12, 'y');
    if (random() % 4 != 0) b += "b" + std::string(random() % 12, 'y');
    EXPECT_EQ(CountSharedBytes(a, b), common.size());
    EXPECT_EQ(CountSharedBytes(b, a), common.size());
    EXPECT_EQ(CountSharedBytes(a, a), a.size());
  }
  EXPECT_EQ(CountSharedBytes({}, {}), 0u);
}

}  // namespace short_bytes_test
}  // namespace pmdex
