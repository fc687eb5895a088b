// Answers about an index with a damaged segment: a document that is not found may lie in it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/endpoints/cluster_endpoints.h"

namespace pmdex {
namespace damaged_index_test {

class DamagedIndexTest : public testing::Test {
 protected:
  // Two segments, one of which is cut short.
  void SetUp() override {
    namespace fs = std::filesystem;
    server_.Make("books");
    server_.Send("PUT", "/books/_doc/1?refresh=true", R"({"t": "x"})");
    const auto segments = [&] {
      size_t count = 0;
      for (const auto& entry : fs::directory_iterator(server_.directory() / "books")) {
        const std::string name = entry.path().filename();
        if (!name.starts_with("segment-")) continue;
        ++count;
        first_ = first_.empty() ? entry.path().string() : first_;
      }
      return count;
    };
    ASSERT_EQ(segments(), 1u);
    server_.Send("PUT", "/books/_doc/2?refresh=true", R"({"t": "x"})");
    ASSERT_EQ(segments(), 2u);
    server_.Make("whole");
    server_.Stop();
    fs::resize_file(first_, 100);
    server_.Start();
  }

  WritingServer server_;
  std::string first_;  // the path of the first segment
};

TEST_F(DamagedIndexTest, ADocumentThatIsNotFoundIsNoDocumentThatIsNotThere) {
  EXPECT_EQ(server_.Found("books", "x"), std::vector<std::string>{"2"});
  EXPECT_EQ(server_.Send("GET", "/books/_doc/2").status, 200);
  for (const char* path : {"/books/_doc/1", "/books/_source/1"}) {
    const HttpResponse lost = server_.Send("GET", path);
    EXPECT_EQ(lost.status, 500) << path;
    EXPECT_EQ(Json::parse(lost.body)["error"]["type"], "corrupt_index_exception") << path;
  }
  const Json many = server_.Ask("POST", "/_mget",
                                R"({"docs": [{"_index": "books", "_id": "1"},
                                    {"_index": "books", "_id": "2"},
                                    {"_index": "whole", "_id": "1"}]})");
  EXPECT_EQ(many["docs"][0]["error"]["type"], "corrupt_index_exception");
  EXPECT_EQ(many["docs"][1]["found"], true);
  EXPECT_EQ(many["docs"][2]["found"], false);
}

TEST_F(DamagedIndexTest, HealthIsRed) {
  EXPECT_EQ(server_.Ask("GET", "/_cluster/health")["status"], "red");
  EXPECT_EQ(server_.Ask("GET", "/_cluster/health/whole")["status"], "green");
  EXPECT_EQ(server_.Send("GET", "/_cluster/health/books?wait_for_status=red").status, 200);
  EXPECT_EQ(server_.Send("GET", "/_cluster/health/books?wait_for_status=yellow").status, 408);
  const Json indices = server_.Ask("GET", "/_cluster/health?level=indices")["indices"];
  EXPECT_EQ(indices["books"]["status"], "red");
  EXPECT_EQ(indices["whole"]["status"], "green");
  EXPECT_EQ(server_.Send("GET", "/_cat/indices?h=index,health&s=index").body,
            "books red\nwhole green\n");
  EXPECT_EQ(server_.Send("GET", "/_cat/health?h=status").body, "red\n");
}

}  // namespace damaged_index_test
}  // namespace pmdex
