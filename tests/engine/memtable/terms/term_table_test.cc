#include "engine/memtable/terms/term_table.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/readable_term.h"

namespace pmdex {
namespace term_table_test {

std::string RandomTerm(std::mt19937& random) {
  // Few letters, so that many terms share their first bytes; NUL among them.
  std::string term(1 + random() % (random() % 8 == 0 ? 255 : 16), '\0');
  for (char& c : term) c = "ab\0z"[random() % 4];
  return term;
}

TEST(TermTable, FindsEveryTermAgainAndTellsFieldsApart) {
  std::mt19937 random(11);
  Arena bytes;
  TermTable table(bytes);
  std::map<std::pair<FieldId, std::string>, uint32_t> expected;
  for (int i = 0; i < 60000; ++i) {
    const FieldId field = static_cast<FieldId>(random() % 3);
    const std::string term = RandomTerm(random);
    ++expected[{field, term}];
    ++table.FindOrInsert(table.MakeKey(field, ReadableTerm(term))).cf;
  }
  ASSERT_EQ(table.size(), expected.size());
  size_t visited = 0;
  table.ForEach([&](TermHandle term) {
    const TermEntry& entry = table.EntryAt(term);
    ++visited;
    ASSERT_EQ(entry.cf, expected.at({entry.field, std::string(table.TermOf(entry))}));
  });
  EXPECT_EQ(visited, expected.size());
}

TEST(TermTable, FindsInTurnAndAStepAtATimeTheSameTerms) {
  std::mt19937 random(12);
  Arena bytes, batched_bytes;
  TermTable table(bytes), batched(batched_bytes, 16);
  for (int batch = 0; batch < 500; ++batch) {
    std::vector<std::string> terms(1 + random() % 128);
    for (std::string& term : terms) term = RandomTerm(random);
    batched.Reserve(terms.size());
    std::vector<TermEntry*> located;
    for (const std::string& term : terms) {
      const ReadableTerm readable(term);
      const LookupKey key = batched.MakeKey(0, readable);
      batched.PrefetchBucket(key);
      located.push_back(batched.Locate(key));
      batched.PrefetchPostings(key, located.back());
    }
    for (size_t i = 0; i < terms.size(); ++i) {
      const ReadableTerm readable(terms[i]);
      const LookupKey key = batched.MakeKey(0, readable);
      TermEntry* const found = batched.Find(key, located[i]);
      ++(found != nullptr ? *found : batched.FindOrInsert(key)).cf;
      ++table.FindOrInsert(table.MakeKey(0, ReadableTerm(terms[i]))).cf;
    }
  }
  ASSERT_EQ(batched.size(), table.size());
  table.ForEach([&](TermHandle handle) {
    const TermEntry& entry = table.EntryAt(handle);
    const ReadableTerm term(table.TermOf(entry));
    ASSERT_EQ(batched.FindOrInsert(batched.MakeKey(0, term)).cf, entry.cf);
  });
}

// Occurrences of a term, and what Note keeps of them until there are two.
struct Noted {
  uint32_t count = 0;
  Occurrence first;
};

TEST(TermTable, KeepsOneOccurrenceAndMakesAnEntryForTheSecond) {
  std::mt19937 random(13);
  Arena bytes;
  TermTable table(bytes, 4);
  std::map<std::string, Noted> expected;
  for (uint32_t i = 0; i < 60000; ++i) {
    const std::string term = RandomTerm(random);
    Noted& noted = expected[term];
    const ReadableTerm readable(term);
    const LookupKey key = table.MakeKey(0, readable);
    table.Reserve(1);
    TermEntry* entry = table.Find(key, table.Locate(key));
    ASSERT_EQ(entry != nullptr, noted.count > 1);
    if (entry == nullptr) {
      const auto [promoted, first] = table.Note(key, {i, i / 2});
      ASSERT_EQ(promoted != nullptr, noted.count == 1);
      if (noted.count == 0) noted.first = {i, i / 2};
      if (promoted != nullptr) {
        ASSERT_EQ(first.doc, noted.first.doc);
        ASSERT_EQ(first.position, noted.first.position);
        promoted->cf = 1;
        entry = promoted;
      }
    }
    if (entry != nullptr) ++entry->cf;
    ++noted.count;
    ASSERT_EQ(table.size(), expected.size());
  }
  size_t visited = 0;
  table.ForEach([&](TermHandle handle) {
    const Noted& noted = expected.at(std::string(table.TermOf(table.HeadAt(handle))));
    ++visited;
    ASSERT_EQ(TermTable::IsHapax(handle), noted.count == 1);
    if (noted.count > 1) {
      ASSERT_EQ(table.EntryAt(handle).cf, noted.count);
    } else {
      ASSERT_EQ(table.HapaxAt(handle).occurrence.doc, noted.first.doc);
    }
  });
  EXPECT_EQ(visited, expected.size());
}

TEST(TermTable, TakesThePlaceOfAHapaxThatOccurredAgainForTheNextOne) {
  Arena bytes;
  TermTable table(bytes);
  const auto note = [&table](int number, uint32_t doc) {
    const ReadableTerm term(std::to_string(number));
    table.Reserve(1);
    return table.Note(table.MakeKey(0, term), {doc, 0}).entry;
  };
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(note(i, 0), nullptr);
  size_t entry_bytes = table.entry_bytes();
  for (int i = 0; i < 1000; ++i) EXPECT_NE(note(i, 1), nullptr);
  EXPECT_EQ(table.entry_bytes() - entry_bytes, 1000 * sizeof(TermEntry));
  entry_bytes = table.entry_bytes();
  for (int i = 1000; i < 2000; ++i) EXPECT_EQ(note(i, 2), nullptr);
  EXPECT_EQ(table.entry_bytes(), entry_bytes);
  EXPECT_EQ(table.size(), 2000u);
}

TEST(TermTable, TellsATermFromItselfWithATrailingNul) {
  Arena bytes;
  TermTable table(bytes);
  TermEntry& plain = table.FindOrInsert(table.MakeKey(0, ReadableTerm("abc")));
  TermEntry& longer =
      table.FindOrInsert(table.MakeKey(0, ReadableTerm(std::string_view("abc\0", 4))));
  EXPECT_NE(&plain, &longer);
}

TEST(TermTable, KeepsTermsOfEveryLengthWhole) {
  Arena bytes;
  TermTable table(bytes);
  std::string term;
  for (int length = 1; length <= 255; ++length) {
    term.push_back(static_cast<char>('a' + length % 26));
    EXPECT_EQ(table.TermOf(table.FindOrInsert(table.MakeKey(1, ReadableTerm(term)))), term);
  }
  EXPECT_EQ(table.size(), 255u);
}

TEST(TermTable, PutsEveryEntryOnOneCacheLine) {
  Arena bytes;
  TermTable table(bytes);
  for (int i = 0; i < 10000; ++i) {
    const TermEntry& entry = table.FindOrInsert(table.MakeKey(0, ReadableTerm(std::to_string(i))));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(&entry) % 64, 0u);
  }
}

TEST(TermTable, GrowsInPartsSoThatGrowingTakesLittleOnTop) {
  // All parts hold the same at any time; what counts is that they are as many as was asked for.
  for (const uint32_t parts : {1u, 4u, 256u}) {
    Arena bytes;
    TermTable table(bytes, parts);
    const size_t empty = table.memory_bytes();
    EXPECT_GE(empty, parts * 256 * 8);
    size_t largest_step = 0;
    for (int i = 0; i < 100000; ++i) {
      const size_t before = table.memory_bytes();
      table.FindOrInsert(table.MakeKey(0, ReadableTerm(std::to_string(i))));
      largest_step = std::max(largest_step, table.memory_bytes() - before);
    }
    EXPECT_EQ(table.size(), 100000u);
    EXPECT_LE(largest_step, 2 * 2 * (size_t{1} << 20) / parts + 64 + 4096);
  }
}

}  // namespace term_table_test
}  // namespace pmdex
