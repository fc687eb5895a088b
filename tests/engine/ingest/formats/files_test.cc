#include "engine/ingest/formats/files.h"

#include <sys/stat.h>

#include <map>
#include <string>

#include "gtest/gtest.h"

#include "engine/ingest/entries/entry_facts.h"
#include "tests/engine/ingest/parser_fixture.h"

namespace pmdex {
namespace files_test {

TEST(FilesParser, GivesTheBodyOfEveryFileOfABlock) {
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
            (std::vector<std::pair<std::string, std::string>>{{"body", "text"}}));
  EXPECT_TRUE(sink.documents[0].valid_utf8);
  EXPECT_FALSE(sink.documents[1].valid_utf8);
}

TEST(FilesParser, GivesTheAttributesOfAnEntryAndNoBodyWithoutText) {
  Entry entry;
  entry.facts.mode = S_IFDIR | 0750;
  std::string bytes("d1");
  bytes.resize(2 + EncodedBytes(entry));
  Encode(entry, bytes.data() + 2);
  BlockPool pool(1000, 1);
  const BlockPtr block = MakeBlock(pool, bytes);
  block->files = {{0, 2, bytes.size(), 0, 0, EncodedBytes(entry), false}};
  KeepingSink sink;
  ASSERT_TRUE(NewFilesParser()->Parse(*block, sink).ok());
  ASSERT_EQ(sink.documents.size(), 1u);
  std::map<std::string, std::string> fields;
  for (const auto& [name, text] : sink.documents[0].fields) fields[name] = text;
  EXPECT_FALSE(fields.contains("body"));
  EXPECT_EQ(fields.at("path"), "d1");
  EXPECT_EQ(fields.at("type"), "d");
  EXPECT_EQ(fields.at("mode"), "0750");
}

}  // namespace files_test
}  // namespace pmdex
