// Readers and commits beside writes that replace and delete documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "pmem/forwarding_directory.h"
#include "tests/engine/live/live_test_support.h"
#include "tests/support/effort.h"

namespace pmdex {
namespace live_readers_test {

// Each version of a document is one higher than the one before. Threads replace the documents, and
// one deletes a document and adds it again, while one commits. Readers must find each document that
// is never deleted exactly once, with no older version than before.
TEST(LiveReaders, ShowReadersEachDocumentExactlyOnce) {
  constexpr int kIds = 20;
  constexpr uint64_t kSnapshots = kIsSanitized ? 100 : 400;
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  const auto put = [&](int id, uint64_t version) {
    char text[32];
    std::snprintf(text, sizeof text, "v%08llu", static_cast<unsigned long long>(version));
    return index->Put(Text("d" + std::to_string(id), text)).ok();
  };
  for (int id = 0; id < kIds; ++id) ASSERT_TRUE(put(id, 0));
  std::atomic<uint64_t> snapshots{0};
  std::atomic<int> failures{0};
  const auto check = [&](const absl::StatusOr<DocumentTexts>& now, DocumentTexts& before) {
    if (!now.ok()) return false;
    for (int id = 0; id < kIds; ++id) {
      const auto found = now->find("d" + std::to_string(id));
      if (found == now->end() || found->second < before[found->first]) return false;
      before[found->first] = found->second;
    }
    return true;
  };
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 2; ++writer) {
    threads.emplace_back([&, writer] {
      for (uint64_t round = 1; snapshots < kSnapshots; ++round) {
        for (int id = writer; id < kIds; id += 2) failures += put(id, round) ? 0 : 1;
        failures += index->Put(Text("w" + std::to_string(writer), "x")).ok() ? 0 : 1;
        failures += index->Delete("w" + std::to_string(writer))->removed == 1 ? 0 : 1;
      }
    });
  }
  for (int reader = 0; reader < 2; ++reader) {
    threads.emplace_back([&] {
      DocumentTexts before;
      while (snapshots++ < kSnapshots) {
        const auto snapshot = index->TakeSnapshot();
        if (!snapshot.ok() || !check(ReadLiveDocuments(**snapshot), before)) ++failures;
        const auto found = index->FindDocument("d3");
        if (!found.ok() || !found->has_value()) ++failures;
      }
    });
  }
  threads.emplace_back([&] {
    DocumentTexts before;
    while (snapshots < kSnapshots) {
      if (!index->Commit().ok()) ++failures;
      if (!check(ReadLiveDocuments(*directory), before)) ++failures;
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures.load(), 0);
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Durable(*directory).size(), static_cast<size_t>(kIds));
  EXPECT_EQ(Durable(*directory), Visible(*index));
}

// Threads count with a document: each adds one to what it read, if nobody wrote meanwhile.
TEST(LiveReaders, LoseNoUpdateThatDemandsASequence) {
  constexpr int kThreads = 4;
  constexpr int kEach = 25;
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  WriteSequence latest = index->Put(Text("n", "0"))->sequence;
  std::atomic<int> counted{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kEach;) {
        const auto found = index->FindDocument("n");
        const int before = counted.load();
        const auto put = index->Put(Text("n", std::to_string(before)), {.at = (*found)->sequence});
        if (!put.ok()) continue;
        ++counted;
        ++i;
        EXPECT_TRUE(thread != 0 || i % 5 != 0 || index->Commit().ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted.load(), kThreads * kEach);
  EXPECT_EQ((*index->FindDocument("n"))->sequence,
            (WriteSequence{latest.term, latest.number + kThreads * kEach}));
}

// Calls a function before it makes a file.
class InterruptedDirectory final : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  void Interrupt(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    if (interrupt_ != nullptr) std::exchange(interrupt_, nullptr)();
    return ForwardingDirectory::Create(name, capacity_bytes);
  }

 private:
  std::function<void()> interrupt_;
};

// While a commit writes a segment, its documents are replaced and deleted, and so are those that
// earlier commits wrote. The commit has none of that, and the next one all.
TEST(LiveReaders, FindWhatIsWrittenDuringACommit) {
  const auto base = NewDramDirectory("live");
  InterruptedDirectory directory(*base);
  const auto index = OpenStoring(directory);
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(index->Put(Text(id, "medium")).ok());
  ASSERT_TRUE(index->Commit().ok());
  for (const char* id : {"d", "e", "f", "b"}) ASSERT_TRUE(index->Put(Text(id, "memory")).ok());
  const DocumentTexts committed = Visible(*index);
  for (const bool with_snapshot : {true, false}) {
    const std::string text = with_snapshot ? "later" : "last";
    DocumentTexts expected;
    directory.Interrupt([&] {
      EXPECT_EQ(index->Put(Text("a", text))->removed, 1u);
      EXPECT_EQ(index->Put(Text("d", text))->removed, 1u);
      EXPECT_EQ(index->Delete("b")->removed, with_snapshot ? 1u : 0u);
      EXPECT_EQ(index->Delete("e")->removed, with_snapshot ? 1u : 0u);
      if (!with_snapshot) return;
      expected = Visible(*index);
      EXPECT_EQ(expected.size(), 4u);
      EXPECT_NE(expected.at("a"), committed.at("a"));
    });
    const DocumentTexts before = Visible(*index);
    ASSERT_TRUE(with_snapshot || index->Put(Text("g", "more")).ok());
    ASSERT_TRUE(index->Commit().ok());
    const DocumentTexts durable = *ReadLiveDocuments(*base);
    EXPECT_EQ(durable.size(), before.size() + (with_snapshot ? 0 : 1));
    EXPECT_EQ(durable.count("e"), with_snapshot ? 1u : 0u);
    EXPECT_EQ(durable.at("d"), before.at("d"));
    if (with_snapshot) {
      EXPECT_EQ(durable, committed);
      EXPECT_EQ(Visible(*index), expected);
    }
  }
  ASSERT_TRUE(index->Commit().ok());
  EXPECT_EQ(Durable(*base), Visible(*index));
  EXPECT_EQ(Durable(*base).size(), 5u);
}

// Small segments in DRAM are merged again and again while their documents are deleted.
TEST(LiveReaders, FindNoDeletedDocumentInMergedSegments) {
  const auto directory = NewDramDirectory("live");
  const auto index = OpenStoring(*directory);
  size_t fewest = SIZE_MAX;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(index->Put(Text("d" + std::to_string(i), "x")).ok());
    ASSERT_TRUE(i % 3 != 0 || index->Delete("d" + std::to_string(i / 2))->removed == 1);
    ASSERT_EQ(Visible(*index).size(), static_cast<size_t>(i + 1 - (i / 3 + 1)));
    fewest = i > 100 ? std::min(fewest, index->dram_segment_count()) : fewest;
  }
  EXPECT_LT(fewest, 80u);  // some were merged
}

}  // namespace live_readers_test
}  // namespace pmdex
