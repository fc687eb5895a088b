#include "engine/ingest/lines.h"

#include "gtest/gtest.h"

#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace {

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

TEST(LinesParser, PassesOnTheErrorOfItsSink) {
  BlockPool pool(100, 1);
  const BlockPtr block = MakeBlock(pool, "a\nb\n");
  KeepingSink sink;
  sink.status = absl::ResourceExhaustedError("full");
  EXPECT_EQ(NewLinesParser()->Parse(*block, sink), sink.status);
  EXPECT_EQ(sink.documents.size(), 1u);
}

}  // namespace
}  // namespace pmdex
