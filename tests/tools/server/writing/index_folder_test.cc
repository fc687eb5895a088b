// Which names the server gives to indexes, and how it removes them.
#include "tools/server/writing/index_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/static_files.h"

namespace pmdex {
namespace index_folder_test {

std::string ReasonFor(const std::string& name) {
  const absl::Status status = CheckNewIndexName(name);
  if (status.ok()) return "accepted";
  EXPECT_EQ(HttpStatusOf(status), 400);
  EXPECT_EQ(ErrorJson(status)["type"], "invalid_index_name_exception");
  return ErrorJson(status)["reason"];
}

TEST(IndexFolder, RemovesAnIndexWithTheLongestName) {
  WritingServer server;
  for (const size_t size : {244, 245, 254, 255}) {
    const std::string path = "/" + std::string(size, 'n');
    EXPECT_EQ(server.Send("PUT", path).status, 200) << size;
    EXPECT_EQ(server.Send("DELETE", path).status, 200) << size;
    EXPECT_EQ(server.Send("HEAD", path).status, 404) << size;
  }
  EXPECT_TRUE(std::filesystem::is_empty(server.directory().path()));
}

TEST(IndexFolder, RemovesIndexesWhileFilesOfOthersAreLeft) {
  WritingServer server;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(server.Send("PUT", "/books").status, 200);
    server.directory().Write("books/notes.txt", "mine");
    EXPECT_EQ(server.Send("DELETE", "/books").status, 200);
    EXPECT_TRUE(std::filesystem::exists(server.directory() /
                                        (".removed-" + std::to_string(i) + "/notes.txt")));
  }
}

// As a server leaves it that is killed between the renaming and the end of the removal.
TEST(IndexFolder, RemovesWhatARemovalHasLeft) {
  namespace fs = std::filesystem;
  WritingServer server;
  server.Send("PUT", "/books/_doc/1", R"({"t": "x"})");
  server.Send("PUT", "/books/_doc/2", R"({"t": "x"})");
  server.Stop();
  const fs::path removed = server.directory() / ".removed-0";
  fs::rename(server.directory() / "books", removed);
  size_t segments = 0;
  for (const auto& entry : fs::directory_iterator(removed)) {
    segments += entry.path().filename().string().starts_with("segment-") ? 1 : 0;
  }
  EXPECT_EQ(segments, 2u);
  server.Start();
  EXPECT_FALSE(fs::exists(removed));
  EXPECT_EQ(server.Send("HEAD", "/books").status, 404);
  EXPECT_EQ(server.Send("PUT", "/books").status, 200);
}

TEST(IndexFolder, RefusesNamesThatWouldBeLostOrCannotBeShown) {
  EXPECT_EQ(ReasonFor("books"), "accepted");
  EXPECT_EQ(ReasonFor("b\xC3\xBC"
                      "cher"),
            "accepted");
  EXPECT_NE(ReasonFor("lost+found").find("file systems"), std::string::npos);
  for (const char* name : {"a\x01", "a\nb", "a\x7F"}) {
    EXPECT_NE(ReasonFor(name).find("control characters"), std::string::npos);
  }
  for (const char* name : {"a\xFF", "\xC3(", "a\xED\xA0\x80"}) {
    EXPECT_NE(ReasonFor(name).find("UTF-8"), std::string::npos);
  }
  WritingServer server;
  EXPECT_EQ(server.Send("PUT", "/lost%2Bfound/_doc/1", R"({"t": "x"})").status, 400);
  EXPECT_EQ(server.Send("PUT", "/a%FF/_doc/1", R"({"t": "x"})").status, 400);
  EXPECT_TRUE(std::filesystem::is_empty(server.directory().path()));
}

TEST(IndexFolder, RefusesTheFirstPartsOfThePathsOfTheServer) {
  const auto described = nlohmann::json::parse(kOpenApiJson);
  size_t refused = 0;
  for (const auto& [path, unused] : described["paths"].items()) {
    const std::string first = path.substr(1, path.find('/', 1) - 1);
    if (first.starts_with('{')) continue;
    EXPECT_NE(ReasonFor(first).find("a path of the server"), std::string::npos) << first;
    ++refused;
  }
  EXPECT_GE(refused, 7u);
  WritingServer server;
  const Json answer =
      server.Ask("POST", "/_bulk", "{\"index\": {\"_index\": \"metrics\"}}\n{\"t\": \"x\"}\n");
  EXPECT_EQ(answer["items"][0]["index"]["error"]["type"], "invalid_index_name_exception");
}

TEST(IndexFolder, TellsWhichNamesNoIndexMayHave) {
  const TemporaryDirectory directory;
  for (const char* name : {"books", "Upper", "a b", ".hidden"}) {
    std::filesystem::create_directory(directory / name);
  }
  directory.Write("File", "x");
  const auto folder = IndexFolder::Open(directory.path());
  ASSERT_TRUE(folder.ok()) << folder.status();
  EXPECT_EQ(*(*folder)->Names(), std::vector<std::string>{"books"});
  const auto refused = (*folder)->RefusedNames();
  ASSERT_TRUE(refused.ok() && refused->size() == 2u);
  EXPECT_EQ((*refused)[0].name, "Upper");
  EXPECT_EQ((*refused)[0].fault, "must be lowercase");
  EXPECT_EQ((*refused)[1].name, "a b");
}

TEST(IndexFolder, StillServesIndexesWithNamesThatAreRefusedNow) {
  WritingServer server;
  server.Send("PUT", "/books/_doc/1", R"({"t": "x"})");
  server.Stop();
  std::filesystem::rename(server.directory() / "books", server.directory() / "metrics");
  server.Start();
  EXPECT_EQ(server.Found("metrics", "x"), std::vector<std::string>{"1"});
}

}  // namespace index_folder_test
}  // namespace pmdex
