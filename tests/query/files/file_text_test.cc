#include "query/files/file_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/ingest/build_options.h"
#include "query/searcher.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/compress.h"

namespace pmdex {
namespace file_text_test {

namespace fs = std::filesystem;

class FileTextTest : public IngestFixture {
 protected:
  FileTextTest() {
    UseMemoryFileSystem();
    options_.format = InputFormat::kFiles;
  }

  // Indexes the inputs as `pmdex index` does, which notes them.
  void RunNoted(const std::vector<std::string>& inputs) {
    options_.inputs = inputs;
    const auto writer = IndexWriter::Open(*directory_, OpenMode::kOverwrite, options_.settings);
    ASSERT_TRUE(writer.ok()) << writer.status();
    (*writer)->SetProperty(kFileRootsProperty, AddFileRoots("", inputs));
    const auto report = Ingest(options_, **writer, nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
  }

  // The text of the document with this path, as it is now.
  std::string TextOf(const std::string& path) const {
    const auto snapshot = Snapshot::Open(*directory_);
    if (!snapshot.ok()) return snapshot.status().ToString();
    FileText files(**snapshot);
    for (size_t i = 0; i < (*snapshot)->segments().size(); ++i) {
      const Segment& segment = *(*snapshot)->segments()[i];
      for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
        if (*segment.doc_id(doc) != path) continue;
        const auto text = files.Read(i, doc);
        return text.ok() ? *text : text.status().ToString();
      }
    }
    return "no such document";
  }

  // The modification time of `from` for `to`.
  static void CopyTime(const struct stat& from, const std::string& to) {
    const timespec times[2] = {from.st_atim, from.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, to.c_str(), times, 0), 0);
  }
};

TEST_F(FileTextTest, ReadsWhatIsStillAsItWasIndexed) {
  const std::string plain = Write("t/a/plain", "some text");
  const std::string marked = Write("t/marked", "\xef\xbb\xbfwith a mark");
  const std::string invalid = Write("t/invalid", "caf\xe9 au lait");
  const std::string empty = Write("t/empty", "");
  const std::string single = Write("single", "one file");
  RunNoted({Path("t/"), single});
  EXPECT_EQ(TextOf(plain), "some text");
  EXPECT_EQ(TextOf(marked), "with a mark");
  EXPECT_EQ(TextOf(invalid), "caf\xef\xbf\xbd au lait");
  EXPECT_EQ(TextOf(empty), "");
  EXPECT_EQ(TextOf(single), "one file");
}

TEST_F(FileTextTest, FindsRelativePathsWhereTheyWereIndexed) {
  Write("one/src/a", "first text");
  Write("two/src/a", "other text");
  const fs::path here = fs::current_path();
  fs::current_path(Path("two"));
  options_.inputs = {"src/"};
  const auto writer = IndexWriter::Open(*directory_, OpenMode::kOverwrite, options_.settings);
  ASSERT_TRUE(writer.ok()) << writer.status();
  (*writer)->SetProperty(kFileRootsProperty, AddFileRoots("", options_.inputs));
  const std::string one = AddInputDirectory("", Path("one"), options_.inputs);
  (*writer)->SetProperty(kInputDirectoriesProperty, AddWorkingDirectory(one, options_.inputs));
  const auto report = Ingest(options_, **writer, nullptr);
  fs::current_path(here);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(TextOf("src/a"), "other text") << "of two files it is the one that was indexed";
  fs::rename(Path("two"), Path("moved"));
  EXPECT_EQ(TextOf("src/a"), "");
  fs::current_path(Path("moved"));
  EXPECT_EQ(TextOf("src/a"), "other text");
  fs::current_path(here);
}

TEST_F(FileTextTest, ReadsNothingThatHasChanged) {
  const std::string longer = Write("t/longer", "text");
  const std::string rewritten = Write("t/rewritten", "text");
  const std::string replaced = Write("t/replaced", "text");
  const std::string gone = Write("t/gone", "text");
  const std::string pipe = Write("t/pipe", "text");
  struct stat before;
  ASSERT_EQ(stat(replaced.c_str(), &before), 0);
  RunNoted({Path("t")});
  Write("t/longer", "text and more");
  Write("t/rewritten", "next");
  struct stat later = before;
  later.st_mtim.tv_sec += 10;
  CopyTime(later, rewritten);
  fs::remove(replaced);
  Write("t/other", "text");  // holds the inode, should it be given again
  Write("t/replaced", "next");
  CopyTime(before, replaced);
  fs::remove(gone);
  fs::remove(pipe);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {longer, rewritten, replaced, gone, pipe}) {
    EXPECT_EQ(TextOf(path), "") << path;
  }
}

TEST_F(FileTextTest, FollowsNoLinkBelowTheRoot) {
  const std::string file = Write("t/d/file", "secret text");
  const std::string other = Write("t/other", "other text");
  fs::create_symlink(Path("t"), Path("root"));
  RunNoted({Path("t"), Path("root/d")});
  // The same file, by way of links.
  fs::rename(Path("t/d"), Path("moved"));
  fs::create_symlink(Path("moved"), Path("t/d"));
  fs::rename(other, Path("elsewhere"));
  fs::create_symlink(Path("elsewhere"), other);
  EXPECT_EQ(TextOf(file), "");
  EXPECT_EQ(TextOf(other), "");
  fs::remove(Path("t/d"));
  fs::rename(Path("moved"), Path("t/d"));
  EXPECT_EQ(TextOf(file), "secret text");
  EXPECT_EQ(TextOf(Path("root/d/file")), "secret text") << "the way to the root may be a link";
}

TEST_F(FileTextTest, ReadsCompressedFilesAsWhatTheyHold) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "word" + std::to_string(i) + " ";
  for (const Compression compression : kAllCompressions) {
    const std::string path =
        Write("t/file." + EndingOf(compression),
              Compress(compression, text, 1) + Compress(compression, "end", 1));
    RunNoted({Path("t")});
    EXPECT_TRUE(TextOf(path) == text + "end") << ToString(compression);
    const std::string cut = Compress(compression, text, 1);
    const std::string damaged =
        Write("t/cut." + EndingOf(compression), cut.substr(0, cut.size() / 2));
    const std::string none = Write("t/none." + EndingOf(compression), "not compressed");
    RunNoted({Path("t")});
    EXPECT_TRUE(text.starts_with(TextOf(damaged))) << ToString(compression);
    EXPECT_EQ(TextOf(none), "not compressed") << ToString(compression);
  }
}

TEST_F(FileTextTest, ReadsTheBeginningOfLargeFiles) {
  options_.memory_bytes = uint64_t{1} << 30;
  std::string text(FileText::kMaxBytes + 5000, 'x');
  for (size_t i = 0; i < text.size(); i += 8) text[i] = ' ';
  const std::string large = Write("t/large", "a " + text);
  const std::string packed = Write("t/packed.gz", Compress(Compression::kGzip, text, 1));
  RunNoted({Path("t")});
  EXPECT_EQ(TextOf(large).size(), FileText::kMaxBytes);
  EXPECT_EQ(TextOf(packed).size(), FileText::kMaxBytes);
}

TEST_F(FileTextTest, OtherDocumentsHaveNone) {
  options_.attributes = true;
  const std::string binary = Write("t/binary", std::string("a\0b", 3));
  fs::create_symlink("binary", Path("t/link"));
  RunNoted({Path("t")});
  EXPECT_EQ(TextOf(binary), "");
  EXPECT_EQ(TextOf(Path("t")), "");
  EXPECT_EQ(TextOf(Path("t/link")), "");
  EXPECT_TRUE(FileText::IsIn(**Snapshot::Open(*directory_)));
  options_.attributes = false;
  options_.format = InputFormat::kJsonl;
  RunNoted({Write("a.jsonl", "{\"id\": \"1\", \"path\": \"p\", \"inode\": 7}\n")});
  EXPECT_EQ(TextOf("1"), "");
  EXPECT_FALSE(FileText::IsIn(**Snapshot::Open(*directory_)));
}

TEST_F(FileTextTest, SnippetsComeFromFiles) {
  Write("t/a", "The dogs were running home.");
  Write("t/b", "A dog that has changed.");
  options_.settings.analyzer = AnalyzerKind::kEnglish;
  RunNoted({Path("t")});
  Write("t/b", "A cat that has changed since.");
  const Searcher searcher(*Snapshot::Open(*directory_));
  SearchOptions options;
  options.snippets = true;
  const auto result = searcher.Search("dog running", options);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->hits.size(), 2u);
  EXPECT_EQ(result->snippets[0],
            "The \x01"
            "dogs\x02 were \x01running\x02 home.");
  EXPECT_EQ(result->snippets[1], "");
}

}  // namespace file_text_test
}  // namespace pmdex
