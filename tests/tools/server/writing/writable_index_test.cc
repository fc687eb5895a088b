// What stays true of an index while it is changed, merged, removed and opened again.
#include "tools/server/writing/writable_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/store/index_writer.h"
#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {
namespace writable_index_test {

using Ids = std::vector<std::string>;

constexpr char kDeleteWords[] = R"({"query": {"match": {"t": "word"}}})";

void AddWords(WritingServer& server, int count) {
  for (int i = 0; i < count; ++i) {
    server.Send("PUT", "/books/_doc/" + std::to_string(i) + "?refresh=true", R"({"t": "word"})");
  }
}

TEST(WritableIndex, DeletesByAQueryWhenItWasOpenedAgain) {
  WritingServer server;
  AddWords(server, 3);
  server.Restart();
  const Json answer = server.Ask("POST", "/books/_delete_by_query?refresh=true", kDeleteWords);
  EXPECT_EQ(answer["deleted"], 3) << answer.dump();
  EXPECT_EQ(server.Found("books", "word"), Ids{});
}

TEST(WritableIndex, DeletesByAQueryWhenItWasMerged) {
  WritingServer server;
  AddWords(server, 3);
  EXPECT_EQ(server.Send("POST", "/books/_forcemerge?max_num_segments=1").status, 200);
  const Json answer = server.Ask("POST", "/books/_delete_by_query?refresh=true", kDeleteWords);
  EXPECT_EQ(answer["deleted"], 3) << answer.dump();
}

TEST(WritableIndex, TellsSearchesTheSequenceOfADocumentWhenItWasOpenedAgain) {
  WritingServer server;
  AddWords(server, 2);
  server.Restart();
  const Json answer = server.Ask("GET", "/books/_search?seq_no_primary_term=true");
  ASSERT_EQ(answer["hits"]["hits"].size(), 2u);
  for (const Json& hit : answer["hits"]["hits"]) {
    const std::string path = "/books/_doc/" + hit["_id"].get<std::string>();
    const Json got = server.Ask("GET", path);
    EXPECT_EQ(hit["_seq_no"], got["_seq_no"]);
    EXPECT_EQ(hit["_primary_term"], got["_primary_term"]);
    const std::string condition =
        "?if_seq_no=" + hit["_seq_no"].dump() + "&if_primary_term=" + hit["_primary_term"].dump();
    // Both have the same sequence: they were there when the index was opened.
    EXPECT_EQ(server.Send("PUT", path + condition, R"({"t": "other"})").status, 200);
  }
}

TEST(WritableIndex, IsUnavailableWhileAnotherWriterHasIt) {
  WritingServer server;
  AddWords(server, 1);
  server.Stop();
  const auto directory = OpenFileDirectory(server.directory() / "books", {});
  ASSERT_TRUE(directory.ok()) << directory.status();
  IndexSettings settings;
  settings.store_text = true;
  auto writer = IndexWriter::Open(**directory, OpenMode::kAppend, settings);
  ASSERT_TRUE(writer.ok()) << writer.status();
  server.Start();
  const HttpResponse answer = server.Send("PUT", "/books/_doc/2", R"({"t": "word"})");
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(Json::parse(answer.body)["error"]["type"], "unavailable_shards_exception");
  writer->reset();
  EXPECT_EQ(server.Send("PUT", "/books/_doc/2", R"({"t": "word"})").status, 201);
}

TEST(WritableIndex, IsNotFoundOnceItWasRemoved) {
  WritingServer server;
  AddWords(server, 1);
  const auto index = server.indexes().FindOpen("books");
  ASSERT_NE(index, nullptr);
  EXPECT_EQ(server.Send("DELETE", "/books").status, 200);
  WriteOperation operation;
  operation.source = R"({"t": "word"})";
  for (const absl::Status& status : {index->Write({operation}, /*refresh=*/false).status(),
                                     index->FindNewest("0").status(), index->Refresh()}) {
    EXPECT_EQ(HttpStatusOf(status), 404) << status;
    EXPECT_EQ(ErrorJson(status)["type"], "index_not_found_exception");
  }
}

// Merges the segments of the index "books", and calls `during` once meanwhile.
template <typename During>
absl::Status MergeWith(WritingServer& server, const During& during) {
  const auto index = server.indexes().FindOpen("books");
  if (index == nullptr) return IndexNotFound("books");
  MergeIndexOptions options;
  options.max_segments = 1;
  bool is_called = false;
  options.request.stop = [&] {
    if (!is_called) during();
    is_called = true;
    return false;
  };
  const absl::Status merged = index->Merge(options);
  EXPECT_TRUE(is_called);
  return merged;
}

bool IsStopped(const absl::Status& merged) {
  return HttpStatusOf(merged) == 503 && ErrorJson(merged)["type"] == "task_cancelled_exception";
}

TEST(WritableIndex, ReadsDocumentsByTheirIdsWhileItIsMerged) {
  WritingServer server;
  server.Make("books");
  for (const char* id : {"1", "2", "3", "4"}) {
    server.Send("PUT", std::string("/books/_doc/") + id + "?refresh=true", R"({"t": "old"})");
  }
  server.Send("PUT", "/books/_doc/1", R"({"t": "new"})");  // searches do not find it
  server.Send("DELETE", "/books/_doc/2");
  const Json before = server.Ask("GET", "/books/_doc/1");
  const absl::Status merged = MergeWith(server, [&] {
    EXPECT_EQ(server.Ask("GET", "/books/_doc/1"), before);
    EXPECT_EQ(server.Send("GET", "/books/_doc/2").status, 404);
    EXPECT_EQ(server.Send("GET", "/books/_search?version=true").status, 200);
  });
  EXPECT_TRUE(merged.ok()) << merged;
  EXPECT_EQ(server.Ask("GET", "/books/_doc/1")["_source"]["t"], "new");
}

TEST(WritableIndex, IsRemovedDuringAMergeWhileOthersAreWritten) {
  WritingServer server;
  AddWords(server, 2);
  std::atomic<int> status = 0;
  std::thread remover;
  const absl::Status merged = MergeWith(server, [&] {
    remover = std::thread([&] { status = server.Send("DELETE", "/books").status; });
    for (int i = 0; i < 20; ++i) {
      const std::string other = "/other" + std::to_string(i);
      EXPECT_EQ(server.Send("PUT", other + "/_doc/1", R"({"t": "x"})").status, 201);
    }
  });
  remover.join();
  EXPECT_TRUE(merged.ok() || IsStopped(merged)) << merged;
  EXPECT_EQ(status, 200);
  EXPECT_EQ(server.Send("HEAD", "/books").status, 404);
  EXPECT_EQ(server.Send("PUT", "/books").status, 200);
}

// Whoever closes an index waits until a merge has ended.
TEST(WritableIndex, EndsAMergeBeforeItIsClosed) {
  WritingServer server;
  for (int round = 0; round < 30; ++round) {
    SCOPED_TRACE(round);
    AddWords(server, 2);
    const auto index = server.indexes().FindOpen("books");
    ASSERT_NE(index, nullptr);
    std::thread closer;
    const absl::Status merged =
        MergeWith(server, [&] { closer = std::thread([&] { index->Close(); }); });
    EXPECT_TRUE(merged.ok() || IsStopped(merged)) << merged;
    closer.join();
    EXPECT_EQ(server.Send("DELETE", "/books").status, 200);
  }
}

TEST(WritableIndex, KeepsTheSequencesOfDocumentsWhileNobodyWritesThem) {
  WritingServer server;
  AddWords(server, 3);
  server.Restart();  // so that some documents were there when the index was opened
  for (int i = 3; i < 6; ++i) {
    server.Send("PUT", "/books/_doc/" + std::to_string(i), R"({"t": "word"})");
  }
  server.Send("DELETE", "/books/_doc/4");
  server.Send("PUT", "/books/_doc/1", R"({"t": "word again"})");
  std::vector<Json> before;
  for (int i = 0; i < 6; ++i) {
    before.push_back(server.Ask("GET", "/books/_doc/" + std::to_string(i)));
  }
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(server.Send("POST", "/books/_forcemerge?max_num_segments=1").status, 200);
    EXPECT_EQ(
        server.Send("PUT", "/books/_mapping", R"({"properties": {"u": {"type": "text"}}})").status,
        200);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(server.Ask("GET", "/books/_doc/" + std::to_string(i)), before[i]) << i;
    }
    server.Send("PUT", "/books/_doc/new", R"({"t": "word"})");
  }
  EXPECT_EQ(server.Ask("GET", "/books/_doc/new")["_version"], 2);
  const Json again = server.Ask("PUT", "/books/_doc/0", R"({"t": "x"})");
  EXPECT_EQ(again["_seq_no"], server.Ask("GET", "/books/_doc/new")["_seq_no"].get<uint64_t>() + 1);
}

// As Elasticsearch does it: the deletion of what is not there is an operation, too.
TEST(WritableIndex, GivesADeletionOfNothingItsOwnSequence) {
  WritingServer server;
  server.Make("books");
  const Json deleted = server.Ask("DELETE", "/books/_doc/missing");
  EXPECT_EQ(deleted["result"], "not_found") << deleted.dump();
  EXPECT_EQ(deleted["_seq_no"], 0);
  EXPECT_EQ(server.Ask("DELETE", "/books/_doc/missing")["_seq_no"], 1);
  const Json put = server.Ask("PUT", "/books/_doc/1?refresh=true", R"({"t": "word"})");
  EXPECT_EQ(put["_seq_no"], 2);
  EXPECT_EQ(server.Ask("DELETE", "/books/_doc/missing")["_seq_no"], 3);
  // Documents keep their own, also over a merge.
  EXPECT_EQ(server.Send("POST", "/books/_forcemerge?max_num_segments=1").status, 200);
  EXPECT_EQ(server.Ask("GET", "/books/_doc/1")["_seq_no"], 2);
  EXPECT_EQ(server.Found("books", "word"), Ids{"1"});
  EXPECT_EQ(server.Ask("DELETE", "/books/_doc/missing")["_seq_no"], 4);
}

// An index of one segment a document. No thread refreshes or merges it meanwhile.
class ManySegmentsTest : public testing::Test {
 protected:
  void Add(uint64_t count, bool refresh = true) {
    for (uint64_t i = 0; i < count; ++i) {
      WriteOperation operation;
      operation.source = R"({"t": "word"})";
      ASSERT_TRUE(index_->Write({operation}, refresh).ok());
    }
  }
  uint64_t Segments() const { return shown_->searcher->snapshot().segments().size(); }
  uint64_t Documents() const { return shown_->searcher->snapshot().live_doc_count(); }

  // As if the last request had written just now.
  const WritableIndex::Clock::time_point now_{};
  const WritableIndex::Clock::time_point much_later_ = WritableIndex::Clock::time_point::max();
  TemporaryDirectory directory_{FastTemporaryParent()};
  std::shared_ptr<const ServedIndex> shown_;
  std::shared_ptr<WritableIndex> index_ =
      *WritableIndex::Create("books", directory_.path() + "/books", IndexDefinition(),
                             [this](auto index) { shown_ = std::move(index); });
};

TEST_F(ManySegmentsTest, AreMergedOnceNoRequestWrites) {
  Add(100);
  const auto due = index_->MergeIfManySegments(now_);
  ASSERT_TRUE(due.ok());
  ASSERT_TRUE(due->has_value());
  EXPECT_EQ(Segments(), 100u);
  const auto next = index_->MergeIfManySegments(**due);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(*next, std::nullopt);
  EXPECT_LT(Segments(), 60u);
  EXPECT_EQ(Documents(), 100u);
}

TEST_F(ManySegmentsTest, AreMergedWhileRequestsWriteIfThereAreVeryMany) {
  Add(150);
  const auto next = index_->MergeIfManySegments(now_);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(*next, std::nullopt);
  EXPECT_LT(Segments(), 100u);
  EXPECT_EQ(Documents(), 150u);
}

TEST_F(ManySegmentsTest, AreMergedThoughSearchesHaveNotSeenThem) {
  const auto definition =
      IndexDefinition::Read(Json::parse(R"({"settings": {"index": {"refresh_interval": "-1"}}})"));
  ASSERT_TRUE(definition.ok()) << definition.status();
  index_ = *WritableIndex::Create("unseen", directory_.path() + "/unseen", *definition,
                                  [this](auto index) { shown_ = std::move(index); });
  Add(150, /*refresh=*/false);
  EXPECT_EQ(Segments(), 0u);
  const auto next = index_->MergeIfManySegments(much_later_);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_LT(Segments(), 100u);
  EXPECT_EQ(Documents(), 150u);
  // What the merge has left is not merged again.
  const uint64_t edition = shown_->edition;
  EXPECT_EQ(index_->MergeIfManySegments(much_later_).value(), std::nullopt);
  EXPECT_EQ(shown_->edition, edition);
}

TEST_F(ManySegmentsTest, AreNotMergedIfTheyAreFew) {
  Add(40);
  const auto next = index_->MergeIfManySegments(much_later_);
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(*next, std::nullopt);
  EXPECT_EQ(Segments(), 40u);
}

}  // namespace writable_index_test
}  // namespace pmdex
