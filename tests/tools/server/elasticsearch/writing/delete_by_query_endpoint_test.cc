// _delete_by_query where an id repeats. What else it does: manage_endpoints_test.cc.
#include "tools/server/elasticsearch/writing/delete_by_query_endpoint.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/ingest/ingest.h"
#include "engine/store/index_writer.h"
#include "tests/tools/server/writing/writing_server.h"

namespace pmdex {
namespace delete_by_query_endpoint_test {

// Makes the index "books", in which every id comes twice.
void MakeRepeatedIds(WritingServer& server, int ids) {
  server.Stop();
  std::string lines;
  for (int i = 0; i < 2 * ids; ++i) {
    lines += "{\"id\": \"" + std::to_string(i % ids) + "\", \"t\": \"word\"}\n";
  }
  const TemporaryDirectory inputs(FastTemporaryParent());
  IngestOptions options;
  options.inputs = {inputs.Write("d.jsonl", lines)};
  options.format = InputFormat::kJsonl;
  options.settings.store_text = true;
  FileDirectoryOptions made;
  made.create = true;
  const auto directory = OpenFileDirectory(server.directory() / "books", made);
  ASSERT_TRUE(directory.ok()) << directory.status();
  auto writer = IndexWriter::Open(**directory, OpenMode::kCreate, options.settings);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const auto report = Ingest(options, **writer, nullptr);
  ASSERT_TRUE(report.ok()) << report.status();
  writer->reset();
  server.Start();
}

TEST(DeleteByQueryEndpoint, DeletesAnIdThatRepeatsOnce) {
  for (const int ids : {1, 3, 700}) {  // in one batch, and in several
    WritingServer server;
    MakeRepeatedIds(server, ids);
    ASSERT_EQ(server.Ask("GET", "/books/_count")["count"], 2 * ids);
    const Json answer = server.Ask("POST", "/books/_delete_by_query?refresh=true",
                                   R"({"query": {"match": {"t": "word"}}})");
    EXPECT_EQ(answer["version_conflicts"], 0) << answer.dump();
    EXPECT_EQ(answer["failures"], Json::array());
    EXPECT_EQ(answer["deleted"], ids);
    EXPECT_EQ(answer["total"], ids);
    EXPECT_EQ(server.Ask("GET", "/books/_count")["count"], 0);
  }
}

}  // namespace delete_by_query_endpoint_test
}  // namespace pmdex
