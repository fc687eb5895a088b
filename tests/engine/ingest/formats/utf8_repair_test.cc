#include "engine/ingest/formats/utf8_repair.h"

#include <simdjson.h>

#include <random>

#include "gtest/gtest.h"

namespace pmdex {
namespace utf8_repair_test {

#define REPLACED "\xef\xbf\xbd"

TEST(ReplaceInvalidUtf8, LeavesValidTextAlone) {
  const std::string text = "plain \xc3\xa9 \xe4\xb8\xad \xf0\x9f\x98\x80 " REPLACED;
  EXPECT_EQ(ReplaceInvalidUtf8(text), text);
}

TEST(ReplaceInvalidUtf8, ReplacesMaximalSubparts) {
  // The example of the Unicode Standard, table 3-11, and surrogates (3-9).
  EXPECT_EQ(ReplaceInvalidUtf8("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf"
                               "A"),
            REPLACED REPLACED REPLACED REPLACED "A");
  EXPECT_EQ(ReplaceInvalidUtf8("\xed\xa0\x80"
                               "A"),
            REPLACED REPLACED REPLACED "A");
  EXPECT_EQ(ReplaceInvalidUtf8("\xc0\xaf"), REPLACED REPLACED);
  EXPECT_EQ(ReplaceInvalidUtf8("caf\xe9"), "caf" REPLACED);
}

TEST(ReplaceInvalidUtf8, MakesAnyBytesValid) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() : 0x80 | random());
    const std::string repaired = ReplaceInvalidUtf8(text);
    ASSERT_TRUE(simdjson::validate_utf8(repaired));
    if (simdjson::validate_utf8(text)) {
      ASSERT_EQ(repaired, text);
    }
  }
}

}  // namespace utf8_repair_test
}  // namespace pmdex
