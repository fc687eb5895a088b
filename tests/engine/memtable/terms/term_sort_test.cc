#include "engine/memtable/terms/term_sort.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "tests/support/readable_term.h"

namespace pmdex {
namespace term_sort_test {

// Sorts the terms and compares them with a set of (field, term).
void ExpectSorted(const std::set<std::pair<FieldId, std::string>>& expected) {
  Arena bytes;
  TermTable table(bytes);
  for (const auto& [field, term] : expected) {
    const ReadableTerm readable(term);
    const LookupKey key = table.MakeKey(field, readable);
    if (term.size() % 3 == 0) {
      table.FindOrInsert(key).df = 1;
    } else {
      table.Reserve(1);
      table.Note(key, {0, 0});
    }
  }
  std::vector<std::pair<FieldId, std::string>> sorted;
  for (const TermHandle handle : SortTerms(table)) {
    const TermHead& head = table.HeadAt(handle);
    sorted.emplace_back(head.field, table.TermOf(head));
  }
  EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
}

std::string RandomTerm(std::mt19937& random, size_t length) {
  std::string term(length, 'x');
  for (char& c : term) c = "\0ab\x7f\x80\xff"[random() % 6];
  return term;
}

TEST(SortTerms, OrdersByFieldThenByUnsignedBytes) {
  std::mt19937 random(3);
  std::set<std::pair<FieldId, std::string>> expected;
  for (int i = 0; i < 20000; ++i) {
    expected.emplace(static_cast<FieldId>(random() % 2 * 300),
                     RandomTerm(random, 1 + random() % 14));
  }
  ExpectSorted(expected);
}

TEST(SortTerms, OrdersLongTermsThatShareLongPrefixes) {
  std::mt19937 random(4);
  std::set<std::pair<FieldId, std::string>> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::string prefix(random() % 5 * 50, 'p');
    const size_t room = 255 - prefix.size();
    expected.emplace(FieldId{0},
                     prefix + RandomTerm(random, 1 + random() % std::min<size_t>(room, 30)));
    expected.emplace(FieldId{0}, prefix + std::string(1 + random() % room, '\0'));
  }
  ExpectSorted(expected);
}

TEST(SortTerms, LeavesOutTermsWithoutPostings) {
  Arena bytes;
  TermTable table(bytes);
  table.FindOrInsert(table.MakeKey(0, ReadableTerm("none")));
  table.FindOrInsert(table.MakeKey(0, ReadableTerm("some"))).df = 1;
  table.Note(table.MakeKey(0, ReadableTerm("taken back")), {0, 0});
  table.ForEach([&table](TermHandle term) {
    if (TermTable::IsHapax(term)) table.HapaxAt(term).occurrence.doc = kNoOccurrence;
  });
  EXPECT_EQ(SortTerms(table).size(), 1u);
}

}  // namespace term_sort_test
}  // namespace pmdex
