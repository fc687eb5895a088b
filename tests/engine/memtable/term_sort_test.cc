#include "engine/memtable/term_sort.h"

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace {

TEST(SortTerms, OrdersByFieldThenByUnsignedBytes) {
  std::mt19937 random(3);
  Arena bytes;
  TermTable table(bytes);
  std::set<std::pair<FieldId, std::string>> expected;
  for (int i = 0; i < 20000; ++i) {
    const FieldId field = static_cast<FieldId>(random() % 2 * 300);
    std::string term(1 + random() % 14, 'x');
    for (char& c : term) c = "\0ab\x7f\x80\xff"[random() % 6];
    expected.emplace(field, term);
    table.FindOrInsert(table.MakeKey(field, term)).df = 1;
  }
  std::vector<std::pair<FieldId, std::string>> sorted;
  for (const SortedTerm& term : SortTerms(table)) {
    const TermEntry& entry = table.EntryAt(term.entry);
    sorted.emplace_back(entry.field, table.TermOf(entry));
  }
  ASSERT_EQ(sorted.size(), expected.size());
  EXPECT_TRUE(
      std::equal(sorted.begin(), sorted.end(), expected.begin(), [](const auto& a, const auto& b) {
        return a.first == b.first && std::string_view(a.second) == std::string_view(b.second);
      }));
}

TEST(SortTerms, LeavesOutTermsWithoutPostings) {
  Arena bytes;
  TermTable table(bytes);
  table.FindOrInsert(table.MakeKey(0, "none"));
  table.FindOrInsert(table.MakeKey(0, "closed")).df = 1;
  table.FindOrInsert(table.MakeKey(0, "open")).freq = 1;
  EXPECT_EQ(SortTerms(table).size(), 2u);
}

}  // namespace
}  // namespace pmdex
