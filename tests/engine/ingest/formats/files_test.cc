#include "engine/ingest/formats/files.h"

#include "gtest/gtest.h"

#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace files_test {

TEST(FilesParser, GivesPathAndBodyOfEveryFileOfABlock) {
  BlockPool pool(100, 1);
  const BlockPtr block = MakeBlock(pool,
                                   "p1textp2b\xff"
                                   "d");
  block->files = {{0, 2, 2, 4}, {6, 2, 8, 3}};
  KeepingSink sink;
  ASSERT_TRUE(NewFilesParser()->Parse(*block, sink).ok());
  ASSERT_EQ(sink.documents.size(), 2u);
  EXPECT_EQ(sink.documents[0].id, "p1");
  EXPECT_EQ(sink.documents[0].fields,
            (std::vector<std::pair<std::string, std::string>>{{"path", "p1"}, {"body", "text"}}));
  EXPECT_TRUE(sink.documents[0].valid_utf8);
  EXPECT_FALSE(sink.documents[1].valid_utf8);
}

}  // namespace files_test
}  // namespace pmdex
