#include "engine/ingest/resume/watermark.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/reading/tree_walk.h"

namespace pmdex {
namespace watermark_test {

WatermarkEntry Whole(uint64_t input, std::string first, std::string last) {
  return {{input, std::move(first)}, {input, std::move(last)}, {}};
}

WatermarkEntry Part(uint64_t input, const std::string& path, std::vector<DoneRange> ranges) {
  return {{input, path}, {input, path}, std::move(ranges)};
}

Watermark Example() {
  return {Whole(0, "tree/a", "tree/a.txt"), Part(0, "tree/b", {{0, 100, 7}, {300, kToEnd, 1}}),
          Whole(0, "tree/b.log", "tree/b.log"), Part(1, "-", {{0, uint64_t{1} << 40, 12345678}}),
          Part(2, "tree/a", {{5, 6, 1}})};
}

std::vector<std::byte> Encode(const Watermark& watermark) {
  ProgressWriter out;
  EncodeWatermark(watermark, out);
  return out.Take();
}

std::optional<Watermark> Decode(std::span<const std::byte> bytes) {
  ProgressReader in(bytes);
  auto watermark = DecodeWatermark(in);
  return in.at_end() ? watermark : std::nullopt;
}

TEST(WalkPosition, IsOrderedByInputThenNameByName) {
  const std::vector<WalkPosition> ascending = {
      {0, "t"},     {0, "t/-"},     {0, "t/a"},  {0, "t/a/b/c"},    {0, "t/a/b c"}, {0, "t/a/z"},
      {0, "t/a-b"}, {0, "t/a.txt"}, {0, "t/ab"}, {0, "t/\xc3\xa4"}, {1, "a"}};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(ComesBefore(ascending[i], ascending[j]), i < j)
          << ascending[i].path << " and " << ascending[j].path;
    }
  }
}

TEST(WalkPosition, IsOrderedAsTheWalkGoes) {
  namespace fs = std::filesystem;
  const std::string root = testing::TempDir() + "/watermark-" + std::to_string(getpid());
  fs::remove_all(root);
  std::mt19937 random(11);
  constexpr std::string_view kCharacters = "ab.-_ ~\xc3";
  for (int i = 0; i < 400; ++i) {
    std::string path = root;
    for (uint32_t depth = 1 + random() % 4; depth > 0; --depth) {
      path += depth == 1 ? "/f" : "/";
      for (uint32_t length = 1 + random() % 3; length > 0; --length) {
        path += kCharacters[random() % kCharacters.size()];
      }
      if (depth > 1) path += "d";
    }
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path) << "x";
  }
  IngestOptions options;
  options.inputs = {root, root + "/"};
  ProblemLog problems;
  std::vector<WalkPosition> walked;
  ASSERT_TRUE(WalkInputs(options, problems, [&](const InputFile& file) {
                walked.push_back(file.position());
                return true;
              }).ok());
  fs::remove_all(root);
  ASSERT_GT(walked.size(), 300u);
  EXPECT_EQ(walked.back().input, 1u);
  for (size_t i = 1; i < walked.size(); ++i) {
    ASSERT_TRUE(ComesBefore(walked[i - 1], walked[i])) << walked[i - 1].path << walked[i].path;
  }
}

TEST(Gaps, AreWhatLiesBetweenTheDoneRanges) {
  const auto show = [](const std::vector<Gap>& gaps) {
    std::string text;
    for (const Gap& gap : gaps) {
      text += std::to_string(gap.begin) + "-" +
              (gap.end == kToEnd ? "end" : std::to_string(gap.end)) + "@" +
              std::to_string(gap.first_line) + " ";
    }
    return text;
  };
  EXPECT_EQ(show(GapsBetween({})), "0-end@1 ");
  EXPECT_EQ(show(GapsBetween(std::vector<DoneRange>{{0, 10, 3}, {20, 30, 5}})),
            "10-20@3 30-end@5 ");
  EXPECT_EQ(show(GapsBetween(std::vector<DoneRange>{{10, kToEnd, 9}})), "0-10@1 ");
}

TEST(Watermark, ComesBackAsItWasEncoded) {
  EXPECT_EQ(Decode(Encode(Example())), Example());
  EXPECT_EQ(Decode(Encode({})), Watermark());
}

TEST(Watermark, RefusesEveryTruncation) {
  const std::vector<std::byte> good = Encode(Example());
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(Decode(std::span(good).first(length)).has_value()) << length;
  }
}

TEST(Watermark, RefusesWhatIsNotAscendingAndDisjoint) {
  EXPECT_FALSE(Decode(Encode({Whole(0, "b", "a")})).has_value());
  EXPECT_FALSE(Decode(Encode({Whole(0, "a", "c"), Whole(0, "c", "d")})).has_value());
  EXPECT_FALSE(Decode(Encode({Whole(1, "a", "a"), Whole(0, "b", "b")})).has_value());
  EXPECT_FALSE(Decode(Encode({Part(0, "a", {{5, 5, 1}})})).has_value()) << "empty";
  EXPECT_FALSE(Decode(Encode({Part(0, "a", {{0, 5, 1}, {5, 6, 1}})})).has_value()) << "not joined";
  EXPECT_FALSE(Decode(Encode({Part(0, "a", {{0, 5, 1}, {3, 9, 1}})})).has_value()) << "overlap";
  WatermarkEntry two_files = Part(0, "a", {{0, 5, 1}});
  two_files.last.path = "b";
  EXPECT_FALSE(Decode(Encode({two_files})).has_value());
}

TEST(Watermark, SurvivesHostileBytes) {
  const std::vector<std::byte> good = Encode(Example());
  for (size_t i = 0; i < good.size(); ++i) {
    for (const uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<std::byte> bad = good;
      bad[i] = std::byte{value};
      if (const auto decoded = Decode(bad)) {
        EXPECT_EQ(Decode(Encode(*decoded)), decoded);
      }
    }
  }
}

}  // namespace watermark_test
}  // namespace pmdex
