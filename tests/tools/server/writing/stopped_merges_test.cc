// Merges of a server that would take hours, and that end when an index is removed or the server
// ends. They leave the index as it was. A test that fails to stop one does not end.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/manifest.h"
#include "engine/store/store_verifier.h"
#include "tests/support/background_program.h"
#include "tests/tools/server/http_client.h"
#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace stopped_merges_test {

constexpr uint64_t kVerySlow = 1;      // bytes a second: the first page takes an hour
constexpr size_t kManyDocuments = 60;  // so many segments are merged

size_t SegmentFiles(const std::string& index) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(index)) {
    count += entry.path().filename().string().starts_with("segment-") ? 1 : 0;
  }
  return count;
}

// Expects that the index is of this generation, is not damaged, and has no other segments.
void ExpectGeneration(const std::string& path, uint64_t generation) {
  const auto directory = OpenFileDirectory(path, {});
  ASSERT_TRUE(directory.ok()) << directory.status();
  const auto report = VerifyStore(**directory);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->findings.empty());
  EXPECT_EQ(report->generation, generation);
  EXPECT_EQ(report->segments, kManyDocuments);
  EXPECT_EQ(SegmentFiles(path), report->segments);
}

uint64_t GenerationOf(const std::string& path) {
  const auto directory = OpenFileDirectory(path, {});
  EXPECT_TRUE(directory.ok()) << directory.status();
  const auto manifest = LoadNewestManifest(**directory, nullptr);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  return manifest->generation;
}

// A server whose index "books" has many segments, which a thread is merging at a very low rate.
class StoppedMerges : public testing::Test {
 protected:
  void Begin() {
    for (size_t i = 0; i < kManyDocuments; ++i) {
      // A refresh of the last document will be due while the index is merged.
      const std::string path =
          "/books/_doc/" + std::to_string(i) + (i + 1 < kManyDocuments ? "?refresh=true" : "");
      ASSERT_EQ(server_.Send("PUT", path, R"({"t": "word"})").status, 201);
    }
    index_ = server_.indexes().FindOpen("books");
    ASSERT_NE(index_, nullptr);
    generation_ = GenerationOf(path_);
    ASSERT_EQ(SegmentFiles(path_), kManyDocuments);
    merger_ = std::thread([this] {
      merged_ = index_->MergeIfManySegments(WritableIndex::Clock::time_point::max()).status();
    });
    while (SegmentFiles(path_) == kManyDocuments) std::this_thread::yield();
  }
  static void ExpectStopped(const absl::Status& merged) {
    EXPECT_EQ(HttpStatusOf(merged), 503) << merged;
    EXPECT_EQ(ErrorJson(merged)["type"], "task_cancelled_exception");
  }

  WritingServer server_{/*read_only=*/false, kVerySlow};
  const std::string path_ = server_.directory() / "books";
  std::shared_ptr<WritableIndex> index_;
  uint64_t generation_ = 0;
  std::thread merger_;
  absl::Status merged_;
};

TEST_F(StoppedMerges, EndWhenTheIndexIsClosedAndLeaveItAsItWas) {
  Begin();
  index_->Close();
  merger_.join();
  ExpectStopped(merged_);
  ExpectGeneration(path_, generation_);
}

TEST_F(StoppedMerges, EndWhenTheIndexIsRemoved) {
  Begin();
  EXPECT_EQ(server_.Send("DELETE", "/books").status, 200);
  merger_.join();
  ExpectStopped(merged_);
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(server_.Send("PUT", "/books").status, 200);
}

TEST_F(StoppedMerges, AnswerTheClientThatAskedForThemWhenTheServerEnds) {
  Begin();
  HttpResponse answer;
  std::thread client(
      [&] { answer = server_.Send("POST", "/books/_forcemerge?max_num_segments=1"); });
  server_.indexes().StopMerges();
  client.join();
  merger_.join();
  ExpectStopped(merged_);
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(Json::parse(answer.body)["error"]["type"], "task_cancelled_exception");
  EXPECT_NE(answer.body.find("was stopped"), std::string::npos) << answer.body;
  server_.Stop();
  ExpectGeneration(path_, generation_);
}

TEST_F(StoppedMerges, DoNotKeepOtherIndexesFromBeingRefreshed) {
  Begin();
  EXPECT_EQ(server_.Send("PUT", "/other/_doc/1", R"({"t": "word"})").status, 201);
  while (server_.Found("other", "word").empty()) std::this_thread::yield();
  server_.indexes().StopMerges();
  merger_.join();
}

// A process whose index "books" is being merged at a very low rate.
class StoppedMerge : public testing::Test {
 protected:
  std::optional<ClientAnswer> Send(HttpClient& client, const std::string& method,
                                   const std::string& target, const std::string& body = "") {
    return client.Ask(method + " " + target + " HTTP/1.1\r\nHost: test\r\n" +
                      (body.empty() ? "" : "Content-Type: application/json\r\n") +
                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  void Begin() {
    ASSERT_NE(server_.AwaitLine("listening on "), "") << server_.err();
    HttpClient client(address_);
    for (size_t i = 0; i < kManyDocuments; ++i) {
      const auto answer = Send(client, "PUT", "/books/_doc/" + std::to_string(i), kBody);
      ASSERT_EQ(answer->status, 201) << answer->body;
    }
    generation_ = GenerationOf(index_);
    ASSERT_EQ(SegmentFiles(index_), kManyDocuments);
    // The merge begins up to a minute later; other tests may have the CPU meanwhile.
    for (int i = 0; i < 40'000 && SegmentFiles(index_) == kManyDocuments; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ASSERT_GT(SegmentFiles(index_), kManyDocuments) << server_.err();
  }

  const std::string kBody = R"({"t": "word"})";
  const TemporaryDirectory directory_{FastTemporaryParent()};
  const std::string address_ = "unix:" + (directory_ / "socket");
  const std::string index_ = directory_ / "data/books";
  uint64_t generation_ = 0;
  BackgroundProgram server_{{PMDEX_BINARY, "serve", "--listen", address_, "--data",
                             directory_ / "data", "--merge-rate", "1"}};
};

TEST_F(StoppedMerge, EndsWithTheProcess) {
  Begin();
  server_.Signal(SIGTERM);
  EXPECT_EQ(server_.AwaitEnd(), 0) << server_.err();
  ExpectGeneration(index_, generation_);
}

// Requests that wait for the merge keep a thread each, and the server has a bounded number.
TEST_F(StoppedMerge, LeavesThreadsForOtherIndexesAndForItsOwnEnd) {
  constexpr size_t kWriters = WritableIndex::kMostWaiting + 12;
  Begin();
  std::atomic<size_t> refused = 0;
  std::vector<std::thread> writers;
  for (size_t i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      HttpClient client(address_);
      const auto answer = i % 2 == 0 ? Send(client, "PUT", "/books/_doc/x", kBody)
                                     : Send(client, "POST", "/books/_refresh");
      ASSERT_TRUE(answer.has_value());
      if (answer->status != 429) {
        // It waited until the merge was stopped, and came before the removal or after it.
        EXPECT_TRUE(answer->status == 404 || answer->status / 100 == 2) << answer->body;
        return;
      }
      EXPECT_NE(answer->head.find("retry-after: "), std::string::npos) << answer->head;
      EXPECT_EQ(Json::parse(answer->body)["error"]["type"], "es_rejected_execution_exception");
      ++refused;
    });
  }
  while (refused < kWriters - WritableIndex::kMostWaiting) std::this_thread::yield();
  HttpClient client(address_);
  EXPECT_EQ(Send(client, "PUT", "/other/_doc/1", kBody)->status, 201);
  EXPECT_EQ(Send(client, "POST", "/other/_forcemerge")->status, 200);
  const auto own = Send(client, "POST", "/books/documents", "{\"id\": \"1\"}");
  EXPECT_EQ(own->status, 429) << own->body;
  const auto bulk = Send(client, "POST", "/_bulk",
                         "{\"index\": {\"_index\": \"books\"}}\n{\"t\": \"x\"}\n"
                         "{\"index\": {\"_index\": \"other\"}}\n{\"t\": \"x\"}\n");
  const Json items = Json::parse(bulk->body)["items"];
  EXPECT_EQ(items[0]["index"]["status"], 429) << bulk->body;
  EXPECT_EQ(items[1]["index"]["status"], 201) << bulk->body;
  EXPECT_EQ(Send(client, "GET", "/books/_search")->status, 200);
  EXPECT_EQ(Send(client, "DELETE", "/books")->status, 200);
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(refused, kWriters - WritableIndex::kMostWaiting);
  EXPECT_FALSE(std::filesystem::exists(index_));
}

}  // namespace stopped_merges_test
}  // namespace pmdex
