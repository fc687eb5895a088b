#include "engine/analysis/token_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/engine/analysis/token_collector.h"

namespace pmdex {
namespace token_batch_test {

using testing::ElementsAre;

TEST(TokenBatch, KeepsTermsAndPositionsAcrossBatches) {
  TokenBatch batch;
  TokenCollector collector;
  batch.Start(collector, 5);
  for (uint32_t i = 0; i < 1'000; ++i) {
    const std::string term(1 + i % kMaxTokenBytes, static_cast<char>('a' + i % 26));
    std::memcpy(batch.Room(), term.data(), term.size());
    batch.CommitRoom(term.size(), i, i + 1);
  }
  EXPECT_EQ(batch.Finish(), 1'005U);
  ASSERT_EQ(collector.tokens.size(), 1'000U);
  EXPECT_GT(collector.batches, 1U);
  EXPECT_GE(collector.smallest_batch, 1U);
  for (uint32_t i = 0; i < 1'000; ++i) {
    const OwnedToken expected = {
        std::string(1 + i % kMaxTokenBytes, static_cast<char>('a' + i % 26)), i + 5, i, i + 1};
    ASSERT_EQ(collector.tokens[i], expected);
  }
}

TEST(TokenBatch, StartForgetsAnEarlierText) {
  TokenBatch batch;
  TokenCollector first;
  batch.Start(first, 0);
  batch.Commit("left", 0, 4);
  TokenCollector second;
  batch.Start(second, 0);
  batch.Commit("right", 0, 5);
  EXPECT_EQ(batch.Finish(), 1U);
  EXPECT_TRUE(first.tokens.empty());
  EXPECT_THAT(second.tokens, ElementsAre(OwnedToken{"right", 0, 0, 5}));
}

TEST(PieceWriter, CutsBetweenCharactersThatShareASource) {
  TokenBatch batch;
  TokenCollector collector;
  const std::string text(300, '?');
  batch.Start(collector, 0);
  PieceWriter pieces(batch, text.data());
  pieces.Append(std::string(254, 'a'), text.data(), text.data() + 254);
  pieces.Append("éé", text.data() + 254, text.data() + 256);
  pieces.Append("", text.data() + 256, text.data() + 258);
  pieces.Append("b", text.data() + 258, text.data() + 259);
  pieces.Finish();
  pieces.Finish();
  EXPECT_EQ(batch.Finish(), 2U);
  EXPECT_THAT(collector.tokens, ElementsAre(OwnedToken{std::string(254, 'a'), 0, 0, 254},
                                            OwnedToken{"ééb", 1, 254, 259}));
}

}  // namespace token_batch_test
}  // namespace pmdex
