#include "engine/segment/dictionary/term_key.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

#include "pmem/checksum.h"

namespace pmdex {
namespace term_key_test {

TEST(TermKey, HoldsShortTermsThemselves) {
  for (const std::string& term :
       {std::string("a"), std::string("sixteen bytes at"), std::string("with\0zero", 9)}) {
    DictionaryEntry entry{};
    TermKey(term, 99).Store(1234, entry);
    EXPECT_EQ(std::string(reinterpret_cast<char*>(entry.key), term.size()), term);
    for (size_t i = term.size(); i < kInlineTermBytes; ++i) EXPECT_EQ(entry.key[i], 0);
    EXPECT_TRUE(TermKey(term, 0).Matches(entry));
    EXPECT_FALSE(TermKey("b", 0).Matches(entry));
  }
}

TEST(TermKey, HoldsHashAndOffsetOfLongTerms) {
  const std::string term = "seventeen bytes a";
  DictionaryEntry entry{};
  TermKey(term, 99).Store(1234, entry);
  EXPECT_EQ(LongTermOffset(entry), 1234u);
  EXPECT_TRUE(TermKey(term, 99).Matches(entry));
  EXPECT_FALSE(TermKey(term, 98).Matches(entry));
}

TEST(TermKey, HashesWithXxh3) {
  const std::string term = "hello";
  EXPECT_EQ(HashTermBytes(0, term), Xxh3(std::as_bytes(std::span<const char>(term))));
  EXPECT_NE(HashTermBytes(1, term), HashTermBytes(0, term));
}

TEST(HashedTerm, HashesForTheSeedThatIsAskedFor) {
  HashedTerm term("hello");
  for (const uint64_t seed : {0ull, 7ull, 7ull, 0ull, 1ull << 63, 0ull}) {
    EXPECT_EQ(term.HashFor(seed), HashTermBytes(seed, "hello"));
  }
  EXPECT_EQ(term.text(), "hello");
}

TEST(HashedTerm, HasTheKeyForTheSeedOfTheLastHash) {
  const std::string long_text(30, 'x');
  HashedTerm term(long_text);
  for (const uint64_t seed : {3ull, 4ull}) {
    DictionaryEntry entry{};
    entry.term_bytes = static_cast<uint8_t>(long_text.size());
    TermKey(long_text, HashTermBytes(seed, long_text)).Store(0, entry);
    (void)term.HashFor(seed);
    EXPECT_TRUE(term.key().Matches(entry));
  }
}

TEST(HashedTerm, MayExistIfADictionaryCanHoldIt) {
  EXPECT_FALSE(HashedTerm("").may_exist());
  EXPECT_TRUE(HashedTerm("a").may_exist());
  EXPECT_TRUE(HashedTerm(std::string(255, 'a')).may_exist());
  EXPECT_FALSE(HashedTerm(std::string(256, 'a')).may_exist());
}

TEST(TermKey, SpreadsTheSameTermOfManyFields) {
  std::set<uint64_t> homes;
  for (uint32_t field = 0; field < 1000; ++field) {
    homes.insert(
        HomeBucket(MixField(HashTermBytes(7, "term"), static_cast<FieldId>(field)), 1 << 20));
  }
  EXPECT_GT(homes.size(), 990u);
}

TEST(TermKey, KeepsHomesInsideTheTableAndInHashOrder) {
  EXPECT_EQ(HomeBucket(0, 1000), 0u);
  EXPECT_EQ(HomeBucket(~uint64_t{0}, 1000), 999u);
  EXPECT_EQ(HomeBucket(~uint64_t{0}, 1), 0u);
  EXPECT_EQ(HomeBucket(~uint64_t{0}, 0xffffffff), 0xfffffffeu);
  EXPECT_LE(HomeBucket(1ull << 62, 1000), HomeBucket(1ull << 63, 1000));
}

}  // namespace term_key_test
}  // namespace pmdex
