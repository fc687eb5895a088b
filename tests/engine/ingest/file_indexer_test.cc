#include "engine/ingest/file_indexer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/ingest/ingest.h"
#include "engine/store/snapshot.h"
#include "tests/support/compress.h"
#include "tests/support/permission_scope.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace file_indexer_test {

IngestOptions SomeOptions() {
  IngestOptions options;
  options.memory_bytes = uint64_t{32} << 20;
  options.settings.store_text = true;
  options.format = InputFormat::kFiles;
  return options;
}

// The stored texts of all documents, by id.
std::multimap<std::string, std::string> DocumentsOf(const Directory& directory) {
  std::multimap<std::string, std::string> documents;
  const auto snapshot = Snapshot::Open(directory);
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  for (const auto& segment : (*snapshot)->segments()) {
    for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
      const auto stored = segment->StoredText(doc);
      std::string text;
      for (const StoredValue& value : *stored) absl::StrAppend(&text, value.text, "|");
      documents.emplace(std::string(*segment->doc_id(doc)), std::move(text));
    }
  }
  return documents;
}

IndexedFiles Index(Directory& directory, const IngestOptions& options,
                   const std::vector<std::string>& paths, ProblemSummaries* problems = nullptr) {
  auto writer = IndexWriter::Open(directory, OpenMode::kCreate, options.settings);
  EXPECT_TRUE(writer.ok()) << writer.status();
  FileIndexer indexer(options, directory.granularity());
  const auto indexed = indexer.Index(paths, **writer);
  EXPECT_TRUE(indexed.ok()) << indexed.status();
  EXPECT_TRUE((*writer)->Publish().ok());
  if (problems != nullptr) *problems = indexer.TakeProblems();
  return *indexed;
}

TEST(FileIndexer, MakesTheDocumentsOfABuild) {
  const TemporaryDirectory tree;
  std::mt19937 random(1);
  std::vector<std::string> paths;
  for (int i = 0; i < 100; ++i) {
    std::string text;
    for (uint32_t words = random() % 300; words > 0; --words) {
      absl::StrAppend(&text, "w", random() % 1000, random() % 7 == 0 ? "\n" : " ");
    }
    if (i % 10 == 0) text.insert(0, "\xef\xbb\xbf");  // a byte order mark
    if (i % 10 == 1) text.append("\xff broken UTF-8");
    if (i % 10 == 2) text.assign("binary\0", 7);
    paths.push_back(tree.Write(absl::StrCat("f", i), text));
  }
  paths.push_back(tree.Write("packed.gz", Compress(Compression::kGzip, "some packed words")));
  paths.push_back(tree.Write("large", std::string(3'000'000, 'a') + " end"));
  const auto ours = NewDramDirectory("ours");
  ProblemSummaries problems;
  const IndexedFiles indexed = Index(*ours, SomeOptions(), paths, &problems);
  ASSERT_EQ(indexed.outcomes.size(), paths.size());
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(indexed.outcomes[i], i % 10 == 2 ? FileOutcome::kPassedOver : FileOutcome::kIndexed);
  }
  EXPECT_EQ(problems.at(ProblemKind::kBinaryFile).count, 10u);
  EXPECT_EQ(problems.at(ProblemKind::kInvalidUtf8).count, 10u);

  IngestOptions options = SomeOptions();
  options.inputs = {tree.path()};
  const auto theirs = NewDramDirectory("theirs");
  auto writer = IndexWriter::Open(*theirs, OpenMode::kCreate, options.settings);
  ASSERT_TRUE(writer.ok());
  const auto report = Ingest(options, **writer, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(DocumentsOf(*ours), DocumentsOf(*theirs));
  EXPECT_EQ(indexed.bytes_in, report->bytes_in);
}

TEST(FileIndexer, SaysWhatBecameOfEachFile) {
  const TemporaryDirectory tree;
  const std::string good = tree.Write("good", "x");
  const std::string closed = tree.Write("closed", "x");
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const std::string way = tree / "way";
  ASSERT_EQ(symlink("good", way.c_str()), 0);
  const std::string fifo = tree / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const PermissionScope modes_count;
  const auto directory = NewDramDirectory("store");
  const IndexedFiles indexed =
      Index(*directory, SomeOptions(), {tree / "none", good, closed, way, fifo});
  EXPECT_EQ(indexed.outcomes[0], FileOutcome::kVanished);
  EXPECT_EQ(indexed.outcomes[1], FileOutcome::kIndexed);
  EXPECT_EQ(indexed.outcomes[2], FileOutcome::kUnreadable);
  EXPECT_NE(indexed.outcomes[3], FileOutcome::kIndexed);  // no link is followed
  EXPECT_EQ(indexed.outcomes[4], FileOutcome::kVanished);
  EXPECT_EQ(DocumentsOf(*directory).size(), 1u);
}

TEST(FileIndexer, WritesASegmentWhenItsMemoryIsFull) {
  const TemporaryDirectory tree;
  std::mt19937_64 random(2);
  std::vector<std::string> paths;
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int word = 0; word < 20'000; ++word) absl::StrAppend(&text, random(), " ");
    paths.push_back(tree.Write(absl::StrCat("f", i), text));
  }
  const auto directory = NewDramDirectory("store");
  const IndexedFiles indexed = Index(*directory, SomeOptions(), paths);
  for (const FileOutcome outcome : indexed.outcomes) EXPECT_EQ(outcome, FileOutcome::kIndexed);
  const auto snapshot = Snapshot::Open(*directory);
  ASSERT_TRUE(snapshot.ok());
  EXPECT_GT((*snapshot)->segments().size(), 1u);
  EXPECT_EQ((*snapshot)->doc_count(), 40u);
}

TEST(FileIndexer, TakesOneListAfterTheOther) {
  const TemporaryDirectory tree;
  const auto directory = NewDramDirectory("store");
  const IngestOptions options = SomeOptions();
  auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, options.settings);
  ASSERT_TRUE(writer.ok());
  FileIndexer indexer(options, directory->granularity());
  EXPECT_TRUE(indexer.Index({}, **writer)->outcomes.empty());
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::string> paths = {tree.Write(absl::StrCat("f", i), "x")};
    const auto indexed = indexer.Index(paths, **writer);
    ASSERT_TRUE(indexed.ok()) << indexed.status();
    EXPECT_EQ(indexed->outcomes[0], FileOutcome::kIndexed);
  }
  ASSERT_TRUE((*writer)->Publish().ok());
  EXPECT_EQ((*Snapshot::Open(*directory))->doc_count(), 200u);
}

}  // namespace file_indexer_test
}  // namespace pmdex
