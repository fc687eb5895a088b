#include "engine/ingest/formats/record_borders.h"

#include <algorithm>
#include <random>
#include <string>

#include "gtest/gtest.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_kind.h"

namespace pmdex {
namespace record_borders_test {

TEST(RecordBorders, OfLinesAreBehindTheNewline) {
  for (const InputFormat format : {InputFormat::kLines, InputFormat::kJsonl}) {
    const RecordBorders& borders = BordersOf(format);
    EXPECT_EQ(borders.last("a\nbc\nd"), 5u);
    EXPECT_EQ(borders.first("a\nbc\nd", 0), 2u);
    EXPECT_EQ(borders.first("a\nbc\nd", 2), 5u);
    EXPECT_EQ(borders.first("a\nbc\nd", 5), 0u);
    EXPECT_EQ(borders.last("abc"), 0u);
    EXPECT_EQ(borders.too_large, ProblemKind::kLineTooLong);
  }
}

TEST(RecordBorders, OfTrecAreBehindADocumentAndBeforeTheNext) {
  const RecordBorders& borders = BordersOf(InputFormat::kTrec);
  EXPECT_EQ(borders.last("<DOC>x</DOC>\n"), 12u);
  EXPECT_EQ(borders.last("<DOC>x</DOC>\n<DOC>"), 13u);
  EXPECT_EQ(borders.first("<DOC>x</DOC>\n<DOC>", 0), 12u);
  EXPECT_EQ(borders.too_large, ProblemKind::kDocumentTooLarge);
}

TEST(RecordBorders, CountsEveryNewlineOfAnyLength) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % (round < 100 ? 300 : 60000), 'x');
    const uint32_t rarity = 1 + random() % 50;
    for (char& c : text) {
      if (random() % rarity == 0) c = '\n';
    }
    const std::string_view view = std::string_view(text).substr(text.empty() ? 0 : random() % 2);
    ASSERT_EQ(CountLines(view), static_cast<uint64_t>(std::count(view.begin(), view.end(), '\n')));
  }
}

TEST(RecordBorders, CountsALongRunOfNewlines) {
  EXPECT_EQ(CountLines(std::string(1 << 20, '\n')), uint64_t{1} << 20);
}

}  // namespace record_borders_test
}  // namespace pmdex
