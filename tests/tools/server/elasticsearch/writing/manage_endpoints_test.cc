// Making, listing and removing indexes through the Elasticsearch API, and what concerns them as a
// whole.
#include "tools/server/elasticsearch/writing/manage_endpoints.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/store/own_files.h"
#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/writing/delete_by_query_endpoint.h"
#include "tools/server/writing/index_folder.h"
#include "tools/server/writing/writable_index.h"

namespace pmdex {
namespace manage_endpoints_test {

using Ids = std::vector<std::string>;

std::string TypeOf(const HttpResponse& response) {
  return Json::parse(response.body)["error"]["type"];
}

TEST(ManageEndpoints, MakeListAndRemoveIndexes) {
  WritingServer server;
  EXPECT_EQ(server.Send("HEAD", "/books").status, 404);
  EXPECT_EQ(
      server.Ask("PUT", "/books"),
      Json::parse(R"({"acknowledged": true, "shards_acknowledged": true, "index": "books"})"));
  EXPECT_EQ(server.Send("HEAD", "/books").status, 200);
  EXPECT_EQ(server.Ask("GET", "/books")["books"]["mappings"], Json::object());
  EXPECT_EQ(TypeOf(server.Send("PUT", "/books")), "resource_already_exists_exception");
  EXPECT_EQ(server.Ask("GET", "/books/_count")["count"], 0);
  server.Restart();
  EXPECT_EQ(server.Send("HEAD", "/books").status, 200);
  EXPECT_EQ(TypeOf(server.Send("DELETE", "/*")), "illegal_argument_exception");
  EXPECT_EQ(TypeOf(server.Send("DELETE", "/_all")), "illegal_argument_exception");
  EXPECT_EQ(server.Ask("DELETE", "/books"), Json::parse(R"({"acknowledged": true})"));
  EXPECT_EQ(server.Send("DELETE", "/books").status, 404);
  EXPECT_TRUE(std::filesystem::is_empty(server.directory().path()));
  server.Restart();
  EXPECT_EQ(server.Send("HEAD", "/books").status, 404);
  EXPECT_EQ(server.Send("PUT", "/books/_doc/1", R"({"t": "anew"})").status, 201);
}

TEST(ManageEndpoints, RefuseNamesThatElasticsearchRefuses) {
  WritingServer server;
  for (const char* name : {"Upper", "a%20b", "-a", "+a", ".hidden", "a*b", "a,b", "a%23b"}) {
    EXPECT_EQ(TypeOf(server.Send("PUT", std::string("/") + name)), "invalid_index_name_exception")
        << name;
  }
  EXPECT_FALSE(CheckNewIndexName(std::string(256, 'a')).ok());
  EXPECT_TRUE(CheckNewIndexName(std::string(255, 'a')).ok());
}

TEST(ManageEndpoints, LeaveFilesOfOthersWhereTheyAre) {
  WritingServer server;
  server.Send("PUT", "/books");
  server.directory().Write("books/notes.txt", "mine");
  EXPECT_EQ(server.Send("DELETE", "/books").status, 200);
  EXPECT_EQ(server.Send("HEAD", "/books").status, 404);
  const std::string left = server.directory() / ".removed-0/notes.txt";
  EXPECT_TRUE(std::filesystem::exists(left));
  server.Restart();
  EXPECT_TRUE(std::filesystem::exists(left));
}

TEST(ManageEndpoints, AddFieldsToAMapping) {
  WritingServer server;
  server.Make("books");
  server.Send("PUT", "/books/_doc/1", R"({"t": "x"})");
  EXPECT_EQ(server
                .Send("PUT", "/books/_mapping",
                      R"({"dynamic": "strict", "properties": {"t": {"type": "text"}}})")
                .status,
            200);
  EXPECT_EQ(TypeOf(server.Send("PUT", "/books/_doc/2", R"({"other": "x"})")),
            "strict_dynamic_mapping_exception");
  EXPECT_EQ(server.Send("PUT", "/books/_doc/2", R"({"t": "x"})").status, 201);
  EXPECT_EQ(TypeOf(server.Send("PUT", "/books/_mapping",
                               R"({"properties": {"g": {"type": "geo_point"}}})")),
            "mapper_parsing_exception");
  server.Send("POST", "/books/_refresh");
  EXPECT_EQ(server.Found("books", "x"), (Ids{"1", "2"}));
}

TEST(ManageEndpoints, MergeSegmentsAndDropDeletedDocuments) {
  WritingServer server;
  for (int i = 0; i < 5; ++i) {
    server.Send("PUT", "/books/_doc/" + std::to_string(i), R"({"t": "word"})");
  }
  server.Send("DELETE", "/books/_doc/3");
  EXPECT_EQ(server.Send("POST", "/books/_forcemerge?max_num_segments=1").status, 200);
  const Json stats = server.Ask("GET", "/books/_stats")["_all"]["primaries"];
  EXPECT_EQ(stats["segments"]["count"], 1);
  EXPECT_EQ(stats["docs"], Json::parse(R"({"count": 4, "deleted": 0})"));
  EXPECT_EQ(server.Found("books", "word"), (Ids{"0", "1", "2", "4"}));
  EXPECT_EQ(server.Send("POST", "/books/_forcemerge?max_num_segments=0").status, 400);
}

TEST(ManageEndpoints, LeaveNothingOfAnIndexWhoseMappingIsRefused) {
  WritingServer server;
  std::string deep = "o";
  for (int i = 0; i < 20; ++i) deep += ".o";
  for (const std::string& properties :
       {std::string(R"("a": {"type": "text", "analyzer": "standard"}, "a.b": {"type": "text"})"),
        std::string(R"("a.b": {"type": "text"}, "a": {"type": "text"})"),
        std::string(R"("a..b": {"type": "text"})"), std::string(R"(".a": {"type": "text"})"),
        std::string(R"("a.": {"type": "text"})"), "\"" + deep + R"(": {"type": "text"})"}) {
    const HttpResponse refused =
        server.Send("PUT", "/x", R"({"mappings": {"properties": {)" + properties + "}}}");
    EXPECT_EQ(refused.status, 400) << properties << refused.body;
    EXPECT_TRUE(std::filesystem::is_empty(server.directory().path())) << properties;
  }
  EXPECT_EQ(server.Send("PUT", "/x").status, 200);
}

TEST(ManageEndpoints, LeaveNothingOfAnIndexThatCannotBeMade) {
  WritingServer server;
  server.directory().Write("mine/notes.txt", "mine");
  // No file can get any bytes.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const int made = server.Send("PUT", "/x").status;
  const int made_at_others = server.Send("PUT", "/mine").status;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_GE(made, 400);
  EXPECT_GE(made_at_others, 400);
  EXPECT_FALSE(std::filesystem::exists(server.directory() / "x"));
  EXPECT_TRUE(std::filesystem::exists(server.directory() / "mine/notes.txt"));
  EXPECT_EQ(server.Send("PUT", "/x").status, 200);
}

TEST(ManageEndpoints, RefuseAMappingThatDoesNotFitAndGoOn) {
  WritingServer server;
  server.Send("PUT", "/x", R"({"mappings": {"properties": {"a": {"type": "text"}}}})");
  EXPECT_EQ(
      server.Send("PUT", "/x/_mapping", R"({"properties": {"a.b": {"type": "text"}}})").status,
      400);
  EXPECT_EQ(server.Send("PUT", "/x/_doc/1?refresh=true", R"({"a": "word"})").status, 201);
  server.Restart();
  EXPECT_EQ(server.Send("PUT", "/x/_doc/2?refresh=true", R"({"a": "word"})").status, 201);
  EXPECT_EQ(server.Found("x", "a:word"), (Ids{"1", "2"}));
}

TEST(ManageEndpoints, OpenAnIndexAgainThatCouldNotBeOpenedAfterAMerge) {
  WritingServer server;
  server.Make("books");
  EXPECT_EQ(server.Send("PUT", "/books/_doc/1", R"({"t": "word"})").status, 201);
  // Another program takes the lock in the middle of the merge: there is a new file to lock.
  const std::string lock = server.directory() / ("books/" + std::string(kWriterLockName));
  std::filesystem::rename(lock, server.directory() / "books/old-lock");
  const int file = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  ASSERT_EQ(flock(file, LOCK_EX | LOCK_NB), 0);
  EXPECT_NE(server.Send("POST", "/books/_forcemerge").status, 200);
  EXPECT_NE(server.Send("PUT", "/books/_doc/2", R"({"t": "word"})").status, 201);
  close(file);
  EXPECT_EQ(server.Send("PUT", "/books/_doc/2?refresh=true", R"({"t": "word"})").status, 201);
  EXPECT_EQ(server.Found("books", "word"), (Ids{"1", "2"}));
}

TEST(ManageEndpoints, DeleteByAQuery) {
  WritingServer server;
  server.Make("books");
  for (int i = 0; i < 40; ++i) {
    server.Send("PUT", "/books/_doc/" + std::to_string(i),
                i % 2 == 0 ? R"({"t": "even"})" : R"({"t": "odd"})");
  }
  const std::string query = R"({"query": {"match": {"t": "odd"}}})";
  EXPECT_EQ(server.Ask("POST", "/books/_delete_by_query", query)["total"],
            0);  // not searchable yet
  server.Send("POST", "/books/_refresh");
  const Json answer = server.Ask("POST", "/books/_delete_by_query?refresh=true", query);
  EXPECT_EQ(answer["deleted"], answer["total"]);
  EXPECT_EQ(answer["deleted"], 20);
  EXPECT_EQ(answer["failures"], Json::array());
  EXPECT_EQ(server.Ask("GET", "/books/_count")["count"], 20);
  EXPECT_EQ(server.Found("books", "odd"), Ids{});
  // A document that was written since the refresh stays.
  server.Send("PUT", "/books/_doc/0", R"({"t": "new"})");
  const std::string even = R"({"query": {"match": {"t": "even"}}})";
  EXPECT_EQ(server.Send("POST", "/books/_delete_by_query", even).status, 409);
  const Json proceeded =
      server.Ask("POST", "/books/_delete_by_query?conflicts=proceed&refresh=true", even);
  EXPECT_EQ(proceeded["version_conflicts"], 1);
  EXPECT_EQ(server.Found("books", "new"), Ids{"0"});
  EXPECT_EQ(server.Send("POST", "/books/_delete_by_query", "{}").status, 400);
}

TEST(ManageEndpoints, ChangeNothingOnAReadOnlyServer) {
  WritingServer server(/*read_only=*/true);
  EXPECT_EQ(server.Send("PUT", "/books").status, 403);
  EXPECT_EQ(server.Send("PUT", "/books/_doc/1", R"({"t": "x"})").status, 404);
}

}  // namespace manage_endpoints_test
}  // namespace pmdex
