// Files that change while they are read. What the walk saw is only a hint: a reader takes what is
// there when it reads, once, up to the end that it meets; a file that is gone or was replaced by
// something that is no file is reported. No outcome depends on time here: the file is changed
// between the walk and the reader, and (as procfs does) a file says another size than it has.
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/reading/block_reader.h"
#include "engine/ingest/reading/file_reader.h"
#include "engine/ingest/reading/tree_walk.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace changing_file_test {

namespace fs = std::filesystem;

constexpr size_t kBlockBytes = 64 << 10;

class ChangingFile : public IngestFixture {
 protected:
  ChangingFile() : context_({.memory = Plan()}) {}

  static MemoryPlan Plan() {
    MemoryPlan plan;
    plan.block_bytes = kBlockBytes;
    plan.block_count = 64;
    plan.document_limit_bytes = 1 << 20;
    plan.json_limit_bytes = 1 << 20;
    return plan;
  }

  // What the walk of the test's directory hands over; it holds one file.
  InputFile Walk(InputFormat format) {
    IngestOptions options;
    options.inputs = {root_};
    options.format = format;
    std::vector<InputFile> files;
    const absl::Status walked = WalkInputs(options, context_.walk_problems, [&](InputFile file) {
      files.push_back(std::move(file));
      return true;
    });
    EXPECT_TRUE(walked.ok()) << walked;
    EXPECT_EQ(files.size(), 1u);
    return files.at(0);
  }

  // All text that reaches the indexers.
  std::string Read(const InputFile& file) {
    if (file.format == InputFormat::kFiles) {
      FileReader reader(context_, work_);
      EXPECT_TRUE(reader.Read(file) && reader.Finish());
    } else {
      EXPECT_TRUE(BlockReader(context_, work_).Read(file));
    }
    context_.blocks.Close();
    done_ = work_.Take();
    std::string text;
    while (const auto block = context_.blocks.Pop()) {
      done_.Add(std::move((*block)->origin));
      if (file.format != InputFormat::kFiles) text += (*block)->text();
      for (const FileRecord& record : (*block)->files) {
        text.append((*block)->bytes + record.text_begin, record.text_bytes);
      }
    }
    return text;
  }

  // Reads lines in a thread of its own; the queue is closed at the end.
  std::thread StartReading(InputFile file) {
    return std::thread([this, file = std::move(file)] {
      EXPECT_TRUE(BlockReader(context_, work_).Read(file));
      context_.blocks.Close();
    });
  }

  static std::string NumberedLines(size_t size_bytes) {
    std::string lines;
    for (int line = 0; lines.size() < size_bytes; ++line) lines += std::to_string(line) + "\n";
    return lines;
  }

  uint64_t Count(ProblemKind kind) {
    const auto found = done_.problems.find(kind);
    return found == done_.problems.end() ? 0 : found->second.count;
  }

  IngestContext context_;
  ReaderWork work_;
  DoneWork done_;  // what Read met
};

class ChangingFileOf : public ChangingFile, public testing::WithParamInterface<InputFormat> {};

TEST_P(ChangingFileOf, ThatGrewIsReadToItsNewEnd) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  const std::string grown(3 * kBlockBytes, 'n');
  Write("f", "old\n" + grown);
  EXPECT_EQ(Read(file), "old\n" + grown);
  EXPECT_TRUE(done_.problems.empty());
  EXPECT_EQ(done_.bytes_in, 4 + grown.size());
}

TEST_P(ChangingFileOf, ThatShrankIsReadToItsNewEnd) {
  Write("f", std::string(3 * kBlockBytes, 'o'));
  const InputFile file = Walk(GetParam());
  Write("f", "new\n");
  EXPECT_EQ(Read(file), "new\n");
  EXPECT_TRUE(done_.problems.empty());
}

TEST_P(ChangingFileOf, ThatWasReplacedIsReadAsWhatItIsNow) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  Write("other", "another file\n");
  fs::rename(Path("other"), Path("f"));
  EXPECT_EQ(Read(file), "another file\n");
  EXPECT_TRUE(done_.problems.empty());
}

TEST_P(ChangingFileOf, ThatIsGoneIsReported) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  fs::remove(Path("f"));
  EXPECT_EQ(Read(file), "");
  EXPECT_EQ(Count(ProblemKind::kVanishedFile), 1u);
}

TEST_P(ChangingFileOf, ThatBecameALinkIsNotFollowed) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  Write("secret", "elsewhere\n");
  fs::remove(Path("f"));
  fs::create_symlink(Path("secret"), Path("f"));
  EXPECT_EQ(Read(file), "");
  EXPECT_EQ(Count(ProblemKind::kVanishedFile), 1u);
}

TEST_P(ChangingFileOf, ThatBecameAPipeIsNotWaitedFor) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  fs::remove(Path("f"));
  ASSERT_EQ(mkfifo(Path("f").c_str(), 0600), 0);
  EXPECT_EQ(Read(file), "");
  EXPECT_EQ(Count(ProblemKind::kSpecialFile), 1u);
}

TEST_P(ChangingFileOf, ThatBecameADirectoryIsReported) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  fs::remove(Path("f"));
  fs::create_directory(Path("f"));
  EXPECT_EQ(Read(file), "");
  EXPECT_EQ(Count(ProblemKind::kSpecialFile), 1u);
}

TEST_P(ChangingFileOf, ThatBecameBinaryIsReported) {
  Write("f", "old\n");
  const InputFile file = Walk(GetParam());
  Write("f", std::string("now\0binary", 10));
  EXPECT_EQ(Read(file), "");
  EXPECT_EQ(Count(ProblemKind::kBinaryFile), 1u);
}

INSTANTIATE_TEST_SUITE_P(Format, ChangingFileOf,
                         testing::Values(InputFormat::kFiles, InputFormat::kLines),
                         [](const auto& format) { return std::string(ToString(format.param)); });

// A file of procfs says zero bytes and has some: to a reader it looks like one that grew after it
// was opened. This one has a line for each mapping of the test.
class FileThatGrew : public ChangingFile {
 protected:
  static constexpr size_t kMappings = 3000;

  FileThatGrew() {
    // Every second page readable: neighbours do not become one mapping.
    pages_ = static_cast<char*>(
        mmap(nullptr, kMappings * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (size_t page = 0; page < kMappings; page += 2) {
      EXPECT_EQ(mprotect(pages_ + page * kPage, kPage, PROT_READ), 0);
    }
    file_.path = "/proc/self/maps";
    file_.format = InputFormat::kFiles;
    struct stat facts;
    EXPECT_EQ(stat(file_.path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_size, 0);
  }
  ~FileThatGrew() override { munmap(pages_, kMappings * kPage); }

  static constexpr size_t kPage = 4096;
  char* pages_;
  InputFile file_;
};

TEST_F(FileThatGrew, IsReadToItsEndAndNotToTheSizeItHad) {
  const std::string text = Read(file_);
  EXPECT_GT(text.size(), 2 * kBlockBytes);
  EXPECT_GE(std::count(text.begin(), text.end(), '\n'), static_cast<int64_t>(kMappings));
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_TRUE(done_.problems.empty());
}

// It grows between two reads of one run: the reader holds a full pool of blocks, the writer
// appends, and the reader goes on. Every line comes once.
TEST_F(ChangingFile, ThatGrowsBetweenTwoReadsGivesEveryLineOnce) {
  const std::string expected = NumberedLines(70 * kBlockBytes);
  Write("f", expected);
  std::thread reader = StartReading(Walk(InputFormat::kLines));
  // The pool has fewer blocks than the file takes: until the first is given back here, the reader
  // cannot have come to the end.
  std::string text((*context_.blocks.Pop())->text());
  BlockPtr held = *context_.blocks.Pop();
  const std::string appended = "appended\n";
  std::ofstream(Path("f"), std::ios::binary | std::ios::app) << appended;
  text += held->text();
  held.reset();
  while (const auto block = context_.blocks.Pop()) text += (*block)->text();
  reader.join();
  EXPECT_EQ(text.size(), expected.size() + appended.size());
  EXPECT_TRUE(text == expected + appended);
}

// The same, but it is cut: the reader meets the new end, in the middle of a line or not.
TEST_F(ChangingFile, ThatShrinksBetweenTwoReadsEndsWhereItNowEnds) {
  const std::string expected = NumberedLines(70 * kBlockBytes);
  Write("f", expected);
  std::thread reader = StartReading(Walk(InputFormat::kLines));
  BlockPtr held = *context_.blocks.Pop();
  std::string text(held->text());
  const size_t kept = 68 * kBlockBytes + 3;  // more than the pool holds
  ASSERT_EQ(truncate(Path("f").c_str(), static_cast<off_t>(kept)), 0);
  held.reset();
  while (const auto block = context_.blocks.Pop()) text += (*block)->text();
  reader.join();
  EXPECT_EQ(text.size(), kept);
  EXPECT_TRUE(text == expected.substr(0, kept));
}

}  // namespace changing_file_test
}  // namespace pmdex
