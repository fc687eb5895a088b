#include "pmem/byte_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace pmdex {
namespace byte_search_test {

std::string RandomText(std::mt19937& random, size_t size, int letters) {
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>('a' + static_cast<int>(random()) % letters);
  return text;
}

TEST(FindBytes, FindsWhatStringViewDoes) {
  if (!GetCpuFeatures().avx2) GTEST_SKIP() << "this CPU has no AVX2";
  std::mt19937 random(1);
  int found = 0;
  for (int i = 0; i < 200'000; ++i) {
    // At the end of its own memory, so that a sanitizer sees what is read behind it.
    const std::string text = RandomText(random, random() % 200, 1 + i % 4);
    const std::string part = RandomText(random, 1 + random() % (i % 3 == 0 ? 40 : 5), 1 + i % 4);
    const size_t from = random() % (text.size() + 3);
    const size_t expected = std::string_view(text).find(part, from);
    ASSERT_EQ(FindBytesAvx2(text, part, from), expected) << text << " " << part << " " << from;
    ASSERT_EQ(FindBytes(text, part, from), expected);
    found += expected != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(found, 20'000);
}

}  // namespace byte_search_test
}  // namespace pmdex
