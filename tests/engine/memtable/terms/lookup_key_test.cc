#include "engine/memtable/terms/lookup_key.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

#include "tests/support/readable_term.h"

namespace pmdex {
namespace lookup_key_test {

constexpr uint64_t kSeed = 0x243f6a8885a308d3;

TEST(LookupKey, DependsOnNothingButSeedFieldAndTerm) {
  std::string term;
  for (size_t size = 1; size <= 255; ++size) {
    term.push_back(static_cast<char>('a' + size % 26));
    std::string other = term + std::string(kReadableTermBytes, '\xff');
    const LookupKey a = MakeLookupKey(kSeed, 3, ReadableTerm(term));
    const LookupKey b = MakeLookupKey(kSeed, 3, std::string_view(other).substr(0, size));
    ASSERT_EQ(a.head, b.head);
    ASSERT_EQ(a.rest_and_tag, b.rest_and_tag);
    ASSERT_EQ(a.hash, b.hash);
    ASSERT_EQ(a.term_bytes(), size);
  }
}

TEST(LookupKey, TellsByHashTermsThatDifferInOneByteAnywhere) {
  for (const size_t size : {1, 7, 8, 9, 12, 13, 15, 16, 17, 31, 32, 33, 64, 255}) {
    const std::string term(size, 'm');
    std::set<uint32_t> hashes = {MakeLookupKey(kSeed, 0, ReadableTerm(term)).hash};
    for (size_t i = 0; i < size; ++i) {
      std::string other = term;
      other[i] = 'n';
      hashes.insert(MakeLookupKey(kSeed, 0, ReadableTerm(other)).hash);
    }
    EXPECT_EQ(hashes.size(), size + 1) << size;
  }
}

TEST(LookupKey, TellsFieldsLengthsAndSeedsApart) {
  const auto key = [](uint64_t seed, FieldId field, std::string_view term) {
    return MakeLookupKey(seed, field, ReadableTerm(term));
  };
  for (const size_t size : {3, 20, 100}) {
    const std::string term(size, '\0');
    const LookupKey one = key(kSeed, 0, term);
    EXPECT_NE(one.rest_and_tag, key(kSeed, 1, term).rest_and_tag);
    EXPECT_NE(one.hash, key(kSeed, 1, term).hash);
    EXPECT_NE(one.hash, key(kSeed, 0, term + '\0').hash);
    EXPECT_NE(one.rest_and_tag, key(kSeed, 0, term + '\0').rest_and_tag);
    EXPECT_NE(one.hash, key(kSeed + 1, 0, term).hash);
  }
}

}  // namespace lookup_key_test
}  // namespace pmdex
