#include "engine/memtable/flush_reckoner.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "engine/analysis/analyzer.h"
#include "engine/memtable/arena.h"
#include "engine/memtable/posting_slices.h"
#include "engine/segment/format.h"

namespace pmdex {
namespace flush_reckoner_test {

// A memtable's parts, and a reckoner of them. Terms are what is in the table after Finish.
struct Parts {
  explicit Parts(bool positions)
      : inverter(terms, slices, positions), reckoner(docs, terms, inverter, positions) {}

  void AddTerm(int number) {
    std::string text = std::to_string(number);
    const size_t size = text.size();
    text.resize(kReadableTermBytes);
    const Token token{.term = std::string_view(text).substr(0, size)};
    inverter.Add({&token, 1}, 0, 0);
    inverter.Finish();
  }

  Arena arena{nullptr, 0};
  DocRecords docs{arena};
  PostingSlices slices{arena, 32};
  TermTable terms{arena, 1, nullptr, 0};
  Inverter inverter;
  FlushReckoner reckoner;
};

TEST(FlushReckoner, GrowsWithTermsAndDocuments) {
  Parts parts(true);
  const size_t nothing = parts.reckoner.Reckon();
  parts.AddTerm(1);
  const size_t one = parts.reckoner.Reckon();
  EXPECT_GT(one, nothing);
  for (int i = 0; i < 1000; ++i) parts.docs.Add(std::to_string(i));
  EXPECT_GT(parts.reckoner.Reckon(), one);
}

TEST(FlushReckoner, CountsTokensOfLongFieldsAndFarOnes) {
  Parts near(true);
  Parts far(true);
  for (int i = 0; i < 1000; ++i) {
    near.AddTerm(i);
    far.AddTerm(i);
  }
  near.reckoner.Count(200, kFreqEscape - 201, kPositionPage - 1);
  far.reckoner.Count(200, kFreqEscape - 201, kPositionPage);
  EXPECT_GT(far.reckoner.Reckon(), near.reckoner.Reckon());
  Parts frequent(true);
  for (int i = 0; i < 1000; ++i) frequent.AddTerm(i);
  frequent.reckoner.Count(200, kFreqEscape - 200, kPositionPage - 1);
  EXPECT_GT(frequent.reckoner.Reckon(), near.reckoner.Reckon()) << "all of the field's tokens";
}

TEST(FlushReckoner, ReckonsAnewOnlyWhenItHasGrownByA256th) {
  Parts parts(false);
  parts.AddTerm(0);
  const size_t first = parts.reckoner.RecentBytes(25'600);
  EXPECT_EQ(first, parts.reckoner.Reckon());
  for (int i = 0; i < 1000; ++i) parts.docs.Add(std::to_string(i));
  EXPECT_GT(parts.reckoner.Reckon(), first);
  EXPECT_EQ(parts.reckoner.RecentBytes(25'700), first);
  EXPECT_EQ(parts.reckoner.RecentBytes(25'701), parts.reckoner.Reckon());
  const size_t second = parts.reckoner.Reckon();
  parts.AddTerm(1);  // a posting more
  EXPECT_GT(parts.reckoner.RecentBytes(25'701), second);
}

}  // namespace flush_reckoner_test
}  // namespace pmdex
