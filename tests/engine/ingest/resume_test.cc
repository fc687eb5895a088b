// A build that dies at any point and is taken up again, as often as it takes, ends in the index
// that a run in one piece makes: document for document, and in what it reports.
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>

#include "engine/ingest/build_options.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/problem_kind.h"
#include "tests/engine/ingest/ingest_fixture.h"
#include "tests/support/compress.h"
#include "tests/support/failing_directory.h"

namespace pmdex {
namespace resume_test {

std::string Words(std::mt19937& random, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += "w" + std::to_string(random() % 3000) + " ";
  return text;
}

class ResumeTest : public IngestFixture {
 protected:
  ResumeTest() {
    UseMemoryFileSystem();
    options_.memory_bytes = 1 << 20;  // blocks of 64 KiB
    options_.settings.store_text = true;
    options_.checkpoint_interval = std::chrono::milliseconds(0);
  }

  // What the index says of each document that is not deleted, in index order.
  static std::vector<std::string> Documents(const Directory& directory) {
    std::vector<std::string> documents;
    const auto snapshot = Snapshot::Open(directory);
    if (!snapshot.ok()) return {snapshot.status().ToString()};
    for (size_t i = 0; i < (*snapshot)->segments().size(); ++i) {
      const auto& segment = (*snapshot)->segments()[i];
      for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
        if (!IsLive((*snapshot)->live_docs(i), doc)) continue;
        std::string text(*segment->doc_id(doc));
        const auto stored = segment->StoredText(doc);
        EXPECT_TRUE(stored.ok()) << stored.status();
        for (const StoredValue& value : *stored) text += "\n" + std::string(value.text);
        documents.push_back(std::move(text));
      }
    }
    return documents;
  }

  static std::string Totals(const IngestReport& report) {
    std::string text = EncodeBuildTotals(report);
    text.resize(text.rfind(','));  // how many segments depends on the crashes
    for (const auto& [kind, summary] : report.problems) {
      text += ", " + std::string(ToString(kind)) + " " + std::to_string(summary.count);
    }
    return text + ", repeated " + std::to_string(report.repeated_ids);
  }

  // Runs until it succeeds; each run but the last is cut off after some changes to the directory.
  IngestReport RunWithCrashes(Directory& directory, std::mt19937& random,
                              const std::function<int64_t()>& next_crash) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      if (random_threads_) {
        options_.indexer_threads = 1 + static_cast<int>(random() % 4);
        options_.reader_threads = 1 + static_cast<int>(random() % 3);
      }
      if (before_run_) before_run_();
      FailingDirectory failing(directory, next_crash());
      auto writer = IndexWriter::OpenToResume(failing, OpenMode::kCreate, DescribeBuild(options_),
                                              options_.settings);
      if (!writer.ok()) {
        EXPECT_TRUE(absl::IsResourceExhausted(writer.status())) << writer.status();
        continue;
      }
      if ((*writer)->is_built()) return ReportOfFinishedBuild((*writer)->published());
      const auto report = Ingest(options_, **writer, nullptr);
      if (report.ok()) {
        resumed_ += report->resumed_documents;
        return *report;
      }
      EXPECT_TRUE(absl::IsResourceExhausted(report.status())) << report.status();
    }
    ADD_FAILURE() << "no end";
    return {};
  }

  struct Result {
    std::vector<std::string> documents;
    std::string totals;
    int64_t changes = 0;
  };
  Result RunInOnePiece() {
    const auto directory = NewDramDirectory("whole");
    FailingDirectory counting(*directory, 1 << 30);
    auto writer = IndexWriter::Open(counting, OpenMode::kCreate, options_.settings);
    EXPECT_TRUE(writer.ok()) << writer.status();
    if (before_run_) before_run_();
    const auto report = Ingest(options_, **writer, nullptr);
    EXPECT_TRUE(report.ok()) << report.status();
    return {Documents(*directory), Totals(*report), counting.changes_made()};
  }

  // At random points, with random numbers of threads.
  void ExpectSameAfterRandomCrashes(uint32_t seed, int rounds) {
    std::mt19937 random(seed);
    options_.indexer_threads = options_.reader_threads = 1;
    Result whole = RunInOnePiece();
    ASSERT_GT(whole.changes, 20) << "too little to be interrupted";
    std::sort(whole.documents.begin(), whole.documents.end());
    random_threads_ = true;
    for (int round = 0; round < rounds; ++round) {
      const auto directory = NewDramDirectory("pieces");
      int64_t most = 2 + static_cast<int64_t>(random() % 40);
      const IngestReport report = RunWithCrashes(*directory, random, [&] {
        most += 3;  // so that it ends
        return static_cast<int64_t>(random() % static_cast<uint64_t>(most));
      });
      auto documents = Documents(*directory);
      std::sort(documents.begin(), documents.end());
      ASSERT_TRUE(documents == whole.documents) << Difference(documents, whole.documents);
      if (!report.problems.empty()) {
        ASSERT_EQ(Totals(report), whole.totals);
      }
    }
    EXPECT_GT(resumed_, 0u) << "nothing was ever taken up";
    random_threads_ = false;
  }

  // One crash at each point in turn, with one thread of each kind: the same order too.
  void ExpectSameAfterACrashAnywhere() {
    std::mt19937 random(1);
    options_.indexer_threads = options_.reader_threads = 1;
    const Result whole = RunInOnePiece();
    for (int64_t at = 0; at < whole.changes; ++at) {
      const auto directory = NewDramDirectory("pieces");
      int64_t crash = at;
      RunWithCrashes(*directory, random, [&] { return std::exchange(crash, 1 << 30); });
      const auto documents = Documents(*directory);
      ASSERT_TRUE(documents == whole.documents)
          << "after " << at << " changes: " << Difference(documents, whole.documents);
    }
  }

  static std::string Difference(const std::vector<std::string>& have,
                                const std::vector<std::string>& want) {
    const auto [a, b] = std::mismatch(have.begin(), have.end(), want.begin(), want.end());
    return std::to_string(have.size()) + " documents of " + std::to_string(want.size()) +
           ", first difference: " + (a == have.end() ? "end" : a->substr(0, 100)) + " instead of " +
           (b == want.end() ? "end" : b->substr(0, 100));
  }

  std::function<void()> before_run_;
  bool random_threads_ = false;
  uint64_t resumed_ = 0;
};

class ResumeFilesTest : public ResumeTest {
 protected:
  void WriteTree(int files, size_t most_words) {
    std::mt19937 random(2);
    for (int i = 0; i < files; ++i) {
      const std::string folder =
          "tree/" + std::string(random() % 2, 'd') + "." + std::to_string(random() % 5) + "/";
      const std::string text = Words(random, random() % most_words);
      Write(folder + std::to_string(i), random() % 9 == 0 ? text + std::string(1, '\0') : text);
    }
    options_.inputs = {Path("tree"), Write("tree.txt", "caf\xe9"), Path("tree/.0")};
    mkfifo(Path("tree/fifo").c_str(), 0600);
  }
};

TEST_F(ResumeFilesTest, EndsInTheSameIndexAfterRandomCrashes) {
  WriteTree(400, 700);
  ExpectSameAfterRandomCrashes(1, 6);
}

TEST_F(ResumeFilesTest, EndsInTheSameIndexAfterACrashAnywhere) {
  WriteTree(100, 500);
  ExpectSameAfterACrashAnywhere();
}

TEST_F(ResumeFilesTest, EndsInTheSameIndexAfterACrashAnywhereInABuildThatPublishesParts) {
  WriteTree(100, 500);
  options_.publish_bytes = 1;
  ExpectSameAfterACrashAnywhere();
}

class ResumeLinesTest : public ResumeTest {
 protected:
  void WriteLogs(int files, uint32_t most_lines) {
    std::mt19937 random(3);
    options_.format = InputFormat::kLines;
    for (int i = 0; i < files; ++i) {
      std::string text = i % 2 == 0 ? "\xef\xbb\xbf" : "";
      for (uint32_t lines = random() % most_lines; lines > 0; --lines) {
        const uint32_t kind = random() % 100;
        text += kind < 5 ? "" : kind < 8 ? std::string(90000, 'x') : Words(random, random() % 200);
        text += random() % 4 == 0 ? "\r\n" : "\n";
        if (kind == 98) text += std::string((1 << 20) + 70000, 'y') + "\n";  // too long
      }
      if (random() % 2 == 0) text += "the last line";
      if (i % 5 == 4) text = std::string(10, '\0') + text;
      options_.inputs.push_back(
          Write("log" + std::to_string(i % 7) + "/" + std::to_string(i), text));
    }
    Write("walked/binary", std::string(100, '\0'));
    options_.inputs.push_back(Path("walked"));
  }
};

TEST_F(ResumeLinesTest, EndsInTheSameIndexAfterRandomCrashes) {
  WriteLogs(9, 150);
  ExpectSameAfterRandomCrashes(4, 6);
}

TEST_F(ResumeLinesTest, EndsInTheSameIndexAfterACrashAnywhere) {
  WriteLogs(3, 60);
  ExpectSameAfterACrashAnywhere();
}

class ResumeJsonTest : public ResumeTest {
 protected:
  void WriteJson() {
    std::mt19937 random(5);
    options_.format = InputFormat::kJsonl;
    for (int i = 0; i < 5; ++i) {
      std::string text;
      for (int line = 0; line < 400; ++line) {
        const uint32_t kind = random() % 20;
        if (kind == 0) text += "not json\n";
        if (kind == 1) text += "\n";
        text += kind == 2 ? "{" : "{\"id\": \"" + std::to_string(random() % 1500) + "\", ";
        text += "\"t\": \"" + Words(random, random() % 150) + "\"}\n";
      }
      options_.inputs.push_back(Write(std::to_string(i), text));
    }
  }
};

TEST_F(ResumeJsonTest, EndsInTheSameIndexAfterRandomCrashes) {
  WriteJson();
  ExpectSameAfterRandomCrashes(6, 5);
}

TEST_F(ResumeJsonTest, EndsInTheSameIndexWhenReadersSeeItsParts) {
  WriteJson();
  options_.publish_interval = std::chrono::milliseconds(1);
  ExpectSameAfterRandomCrashes(17, 5);
}

TEST_F(ResumeJsonTest, EndsInTheSameIndexWhenReadersSeeHowDocumentsAreReplaced) {
  WriteJson();
  options_.update = true;
  std::vector<std::string> at_the_end = RunInOnePiece().documents;
  options_.publish_interval = std::chrono::milliseconds(1);
  std::vector<std::string> in_parts = RunInOnePiece().documents;
  std::sort(at_the_end.begin(), at_the_end.end());
  std::sort(in_parts.begin(), in_parts.end());
  ASSERT_TRUE(in_parts == at_the_end) << Difference(in_parts, at_the_end);
  ExpectSameAfterRandomCrashes(19, 5);
}

TEST_F(ResumeTest, EndsInTheSameIndexOfTrecDocuments) {
  std::mt19937 random(7);
  options_.format = InputFormat::kTrec;
  for (int i = 0; i < 4; ++i) {
    std::string text;
    for (int n = 0; n < 300; ++n) {
      const uint32_t kind = random() % 25;
      if (kind == 0) text += "stray text\n";
      text += "<DOC>\n";
      if (kind != 1) text += "<DOCNO> D" + std::to_string(i * 1000 + n) + " </DOCNO>\n";
      text += Words(random, random() % 200);
      if (kind != 2) text += "</DOC>\n";
    }
    options_.inputs.push_back(Write(std::to_string(i), text));
  }
  ExpectSameAfterRandomCrashes(8, 5);
}

TEST_F(ResumeTest, EndsInTheSameIndexOfCompressedLogs) {
  std::mt19937 random(15);
  options_.format = InputFormat::kLines;
  for (const Compression compression : kAllCompressions) {
    std::string bytes;
    for (int stream = 0; stream < 3; ++stream) {
      std::string text;
      for (int line = 0; line < 250; ++line) text += Words(random, random() % 60) + "\n";
      bytes += Compress(compression, text, 1);
    }
    if (compression == Compression::kGzip) bytes.resize(bytes.size() - 100);
    options_.inputs.push_back(Write("log." + EndingOf(compression), bytes));
  }
  options_.memory_bytes = uint64_t{96} << 20;
  options_.block_bytes = 64 << 10;
  ExpectSameAfterRandomCrashes(16, 2);
}

TEST_F(ResumeTest, FlushesOfFullMemtablesInsideABlockLoseNothing) {
  std::mt19937 random(9);
  options_.format = InputFormat::kLines;
  options_.checkpoint_interval = std::chrono::hours(1);
  std::string text;
  for (int line = 0; line < 4000; ++line) {
    for (int word = 0; word < 30; ++word) text += std::to_string(random()) + " ";
    text += "\n";
  }
  options_.inputs = {Write("a", text)};
  ExpectSameAfterRandomCrashes(10, 4);
}

TEST_F(ResumeTest, ReadsStandardInputAgainAndLeavesOutWhatIsDone) {
  std::mt19937 random(11);
  options_.format = InputFormat::kLines;
  std::string text;
  for (int line = 0; line < 2500; ++line) text += Words(random, random() % 100) + "\n";
  const std::string path = Write("stdin", text);
  const int saved = dup(STDIN_FILENO);
  before_run_ = [&] {
    ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
    ASSERT_EQ(fileno(stdin), STDIN_FILENO);
  };
  options_.inputs = {"-"};
  ExpectSameAfterRandomCrashes(12, 6);
  ASSERT_EQ(dup2(saved, STDIN_FILENO), STDIN_FILENO);
  close(saved);
}

// One run that dies after its second checkpoint of one file, then what the file has become is
// taken up.
class ResumeChangedTest : public ResumeTest {
 protected:
  IngestReport Change(const std::function<void(const std::string&)>& change) {
    options_.format = InputFormat::kLines;
    std::mt19937 random(13);
    std::string text;
    for (int line = 0; line < 2000; ++line) text += Words(random, 40) + "\n";
    const std::string path = Write("log", text);
    options_.inputs = {path};
    int64_t crash = 25;
    FailingDirectory failing(*directory_, crash);
    {
      auto writer = IndexWriter::Open(failing, OpenMode::kCreate, options_.settings);
      EXPECT_FALSE(Ingest(options_, **writer, nullptr).ok());
    }
    change(path);
    auto writer = IndexWriter::OpenToResume(*directory_, OpenMode::kCreate, DescribeBuild(options_),
                                            options_.settings);
    EXPECT_TRUE(writer.ok()) << writer.status();
    const auto report = Ingest(options_, **writer, nullptr);
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_GT(report->resumed_documents, 0u);
    return *report;
  }
};

TEST_F(ResumeChangedTest, AFileThatIsShorterThanWhatWasReadIsReportedAndLeftOut) {
  const IngestReport report =
      Change([](const std::string& path) { ASSERT_EQ(truncate(path.c_str(), 1000), 0); });
  EXPECT_EQ(CountOf(report, ProblemKind::kFileChanged), 1u);
  EXPECT_EQ(report.documents, report.resumed_documents);
}

TEST_F(ResumeChangedTest, LinesThatWereAppendedGoOnCounting) {
  const IngestReport report = Change(
      [](const std::string& path) { std::ofstream(path, std::ios::app) << "one more needle\n"; });
  EXPECT_EQ(report.documents, 2001u);
  EXPECT_EQ(Find("body", "needle"), std::vector<std::string>{Path("log") + ":2001"});
}

TEST_F(ResumeChangedTest, AFileThatIsGoneIsLeftOut) {
  const IngestReport report = Change([](const std::string& path) {
    std::filesystem::remove(path);
    std::filesystem::create_directories(path);  // the input can still be opened
  });
  EXPECT_EQ(report.documents, report.resumed_documents);
}

TEST_F(ResumeTest, RefusesAWriterWithAnotherBuild) {
  options_.inputs = {Write("a", "x")};
  auto writer = IndexWriter::Open(*directory_, OpenMode::kCreate, options_.settings);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->StartBuild("something else").ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(Ingest(options_, **writer, nullptr).status()));
}

TEST_F(ResumeTest, IdsThatCameBeforeInAnEarlierRunAreCounted) {
  options_.format = InputFormat::kJsonl;
  std::string text;
  for (int i = 0; i < 4000; ++i) {
    text += "{\"id\": \"" + std::to_string(i % 2000) + "\", \"t\": \"some words to fill it\"}\n";
  }
  options_.inputs = {Write("a", text)};
  std::mt19937 random(1);
  int64_t crash = 20;
  const IngestReport report =
      RunWithCrashes(*directory_, random, [&] { return std::exchange(crash, 1 << 30); });
  EXPECT_GT(report.resumed_documents, 0u);
  EXPECT_EQ(report.repeated_ids, 2000u);
}

}  // namespace resume_test
}  // namespace pmdex
