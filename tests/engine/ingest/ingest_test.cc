
#include <fcntl.h>

#include <algorithm>
#include <random>
#include <set>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/problem_kind.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/permission_scope.h"

namespace pmdex {
namespace ingest_test {

using Strings = std::vector<std::string>;

TEST_F(IngestFixture, WalksADirectoryInTheOrderOfNames) {
  Write("tree/b.txt", "beta words");
  Write("tree/a/deep/x.txt", "alpha words");
  Write("tree/.hidden", "hidden words");
  Write("tree/a.txt", "plain");
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(report.documents, 4u);
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(Ids(), (Strings{Path("tree/.hidden"), Path("tree/a/deep/x.txt"), Path("tree/a.txt"),
                            Path("tree/b.txt")}));
  EXPECT_EQ(Find("body", "words"),
            (Strings{Path("tree/.hidden"), Path("tree/a/deep/x.txt"), Path("tree/b.txt")}));
  EXPECT_EQ(Find("path", "deep"), Strings()) << "an attribute is not analysed";
}

TEST_F(IngestFixture, JoinsIdsWithThePathAsGiven) {
  Write("tree/a.txt", "x");
  Run({Path("tree/")});
  EXPECT_EQ(Ids(), Strings{Path("tree/a.txt")});
}

TEST_F(IngestFixture, RefusesAnInputThatDoesNotExistBeforeItWrites) {
  Write("a.txt", "x");
  const auto report = TryRun({Path("a.txt"), Path("missing")});
  EXPECT_EQ(report.status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(Snapshot::Open(*directory_).ok());
}

TEST_F(IngestFixture, PublishesAnEmptyIndexOfAnEmptyDirectory) {
  std::filesystem::create_directories(Path("empty"));
  EXPECT_EQ(Run({Path("empty")}).documents, 0u);
  EXPECT_TRUE(Snapshot::Open(*directory_).ok());
}

TEST_F(IngestFixture, ReportsBinaryFilesAndIndexesTheOthers) {
  Write("tree/a.bin", std::string_view("ab\0cd", 5));
  Write("tree/b.txt", "text");
  Write("tree/c.txt", std::string(9000, 'x') + std::string(1, '\0'));
  Write("tree/d.txt",
        "\xff\xfe"
        "a");
  Write("tree/large.bin", std::string(3 << 20, '\0'));
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kBinaryFile), 3u);
  EXPECT_EQ(FirstPlace(report, ProblemKind::kBinaryFile), Path("tree/a.bin"));
  EXPECT_EQ(report.skipped, 3u);
  EXPECT_EQ(Ids(), (Strings{Path("tree/b.txt"), Path("tree/c.txt")}));
}

TEST_F(IngestFixture, PassesOverLinksInTheWalkAndFollowsThemAsInputs) {
  Write("tree/a.txt", "x");
  std::filesystem::create_symlink("..", Path("tree/up"));
  std::filesystem::create_symlink("a.txt", Path("tree/link.txt"));
  EXPECT_EQ(Run({Path("tree")}).documents, 1u);
  EXPECT_EQ(Run({Path("tree/link.txt")}).documents, 1u);
  EXPECT_EQ(Ids(), Strings{Path("tree/link.txt")});
  EXPECT_EQ(Run({Path("tree/up")}).documents, 1u);
  EXPECT_EQ(Ids(), Strings{Path("tree/up/tree/a.txt")});
}

TEST_F(IngestFixture, ReportsALinkLoopGivenAsInput) {
  Write("a.txt", "x");
  std::filesystem::create_symlink("two", Path("one"));
  std::filesystem::create_symlink("one", Path("two"));
  const IngestReport report = Run({Path("one"), Path("a.txt")});
  EXPECT_EQ(CountOf(report, ProblemKind::kSymlinkLoop), 1u);
  EXPECT_EQ(report.skipped, 1u);
  EXPECT_EQ(report.documents, 1u);
}

TEST_F(IngestFixture, NeverWaitsForAFifo) {
  Write("tree/a.txt", "x");
  ASSERT_EQ(mkfifo(Path("tree/pipe").c_str(), 0600), 0);
  const IngestReport report = Run({Path("tree"), Path("tree/pipe")});
  EXPECT_EQ(CountOf(report, ProblemKind::kSpecialFile), 2u);
  EXPECT_EQ(report.documents, 1u);
}

TEST_F(IngestFixture, ReportsUnreadableFiles) {
  Write("tree/a.txt", "x");
  const std::string secret = Write("tree/secret.txt", "x");
  chmod(secret.c_str(), 0);
  const PermissionScope modes_count;
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kUnreadableFile), 1u);
  EXPECT_EQ(report.documents, 1u);
}

TEST_F(IngestFixture, LeavesOutTheIndexItself) {
  Write("tree/a.txt", "x");
  Write("tree/index/segment.txt", "x");
  options_.exclude_directory = Path("tree/../tree/index");
  EXPECT_EQ(Run({Path("tree")}).documents, 1u);
}

TEST_F(IngestFixture, IndexesEmptyFilesAndStripsAByteOrderMark) {
  Write("tree/empty", "");
  Write("tree/mark",
        "\xef\xbb\xbf"
        "word");
  EXPECT_EQ(Run({Path("tree")}).documents, 2u);
  EXPECT_EQ(Find("body", "word"), Strings{Path("tree/mark")});
}

TEST_F(IngestFixture, CountsInvalidUtf8OncePerDocumentAndIndexesIt) {
  Write("tree/latin1", "caf\xe9 na\xefve words");
  Write("tree/plain", "words");
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kInvalidUtf8), 1u);
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(Find("body", "words").size(), 2u);
}

TEST_F(IngestFixture, SkipsDocumentsThatDoNotFitIntoMemory) {
  options_.memory_bytes = uint64_t{32} << 20;
  std::string text;
  while (text.size() < (10u << 20)) text += "the same words again ";
  Write("tree/large.txt", text);
  Write("tree/fits.txt", text.substr(0, 6 << 20));
  Write("tree/small.txt", "small");
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kDocumentTooLarge), 1u);
  EXPECT_NE(FirstPlace(report, ProblemKind::kDocumentTooLarge).find("--memory"), std::string::npos);
  EXPECT_EQ(Ids(), (Strings{Path("tree/fits.txt"), Path("tree/small.txt")}));
}

TEST_F(IngestFixture, SkipsADocumentOfNewWordsThatWouldTakeTheWholeMemory) {
  options_.memory_bytes = uint64_t{32} << 20;
  std::string text;
  for (int i = 0; text.size() < (4u << 20); ++i) text += std::to_string(i) + " ";
  Write("tree/a.txt", "before");
  Write("tree/b.txt", text);
  Write("tree/c.txt", "after");
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(CountOf(report, ProblemKind::kDocumentTooLarge), 1u);
  EXPECT_EQ(Ids(), (Strings{Path("tree/a.txt"), Path("tree/c.txt")}));
}

TEST_F(IngestFixture, NumbersLinesWhateverTheirEnds) {
  options_.format = InputFormat::kLines;
  const std::string path = Write("log",
                                 "\xef\xbb\xbf"
                                 "first\r\n\nthird\nlast");
  const IngestReport report = Run({path});
  EXPECT_EQ(report.documents, 3u);
  EXPECT_EQ(Ids(), (Strings{path + ":1", path + ":3", path + ":4"}));
  EXPECT_EQ(Find("body", "first"), Strings{path + ":1"});
  EXPECT_EQ(Find("body", "last"), Strings{path + ":4"});
}

TEST_F(IngestFixture, NumbersLinesRightWithSeveralThreads) {
  options_.format = InputFormat::kLines;
  options_.indexer_threads = 3;
  options_.reader_threads = 2;
  std::set<std::string> expected;
  for (const std::string name : {"a", "b", "c"}) {
    std::string text;
    for (int i = 1; i <= 60000; ++i) {
      text += "unique" + name + std::to_string(i) + " and filler words\n";
      expected.insert(Path("logs/" + name) + ":" + std::to_string(i));
    }
    Write("logs/" + name, text);
  }
  EXPECT_EQ(Run({Path("logs")}).documents, 180000u);
  const Strings ids = Ids();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()), expected);
  for (const int line : {1, 2, 29999, 59999, 60000}) {
    EXPECT_EQ(Find("body", "uniqueb" + std::to_string(line)),
              Strings{Path("logs/b") + ":" + std::to_string(line)});
  }
}

// By hand, in full size: head -c 1G /dev/zero | tr '\0' 'a' > one-line; pmdex index --format lines
// --memory 4G one-line; and with tr '\0' ' ' and --format files.
TEST_F(IngestFixture, SkipsALongLineWithBoundedMemoryAndGoesOnBehindIt) {
  options_.format = InputFormat::kLines;
  options_.memory_bytes = uint64_t{32} << 20;
  std::string text = "one\n";
  text += std::string(64 << 20, 'x') + " tail\n";
  text += "three\n" + std::string(9 << 20, 'y') + "\nfive\n";
  const std::string path = Write("log", text);
  const IngestReport report = Run({path});
  EXPECT_EQ(CountOf(report, ProblemKind::kLineTooLong), 2u);
  EXPECT_EQ(FirstPlace(report, ProblemKind::kLineTooLong).rfind(path + ":2: ", 0), 0u);
  EXPECT_EQ(report.skipped, 2u);
  EXPECT_EQ(Ids(), (Strings{path + ":1", path + ":3", path + ":5"}));
}

TEST_F(IngestFixture, IndexesALongLineThatFits) {
  options_.format = InputFormat::kLines;
  std::string line;
  while (line.size() < (6u << 20)) line += "some words over and over ";
  const std::string path = Write("log", "one\n" + line + "needle\nthree\n" + line);
  const IngestReport report = Run({path});
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(Ids(), (Strings{path + ":1", path + ":2", path + ":3", path + ":4"}));
  EXPECT_EQ(Find("body", "needle"), Strings{path + ":2"});
}

TEST_F(IngestFixture, ReportsTheLinesThatAreNotJson) {
  const std::string path = Write("a.jsonl",
                                 "{\"id\": \"a\", \"title\": \"One\"}\n"
                                 "not json\n"
                                 "\n"
                                 "[1, 2]\n"
                                 "{\"id\": 7, \"title\": \"Seven\"}\n"
                                 "{\"title\": \"nameless\"}\r\n"
                                 "{\"id\": \"b\", \"title\": \"caf\xe9 two\"}");
  const IngestReport report = Run({path});
  EXPECT_EQ(report.documents, 4u);
  EXPECT_EQ(report.skipped, 2u);
  EXPECT_EQ(CountOf(report, ProblemKind::kInvalidJson), 2u);
  EXPECT_EQ(FirstPlace(report, ProblemKind::kInvalidJson).rfind(path + ":2: ", 0), 0u);
  EXPECT_EQ(CountOf(report, ProblemKind::kMissingId), 1u);
  EXPECT_EQ(CountOf(report, ProblemKind::kInvalidUtf8), 1u);
  EXPECT_EQ(Ids(), (Strings{"a", "7", path + ":6", "b"}));
  EXPECT_EQ(Find("title", "two"), Strings{"b"});
}

TEST_F(IngestFixture, CountsIdsThatCameBefore) {
  const std::string path = Write("a.jsonl", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"a\"}\n");
  EXPECT_EQ(Run({path}).repeated_ids, 1u);
  EXPECT_EQ(Run({path}, OpenMode::kAppend).repeated_ids, 3u);
  EXPECT_EQ(Run({path}, OpenMode::kOverwrite).repeated_ids, 1u);
}

TEST_F(IngestFixture, CountsFilesAndLinesThatCameBefore) {
  Write("docs/f1.txt", "one line\n");
  Write("docs/f2.txt", "two\nlines\n");
  const std::string docs = Path("docs");
  const std::string file = Path("docs/f1.txt");
  EXPECT_EQ(Run({docs}).repeated_ids, 0u);
  EXPECT_EQ(Run({docs, file, docs}).repeated_ids, 3u);
  EXPECT_EQ(Run({docs + "/", docs}).repeated_ids, 2u);
  EXPECT_EQ(Run({docs, Path("docs/./f1.txt")}).repeated_ids, 0u) << "another spelling, another id";
  EXPECT_EQ(Run({file}).repeated_ids, 0u);
  EXPECT_EQ(Run({docs}, OpenMode::kAppend).repeated_ids, 1u);
  EXPECT_EQ(Run({docs}, OpenMode::kAppend).repeated_ids, 2u);
  options_.format = InputFormat::kLines;
  EXPECT_EQ(Run({docs}).repeated_ids, 0u);
  EXPECT_EQ(Run({docs, file}).repeated_ids, 1u);
  EXPECT_EQ(Run({docs}, OpenMode::kAppend).repeated_ids, 3u);
}

TEST_F(IngestFixture, IndexesTrecDocumentsAndReportsMalformedOnes) {
  options_.format = InputFormat::kTrec;
  const std::string path =
      Write("a.trec",
            "<DOC>\n<DOCNO> A-1 </DOCNO>\n<TEXT>fish &amp; chips</TEXT>\n</DOC>\n"
            "<doc><docno>A-2</docno><p>lower</p>\n"
            "<DOC>\n<DOCNO>A-3</DOCNO> chips\n</DOC>\n"
            "<DOC> no number </DOC>\n");
  const IngestReport report = Run({path});
  EXPECT_EQ(Ids(), (Strings{"A-1", "A-3"}));
  EXPECT_EQ(CountOf(report, ProblemKind::kMalformedTrec), 2u);
  EXPECT_EQ(Find("body", "chips"), (Strings{"A-1", "A-3"}));
  EXPECT_TRUE(Find("body", "a").empty()) << "the DOCNO is not text";
}

TEST_F(IngestFixture, ChoosesTheFormatByName) {
  const std::string json = Write("in/a.jsonl", "{\"id\": \"from-json\"}\n");
  Run({json});
  EXPECT_EQ(Ids(), Strings{"from-json"});
  Run({Path("in")});
  EXPECT_EQ(Ids(), Strings{json}) << "a directory is walked as files";
}

TEST_F(IngestFixture, TakesAHundredThousandTinyFiles) {
  constexpr int kFiles = 100000;
  UseMemoryFileSystem();
  std::filesystem::create_directories(Path("tree"));
  for (int i = 0; i < kFiles; ++i) {
    const std::string path = Path("tree/" + std::to_string(i));
    const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_GE(fd, 0);
    const std::string text = "tiny word" + std::to_string(i);
    ASSERT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
  }
  options_.indexer_threads = 2;
  const IngestReport report = Run({Path("tree")});
  EXPECT_EQ(report.documents, uint64_t{kFiles});
  EXPECT_EQ(report.skipped, 0u);
  EXPECT_EQ(Find("body", "word99999"), Strings{Path("tree/99999")});
}

TEST_F(IngestFixture, FlushesSeveralSegmentsWithinItsMemoryAndLosesNothing) {
  options_.format = InputFormat::kLines;
  options_.memory_bytes = uint64_t{32} << 20;
  std::mt19937 random(3);
  std::string text;
  uint64_t lines = 0;
  for (; text.size() < (10u << 20); ++lines) {
    for (int word = 0; word < 12; ++word) text += "w" + std::to_string(random() % 200000) + " ";
    text += "needle" + std::to_string(lines) + "\n";
  }
  const IngestReport report = Run({Write("log", text)});
  EXPECT_GT(report.segments, 1u);
  EXPECT_EQ(report.documents, lines);
  EXPECT_EQ(report.tokens, lines * 13);
  EXPECT_EQ(report.bytes_in, text.size());
  for (uint64_t line = 0; line < lines; line += lines / 7) {
    EXPECT_EQ(Find("body", "needle" + std::to_string(line)),
              Strings{Path("log") + ":" + std::to_string(line + 1)});
  }
}

TEST_F(IngestFixture, MakesTheSameIndexTwiceWithOneThread) {
  for (int i = 0; i < 300; ++i) {
    Write("tree/" + std::to_string(i % 7) + "/" + std::to_string(i), "words " + std::to_string(i));
  }
  Run({Path("tree")});
  const Strings first = Ids();
  Run({Path("tree")});
  EXPECT_EQ(first, Ids());
}

TEST(InputFormat, IsReadFromItsName) {
  for (const std::string_view name : {"auto", "files", "lines", "jsonl", "trec"}) {
    ASSERT_TRUE(ParseInputFormat(name).ok());
    EXPECT_EQ(ToString(*ParseInputFormat(name)), name);
  }
  EXPECT_EQ(ParseInputFormat("xml").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace ingest_test
}  // namespace pmdex
