#include "engine/ingest/formats/lines.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace lines_test {

TEST(LinesParser, GoesOnCountingFromTheFirstLineOfTheBlock) {
  const auto documents = ParseText(*NewLinesParser(), "a\r\n\nb", 41);
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].id, "in:41");
  EXPECT_EQ(documents[0].fields[0].second, "a");
  EXPECT_EQ(documents[1].id, "in:43");
}

TEST(LinesParser, TellsTheLineWithInvalidUtf8) {
  const auto documents = ParseText(*NewLinesParser(),
                                   "good\nb\xff"
                                   "d\ngood");
  ASSERT_EQ(documents.size(), 3u);
  EXPECT_TRUE(documents[0].valid_utf8);
  EXPECT_FALSE(documents[1].valid_utf8);
  EXPECT_TRUE(documents[2].valid_utf8);
}

TEST(LinesParser, TakesTextThatIsLongerThanItValidatesAtOnce) {
  std::mt19937 random(9);
  std::string text;
  std::vector<std::string> lines;
  for (int i = 0; i < 3000; ++i) {
    std::string& line = lines.emplace_back(i == 1000 ? 50000 : random() % 80, 'a');
    if (random() % 500 == 0) line += '\xff';
    text += line + "\n";
  }
  text += "last";  // without a line end
  lines.emplace_back("last");
  const auto documents = ParseText(*NewLinesParser(), text, 1);
  size_t next = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    ASSERT_LT(next, documents.size());
    EXPECT_EQ(documents[next].id, "in:" + std::to_string(i + 1));
    EXPECT_EQ(documents[next].fields[0].second, lines[i]);
    EXPECT_EQ(documents[next].valid_utf8, !lines[i].ends_with('\xff'));
    ++next;
  }
  EXPECT_EQ(next, documents.size());
}

TEST(LinesParser, PassesOnTheErrorOfItsSink) {
  BlockPool pool(100, 1);
  const BlockPtr block = MakeBlock(pool, "a\nb\n");
  KeepingSink sink;
  sink.status = absl::ResourceExhaustedError("full");
  EXPECT_EQ(NewLinesParser()->Parse(*block, sink), sink.status);
  EXPECT_EQ(sink.documents.size(), 1u);
}

}  // namespace lines_test
}  // namespace pmdex
