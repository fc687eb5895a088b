#include "engine/ingest/moved_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/ingest/file_indexer.h"
#include "engine/segment/verify/verifier.h"
#include "engine/store/snapshot.h"
#include "tests/support/column_texts.h"
#include "tests/support/compress.h"
#include "tests/support/run_program.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {
namespace moved_documents_test {

namespace fs = std::filesystem;

FileFacts FactsAt(const std::string& path) {
  const EntryFacts facts = LookAtEntry(path).entry.facts;
  return {facts.size_bytes, facts.mtime_ns, facts.inode, facts.device, facts.ctime_ns};
}

// An index of files, of which the test moves some.
class MovedDocuments : public testing::Test {
 protected:
  MovedDocuments() {
    options_.memory_bytes = uint64_t{32} << 20;
    options_.settings.store_text = true;
    options_.format = InputFormat::kFiles;
  }

  void Index(Directory& store, const std::vector<std::string>& paths, OpenMode mode) {
    auto writer = IndexWriter::Open(store, mode, options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    FileIndexer indexer(options_, store.granularity());
    ASSERT_TRUE(indexer.Index(paths, **writer).ok());
    ASSERT_TRUE((*writer)->Publish().ok());
  }
  std::vector<bool> Move(Directory& store, const std::vector<MovedFile>& files) {
    auto writer = IndexWriter::Open(store, OpenMode::kAppend, options_.settings);
    EXPECT_TRUE(writer.ok()) << writer.status();
    FileIndexer indexer(options_, store.granularity());
    const auto moved = indexer.Move(files, **writer);
    EXPECT_TRUE(moved.ok()) << moved.status();
    EXPECT_TRUE((*writer)->Publish().ok());
    return moved.ok() ? *moved : std::vector<bool>();
  }
  static std::shared_ptr<const Segment> SegmentOf(const Directory& store, size_t index) {
    const auto snapshot = Snapshot::Open(store);
    return (*snapshot)->segments()[index];
  }

  const TemporaryDirectory tree_;
  IngestOptions options_;
};

std::string RandomText(std::mt19937& random) {
  std::string text;
  for (uint32_t words = random() % 300; words > 0; --words) {
    absl::StrAppend(&text, "w", random() % 1000, random() % 7 == 0 ? "\n" : " ");
  }
  return text;
}

// Reading a file changes its time of access.
std::map<std::string, std::string> AttributesOf(const Segment& segment, DocId doc) {
  std::map<std::string, std::string> texts = ColumnTexts(segment, doc);
  texts.erase("atime");
  return texts;
}

// Postings, positions, lengths, ids and texts are, byte for byte, those of an indexer that reads
// the files at their new paths, for few documents of many as for most of them.
TEST_F(MovedDocuments, AreThoseOfReadingTheFilesAtTheirNewPaths) {
  std::mt19937 random(1);
  for (const int every : {2, 100}) {
    std::vector<std::string> before;
    std::vector<std::string> after;
    std::vector<MovedFile> files;
    for (int i = 0; i < 300; ++i) {
      const std::string name = absl::StrCat("to-", every, "/old/f", i, i % 9 == 0 ? ".gz" : ".c");
      const std::string text = RandomText(random);
      before.push_back(tree_.Write(name, i % 9 == 0 ? Compress(Compression::kGzip, text) : text));
    }
    const auto moving = NewDramDirectory("moving");
    const auto reading = NewDramDirectory("reading");
    Index(*moving, before, OpenMode::kCreate);
    Index(*reading, before, OpenMode::kCreate);
    fs::create_directories(tree_ / absl::StrCat("to-", every, "/new"));
    for (size_t i = 0; i < before.size(); i += static_cast<size_t>(every)) {
      after.push_back(tree_ /
                      absl::StrCat("to-", every, "/new/a", 1000 + i, i % 9 == 0 ? ".gz" : ""));
      fs::rename(before[i], after.back());
      files.push_back(
          {after.back(), FactsAt(after.back()), {SegmentOf(*moving, 0), static_cast<DocId>(i)}});
    }
    EXPECT_EQ(Move(*moving, files), std::vector<bool>(files.size(), true));
    Index(*reading, after, OpenMode::kAppend);
    const auto moved = SegmentOf(*moving, 1);
    const auto read = SegmentOf(*reading, 1);
    for (const SectionEntry& entry : read->view().sections()) {
      if (entry.kind == SectionKind::kNumericColumns || entry.kind == SectionKind::kStoredChunks ||
          entry.kind == SectionKind::kStoredBytes || entry.kind == SectionKind::kPageChecksums) {
        continue;
      }
      EXPECT_TRUE(std::ranges::equal(moved->view().RawSection(entry.kind),
                                     read->view().RawSection(entry.kind)))
          << ToString(entry.kind);
    }
    ASSERT_EQ(moved->doc_count(), files.size());
    for (DocId doc = 0; doc < moved->doc_count(); ++doc) {
      EXPECT_EQ(moved->StoredText(doc)->at(0).text, read->StoredText(doc)->at(0).text);
      EXPECT_EQ(AttributesOf(*moved, doc), AttributesOf(*read, doc));
    }
    EXPECT_TRUE(VerifySegment(*moved).empty());
  }
}

TEST_F(MovedDocuments, StayWhatTheyAreWhereSomethingElseIsAtThePath) {
  const std::string a = tree_.Write("a", "one");
  const auto store = NewDramDirectory("store");
  Index(*store, {a}, OpenMode::kCreate);
  const DocumentPlace place = {SegmentOf(*store, 0), 0};
  const FileFacts facts = FactsAt(a);
  const std::string b = tree_.Write("b", "two");
  const std::string c = tree_ / "c";
  fs::create_symlink("a", c);
  EXPECT_EQ(Move(*store, {{b, facts, place}, {c, facts, place}, {tree_ / "none", facts, place}}),
            std::vector<bool>(3, false));
  EXPECT_EQ(Snapshot::Open(*store).value()->segments().size(), 1u);
}

// After somebody had looked at the file `a`, another one took its path and was read.
TEST_F(MovedDocuments, AreReadWhereTheTextIsThatOfAnotherFile) {
  const std::string a = tree_.Write("a", "one");
  const std::string b = tree_ / "b";
  fs::rename(a, b);
  tree_.Write("a", "two");
  fs::last_write_time(a, fs::last_write_time(b));
  const auto store = NewDramDirectory("store");
  Index(*store, {a}, OpenMode::kCreate);
  EXPECT_EQ(Move(*store, {{b, FactsAt(b), {SegmentOf(*store, 0), 0}}}), std::vector<bool>{false});
  // The same file, but read before it was written again.
  fs::last_write_time(a, fs::last_write_time(a) + std::chrono::seconds(1));
  EXPECT_EQ(Move(*store, {{a, FactsAt(a), {SegmentOf(*store, 0), 0}}}), std::vector<bool>{false});
}

// A document of an index in which a path is text has words of its old path.
TEST_F(MovedDocuments, AreReadWhereTheIndexHasAnAttributeAsText) {
  const std::string a = tree_.Write("a", "one");
  const auto store = NewDramDirectory("store");
  {
    auto writer = IndexWriter::Open(*store, OpenMode::kCreate, options_.settings);
    ASSERT_TRUE(writer.ok());
    (*writer)->SetFields({{"name", FieldSpec()}});
    ASSERT_TRUE((*writer)->Publish().ok());
  }
  Index(*store, {a}, OpenMode::kAppend);
  const std::string b = tree_ / "b";
  fs::rename(a, b);
  EXPECT_EQ(Move(*store, {{b, FactsAt(b), {SegmentOf(*store, 0), 0}}}), std::vector<bool>{false});
}

TEST_F(MovedDocuments, OfADamagedSegmentAreReadAndLeaveNothing) {
  std::mt19937 random(2);
  std::vector<std::string> paths;
  for (int i = 0; i < 50; ++i)
    paths.push_back(tree_.Write(absl::StrCat("f", i), RandomText(random)));
  const auto store = NewDramDirectory("store");
  Index(*store, paths, OpenMode::kCreate);
  const auto sound = SegmentOf(*store, 0);
  for (const SectionKind kind : {SectionKind::kPostings, SectionKind::kPositions,
                                 SectionKind::kTermBlocks, SectionKind::kStoredBytes}) {
    SegmentBytes damaged(*sound);
    const auto section = damaged.section(kind);
    for (size_t at = 0; at < section.size(); at += 64) section[at] ^= std::byte{4};
    const MovedFile file = {paths[7], FactsAt(paths[7]), {damaged.Open().value(), 7}};
    EXPECT_EQ(Move(*store, {file}), std::vector<bool>{false}) << ToString(kind);
    EXPECT_EQ(Snapshot::Open(*store).value()->segments().size(), 1u);
  }
}

}  // namespace moved_documents_test
}  // namespace pmdex
