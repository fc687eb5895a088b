// Readers open snapshots and search while a writer publishes one generation after the other. Each
// reader must only see whole generations, and never an older one after a newer one. Also runs under
// ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "query/searcher.h"
#include "tests/support/run_program.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {
namespace publish_test {

constexpr uint64_t kGenerations = 50;
constexpr uint64_t kOverwriteEvery = 10;
constexpr int kReaders = 3;
constexpr uint64_t kSegmentsOfARun = 2;
constexpr uint64_t kDocumentsOfASegment = 3;
constexpr uint64_t kDocumentsOfARun = kSegmentsOfARun * kDocumentsOfASegment;

// Every tenth generation replaces all documents; the others add some.
uint64_t DocumentsOf(uint64_t generation) {
  return ((generation - 1) % kOverwriteEvery + 1) * kDocumentsOfARun;
}

IndexSettings Settings() {
  return {AnalyzerKind::kWhitespace, true, false};
}

absl::Status PublishGeneration(Directory& directory, uint64_t generation) {
  const bool replaces = (generation - 1) % kOverwriteEvery == 0;
  const OpenMode mode = replaces ? OpenMode::kOverwrite : OpenMode::kAppend;
  PMDEX_ASSIGN_OR_RETURN(auto writer, IndexWriter::Open(directory, mode, Settings()));
  for (uint64_t segment = 0; segment < kSegmentsOfARun; ++segment) {
    VectorSegmentInput input(VectorSegmentOptions{});
    const FieldId body = input.AddField("body");
    for (uint64_t i = 0; i < kDocumentsOfASegment; ++i) {
      const DocId doc = input.AddDocument(std::to_string(generation) + "-" + std::to_string(i));
      input.AddText(doc, body, "common generation" + std::to_string(generation));
    }
    input.Finish();
    PMDEX_RETURN_IF_ERROR(writer->WriteSegment(input).status());
  }
  return writer->Publish();
}

// Opens the newest generation and checks that a search finds exactly the documents of it. Returns
// its number, or 0 if something was wrong.
uint64_t ReadGeneration(const Directory& directory) {
  const auto snapshot = Snapshot::Open(directory);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  if (!snapshot.ok()) return 0;
  EXPECT_TRUE((*snapshot)->passed_over().empty());
  const uint64_t generation = (*snapshot)->manifest().generation;
  const Searcher searcher(*snapshot);
  SearchOptions options;
  options.count = true;
  options.k = 1000;
  const auto all = searcher.Search("common", options);
  const auto newest = searcher.Search("generation" + std::to_string(generation), options);
  const auto next = searcher.Search("generation" + std::to_string(generation + 1), options);
  EXPECT_TRUE(all.ok() && newest.ok() && next.ok());
  if (!all.ok() || !newest.ok() || !next.ok()) return 0;
  EXPECT_EQ(all->total, DocumentsOf(generation));
  EXPECT_EQ(all->hits.size(), DocumentsOf(generation));
  EXPECT_EQ(newest->total, kDocumentsOfARun);
  EXPECT_EQ(next->total, 0u);
  return generation;
}

void PublishUnderReaders(Directory& directory) {
  ASSERT_TRUE(PublishGeneration(directory, 1).ok());
  std::atomic<uint64_t> published{1};
  std::atomic<bool> failed{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      for (uint64_t seen = 0; seen < kGenerations && !failed;) {
        const uint64_t at_least = published;
        const uint64_t generation = ReadGeneration(directory);
        EXPECT_GE(generation, std::max(seen, at_least));
        if (generation < at_least) failed = true;
        seen = generation;
      }
    });
  }
  for (uint64_t generation = 2; generation <= kGenerations && !failed; ++generation) {
    const absl::Status status = PublishGeneration(directory, generation);
    EXPECT_TRUE(status.ok()) << status;
    if (!status.ok()) failed = true;
    published = generation;
  }
  for (std::thread& reader : readers) reader.join();
}

TEST(SearcherDuringPublish, SeesWholeGenerationsInMemory) {
  PublishUnderReaders(*NewDramDirectory("publish"));
}

TEST(SearcherDuringPublish, SeesWholeGenerationsOnAFileSystem) {
  const TemporaryDirectory root(FastTemporaryParent());
  // Without fsync generations follow each other faster than a reader can open one.
  const auto directory = OpenFileDirectory(root / "store", {.create = true, .durable = false});
  ASSERT_TRUE(directory.ok()) << directory.status();
  PublishUnderReaders(**directory);
}

}  // namespace publish_test
}  // namespace pmdex
