#include "query/expansion/shared_expansions.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/expansion/term_expansion.h"
#include "query/planning/query_binder.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace shared_expansions_test {

constexpr uint32_t kDocs = 5000;

class SharedExpansionsTest : public testing::Test {
 protected:
  SharedExpansionsTest() : input_({.positions = false}) {
    const FieldId field = input_.AddField("field");
    SeededRandom random(1);
    for (DocId doc = 0; doc < kDocs; ++doc) {
      input_.AddDocument("doc" + std::to_string(doc));
      for (size_t word = 0; word < 20; ++word) {
        const std::string term = (word % 2 == 0 ? "ab" : "cd") + std::to_string(word);
        if (random.OneIn(40 * (word + 1))) input_.AddPosting(field, term, {doc, 1, {}});
      }
    }
    input_.Finish();
  }

  static BoundQuery Prefix(std::string text) {
    BoundQuery query;
    query.kind = BoundKind::kPrefix;
    query.field = "field";
    query.text = std::move(text);
    return query;
  }
  static CursorContext Context() { return {kDocs, "segment", absl::OkStatus()}; }
  static std::vector<DocId> DocsOf(const DocSet& set) {
    std::vector<DocId> docs;
    size_t hint = 0;
    for (DocId doc = set.FirstFrom(0, hint); doc != kEndOfDocs; doc = set.FirstFrom(doc + 1, hint))
      docs.push_back(doc);
    return docs;
  }

  VectorSegmentInput input_;
};

TEST_F(SharedExpansionsTest, GivesEverybodyTheSameSet) {
  const auto segment = SegmentBytes(input_).Open().value();
  const BoundQuery query = Prefix("ab");
  const BoundQuery other = Prefix("cd");
  CursorContext context = Context();
  SharedExpansions expansions;
  const auto first = expansions.Expand(query, *segment, context).value();
  const auto second = expansions.Expand(query, *segment, context).value();
  EXPECT_EQ(first, second);
  EXPECT_EQ(DocsOf(*first), DocsOf(ExpandTerms(query, *segment, context).value()));
  EXPECT_FALSE(DocsOf(*first).empty());
  const auto of_other = expansions.Expand(other, *segment, context).value();
  EXPECT_EQ(DocsOf(*of_other), DocsOf(ExpandTerms(other, *segment, context).value()));
  EXPECT_NE(DocsOf(*of_other), DocsOf(*first));
}

TEST_F(SharedExpansionsTest, TellsSegmentsApart) {
  const auto segment = SegmentBytes(input_).Open().value();
  const auto twin = SegmentBytes(input_).Open().value();
  const BoundQuery query = Prefix("ab");
  CursorContext context = Context();
  SharedExpansions expansions;
  EXPECT_NE(expansions.Expand(query, *segment, context).value(),
            expansions.Expand(query, *twin, context).value());
}

TEST_F(SharedExpansionsTest, KeepsNoMoreThanItMay) {
  const auto segment = SegmentBytes(input_).Open().value();
  const BoundQuery query = Prefix("ab");
  CursorContext context = Context();
  SharedExpansions expansions(kDocs / 8 - 1);
  const auto first = expansions.Expand(query, *segment, context).value();
  const auto second = expansions.Expand(query, *segment, context).value();
  EXPECT_NE(first, second);
  EXPECT_EQ(DocsOf(*first), DocsOf(*second));
}

TEST_F(SharedExpansionsTest, TellsEverybodyOfTheDeadline) {
  const auto segment = SegmentBytes(input_).Open().value();
  const BoundQuery query = Prefix("ab");
  for (const uint64_t kept_bytes : {uint64_t{0}, SharedExpansions::kKeptBytes}) {
    SharedExpansions expansions(kept_bytes);
    for (int i = 0; i < 2; ++i) {
      CursorContext context = Context();
      context.deadline = std::chrono::steady_clock::time_point::min();
      EXPECT_TRUE(expansions.Expand(query, *segment, context).ok());
      EXPECT_TRUE(context.timed_out);
    }
  }
}

TEST_F(SharedExpansionsTest, TellsEverybodyOfDamage) {
  SegmentBytes beyond(input_);
  SegmentBytes senseless(input_);
  const std::span<std::byte> place = senseless.line_rest(0, "ab0");
  ASSERT_EQ(place[0], std::byte{kLineOfExtent});  // u32 bucket and u32 df follow
  place[8] = std::byte{1};
  for (uint32_t i = 0; i < beyond.section(SectionKind::kPostings).size() / sizeof(DocId); ++i) {
    beyond.at<DocId>(SectionKind::kPostings, i) |= 0x80000000;
  }
  beyond.Reseal();
  senseless.Reseal();
  const auto with_docids = beyond.Open().value();
  const auto with_entries = senseless.Open().value();
  const BoundQuery query = Prefix("ab");
  for (const uint64_t kept_bytes : {uint64_t{0}, SharedExpansions::kKeptBytes}) {
    SharedExpansions expansions(kept_bytes);
    for (int i = 0; i < 2; ++i) {
      CursorContext context = Context();
      EXPECT_TRUE(expansions.Expand(query, *with_docids, context).ok());
      EXPECT_EQ(context.damage.code(), absl::StatusCode::kDataLoss);
      EXPECT_EQ(expansions.Expand(query, *with_entries, context).status().code(),
                absl::StatusCode::kDataLoss);
    }
  }
}

TEST_F(SharedExpansionsTest, MakesOneSetForThreadsThatComeAtOnce) {
  const auto segment = SegmentBytes(input_).Open().value();
  const BoundQuery query = Prefix("ab");
  SharedExpansions expansions;
  std::array<std::shared_ptr<const DocSet>, 4> sets;
  std::vector<std::thread> threads;
  for (auto& set : sets) {
    threads.emplace_back([&] {
      CursorContext context = Context();
      set = expansions.Expand(query, *segment, context).value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& set : sets) EXPECT_EQ(set, sets[0]);
  EXPECT_FALSE(DocsOf(*sets[0]).empty());
}

}  // namespace shared_expansions_test
}  // namespace pmdex
