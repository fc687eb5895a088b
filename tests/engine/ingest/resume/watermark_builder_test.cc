#include "engine/ingest/resume/watermark_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pmdex {
namespace watermark_builder_test {

std::string Name(uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(4 - digits.size(), '0') + digits;
}

DoneFiles Files(uint64_t first, uint64_t last) {
  return {first, last, {0, Name(first)}, {0, Name(last)}};
}

std::string Show(const Watermark& watermark) {
  std::string text;
  for (const WatermarkEntry& entry : watermark) {
    text += entry.first.path + (entry.first == entry.last ? "" : "-" + entry.last.path);
    for (const DoneRange& range : entry.ranges) {
      text += "[" + std::to_string(range.begin) + "," +
              (range.end == kToEnd ? "end" : std::to_string(range.end)) + ")@" +
              std::to_string(range.next_line);
    }
    text += " ";
  }
  return text;
}

TEST(WatermarkBuilder, JoinsNeighboursInWhateverOrderTheyCome) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<DoneFiles> pieces;
    std::vector<bool> done(60);
    for (uint64_t at = 0; at < 60;) {
      const uint64_t last = std::min<uint64_t>(59, at + random() % 5);
      if (random() % 4 != 0) {
        pieces.push_back(Files(at, last));
        for (uint64_t i = at; i <= last; ++i) done[i] = true;
      }
      at = last + 1;
    }
    std::shuffle(pieces.begin(), pieces.end(), random);
    WatermarkBuilder builder({});
    for (const DoneFiles& piece : pieces) builder.Add(piece);
    std::string expected;
    for (uint64_t first = 0; first < 60; ++first) {
      if (!done[first] || (first > 0 && done[first - 1])) continue;
      uint64_t last = first;
      while (last + 1 < 60 && done[last + 1]) ++last;
      expected += Name(first) + (last == first ? "" : "-" + Name(last)) + " ";
    }
    ASSERT_EQ(Show(builder.Build()), expected);
  }
}

TEST(WatermarkBuilder, JoinsRangesAndKeepsTheLineOfTheirEnd) {
  std::vector<DoneRange> ranges = {{0, 10, 3}, {10, 25, 8}, {25, 40, 11}, {50, 60, 20}};
  std::sort(ranges.begin(), ranges.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  do {
    WatermarkBuilder builder({});
    for (const DoneRange& range : ranges) builder.Add(DoneBytes{7, {0, "file"}, range});
    EXPECT_EQ(Show(builder.Build()), "file[0,40)@11[50,60)@20 ");
  } while (std::next_permutation(ranges.begin(), ranges.end(),
                                 [](const auto& a, const auto& b) { return a.begin < b.begin; }));
}

TEST(WatermarkBuilder, AFileThatIsDoneToItsEndJoinsItsNeighbours) {
  WatermarkBuilder builder({});
  builder.Add(Files(0, 1));
  builder.Add(Files(3, 4));
  builder.Add(DoneBytes{2, {0, Name(2)}, {10, kToEnd, 1}});
  EXPECT_EQ(Show(builder.Build()), "0000-0001 0002[10,end)@1 0003-0004 ");
  builder.Add(DoneBytes{2, {0, Name(2)}, {0, 10, 5}});
  EXPECT_EQ(Show(builder.Build()), "0000-0004 ");
}

TEST(WatermarkBuilder, TakesUpWhatWasDoneBeforeAsTheWalkComesToIt) {
  WatermarkBuilder builder(
      {{{0, "b"}, {0, "d"}, {}}, {{0, "f"}, {0, "f"}, {{0, 10, 2}}}, {{0, "x"}, {0, "z"}, {}}});
  EXPECT_EQ(Show(builder.Build()), "b-d f[0,10)@2 x-z ") << "nothing is lost before";
  builder.Add(DoneFiles{0, 0, {0, "a"}, {0, "a"}});
  builder.Pass(1);
  EXPECT_EQ(Show(builder.Build()), "a-d f[0,10)@2 x-z ");
  builder.Add(DoneFiles{2, 2, {0, "e"}, {0, "e"}});
  builder.Pass(3);
  builder.Add(DoneBytes{3, {0, "f"}, {10, 20, 4}});
  EXPECT_EQ(Show(builder.Build()), "a-e f[0,20)@4 x-z ");
  builder.Add(DoneBytes{3, {0, "f"}, {20, kToEnd, 4}});
  builder.Pass(4);
  EXPECT_EQ(Show(builder.Build()), "a-z ");
}

}  // namespace watermark_builder_test
}  // namespace pmdex
