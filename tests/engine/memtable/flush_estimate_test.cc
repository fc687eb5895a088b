#include "engine/memtable/flush_estimate.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

#include "engine/analysis/analyzer.h"
#include "engine/memtable/arena.h"
#include "engine/memtable/posting_slices.h"
#include "engine/segment/format.h"

namespace pmdex {
namespace flush_estimate_test {

// A memtable's parts, and a estimate of them. Terms are what is in the table after Finish.
struct Parts {
  explicit Parts(bool positions)
      : inverter(terms, slices, positions), estimate(docs, terms, inverter, positions) {}

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
  FlushEstimate estimate;
};

TEST(FlushEstimate, GrowsWithTermsAndDocuments) {
  Parts parts(true);
  const size_t nothing = parts.estimate.Bytes();
  parts.AddTerm(1);
  const size_t one = parts.estimate.Bytes();
  EXPECT_GT(one, nothing);
  for (int i = 0; i < 1000; ++i) parts.docs.Add(std::to_string(i));
  EXPECT_GT(parts.estimate.Bytes(), one);
}

TEST(FlushEstimate, CountsTokensOfLongFieldsAndFarOnes) {
  Parts near(true);
  Parts far(true);
  for (int i = 0; i < 1000; ++i) {
    near.AddTerm(i);
    far.AddTerm(i);
  }
  near.estimate.Count(200, kFreqEscape - 201, kPositionPage - 1);
  far.estimate.Count(200, kFreqEscape - 201, kPositionPage);
  EXPECT_GT(far.estimate.Bytes(), near.estimate.Bytes());
  Parts frequent(true);
  for (int i = 0; i < 1000; ++i) frequent.AddTerm(i);
  frequent.estimate.Count(200, kFreqEscape - 200, kPositionPage - 1);
  EXPECT_GT(frequent.estimate.Bytes(), near.estimate.Bytes()) << "all of the field's tokens";
}

TEST(FlushEstimate, IsMadeAnewOnlyWhenItHasGrownByA256th) {
  Parts parts(false);
  parts.AddTerm(0);
  const size_t first = parts.estimate.RecentBytes(25'600);
  EXPECT_EQ(first, parts.estimate.Bytes());
  for (int i = 0; i < 1000; ++i) parts.docs.Add(std::to_string(i));
  EXPECT_GT(parts.estimate.Bytes(), first);
  EXPECT_EQ(parts.estimate.RecentBytes(25'700), first);
  EXPECT_EQ(parts.estimate.RecentBytes(25'701), parts.estimate.Bytes());
  const size_t second = parts.estimate.Bytes();
  parts.AddTerm(1);  // a posting more
  EXPECT_GT(parts.estimate.RecentBytes(25'701), second);
}

}  // namespace flush_estimate_test
}  // namespace pmdex
