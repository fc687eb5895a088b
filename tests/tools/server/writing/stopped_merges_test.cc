// Merges of a server that would take hours, and that end when an index is removed or the server
// ends. They leave the index as it was. A test that fails to stop one does not end.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>

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

TEST(StoppedMerge, EndsWithTheProcess) {
  const TemporaryDirectory directory(FastTemporaryParent());
  const std::string address = "unix:" + (directory / "socket");
  BackgroundProgram server({PMDEX_BINARY, "serve", "--listen", address, "--data",
                            directory / "data", "--merge-rate", "1"});
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  HttpClient client(address);
  const std::string body = R"({"t": "word"})";
  for (size_t i = 0; i < kManyDocuments; ++i) {
    const auto answer =
        client.Ask("PUT /books/_doc/" + std::to_string(i) +
                   " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n" + body);
    ASSERT_EQ(answer->status, 201) << answer->body;
  }
  const std::string index = directory / "data/books";
  const uint64_t generation = GenerationOf(index);
  ASSERT_EQ(SegmentFiles(index), kManyDocuments);
  // The merge begins up to a minute later; other tests may have the CPU meanwhile.
  for (int i = 0; i < 40'000 && SegmentFiles(index) == kManyDocuments; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_GT(SegmentFiles(index), kManyDocuments) << server.err();
  server.Signal(SIGTERM);
  EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
  ExpectGeneration(index, generation);
}

}  // namespace stopped_merges_test
}  // namespace pmdex
