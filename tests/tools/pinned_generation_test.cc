// Readers in other processes keep the generation that they opened while writers delete, update and
// overwrite: their answers stay, the files that they map are gone from the directory, and the space
// of these files is free when the last reader lets go, also when it was killed.
//
// The space is that of a tmpfs of its own, which needs the right to mount (root). Elsewhere the
// test only looks at what the readers map.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "pmem/check.h"
#include "tests/support/live_documents.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace pinned_generation_test {

using Arguments = std::vector<std::string>;

// All that a snapshot holds, as one number: the ids and texts of its live documents.
uint64_t AnswerOf(const Snapshot& snapshot) {
  const auto live = ReadLiveDocuments(snapshot);
  if (!live.ok()) return 0;
  uint64_t answer = live->size();
  for (const auto& [id, text] : *live) {
    answer = answer * 1'000'003 + std::hash<std::string>()(id + "\n" + text);
  }
  return answer;
}

// A process that opens the newest generation and answers from it until it is told to end.
class ReaderProcess {
 public:
  explicit ReaderProcess(const std::string& store) {
    int questions[2];
    int answers[2];
    PMDEX_CHECK(pipe2(questions, O_CLOEXEC) == 0 && pipe2(answers, O_CLOEXEC) == 0);
    child_ = fork();
    PMDEX_CHECK(child_ >= 0);
    if (child_ == 0) {
      close(questions[1]);
      close(answers[0]);
      Serve(store, questions[0], answers[1]);
    }
    close(questions[0]);
    close(answers[1]);
    ask_ = questions[1];
    answer_ = answers[0];
  }
  ~ReaderProcess() {
    if (child_ > 0) End();
  }

  uint64_t Ask() {
    uint64_t answer = 0;
    EXPECT_EQ(write(ask_, "?", 1), 1);
    EXPECT_EQ(read(answer_, &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
    return answer;
  }
  // The mappings of files of the store that have no name any more.
  size_t UnlinkedMappings(const std::string& store) const {
    std::ifstream maps("/proc/" + std::to_string(child_) + "/maps");
    size_t count = 0;
    for (std::string line; std::getline(maps, line);) {
      if (line.find(store) != line.npos && line.ends_with(" (deleted)")) ++count;
    }
    return count;
  }
  // Other readers have inherited the pipe, so that closing it would tell the process nothing.
  void End() {
    EXPECT_EQ(write(ask_, "q", 1), 1);
    close(ask_);
    Reap();
  }
  void Kill() {
    PMDEX_CHECK(kill(child_, SIGKILL) == 0);
    close(ask_);
    Reap();
  }

 private:
  [[noreturn]] static void Serve(const std::string& store, int questions, int answers) {
    const auto directory = OpenFileDirectory(store, {});
    if (!directory.ok()) _exit(1);
    const auto snapshot = Snapshot::Open(**directory);
    if (!snapshot.ok()) _exit(2);
    char question = 0;
    while (read(questions, &question, 1) == 1 && question == '?') {
      const uint64_t answer = AnswerOf(**snapshot);
      if (write(answers, &answer, sizeof answer) != sizeof answer) _exit(3);
    }
    _exit(0);
  }
  void Reap() {
    int status = 0;
    PMDEX_CHECK(waitpid(child_, &status, 0) == child_);
    close(answer_);
    child_ = 0;
  }

  pid_t child_ = 0;
  int ask_ = -1;
  int answer_ = -1;
};

class PinnedGeneration : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(Medium());
    has_own_medium_ = unshare(CLONE_NEWNS) == 0 &&
                      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, "") == 0 &&
                      mount("tmpfs", Medium().c_str(), "tmpfs", 0, "size=256m") == 0;
    Run({"index", WriteInput("first", 3000), "--store", "on"});
  }
  void TearDown() override { EXPECT_TRUE(!has_own_medium_ || umount(Medium().c_str()) == 0); }
  std::string Medium() const { return directory_ / "medium"; }
  std::string Store() const { return Medium() + "/store"; }
  void Run(Arguments arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    arguments.insert(arguments.end(), {"--index", Store(), "--quiet"});
    const ProgramResult result = RunProgram(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  std::string WriteInput(const std::string& word, int documents) {
    std::string lines;
    for (int i = 0; i < documents; ++i) {
      lines += R"({"id": ")" + std::to_string(i) + R"(", "t": ")" + word;
      for (int words = 0; words < 20; ++words) lines += " " + std::to_string(random_() % 50'000);
      lines += "\"}\n";
    }
    return directory_.Write(word + ".jsonl", lines);
  }
  // In blocks of the file system.
  uint64_t UsedSpace() const {
    struct statvfs space = {};
    EXPECT_EQ(statvfs(Medium().c_str(), &space), 0);
    return space.f_blocks - space.f_bfree;
  }
  // The space of the files that have names.
  uint64_t SpaceOfFiles() const {
    uint64_t blocks = 0;
    for (const auto& entry : std::filesystem::directory_iterator(Store())) {
      blocks += (entry.file_size() + 4095) / 4096;
    }
    return blocks;
  }

  const TemporaryDirectory directory_;
  std::mt19937 random_{1};
  bool has_own_medium_ = false;
};

TEST_F(PinnedGeneration, IsAnsweredFromAndReclaimedWhenTheLastReaderLetsGo) {
  ReaderProcess first(Store());
  ReaderProcess killed(Store());
  const uint64_t of_first = first.Ask();
  ASSERT_NE(of_first, 0u);
  EXPECT_EQ(killed.Ask(), of_first);
  Run({"delete", "0", "1", "2"});
  ReaderProcess second(Store());
  const uint64_t of_second = second.Ask();
  EXPECT_NE(of_second, of_first);
  Run({"index", WriteInput("second", 2000), "--append", "--update"});
  ReaderProcess third(Store());
  const uint64_t of_third = third.Ask();
  EXPECT_NE(of_third, of_second);
  Run({"index", WriteInput("third", 100), "--overwrite"});
  EXPECT_EQ(first.Ask(), of_first);
  EXPECT_EQ(killed.Ask(), of_first);
  EXPECT_EQ(second.Ask(), of_second);
  EXPECT_EQ(third.Ask(), of_third);
  EXPECT_GT(first.UnlinkedMappings(Store()), 0u);
  const uint64_t with_readers = UsedSpace();
  third.End();
  const uint64_t without_third = UsedSpace();
  second.End();
  first.End();
  EXPECT_EQ(killed.Ask(), of_first) << "one reader is enough";
  const uint64_t with_one = UsedSpace();
  killed.Kill();
  if (!has_own_medium_) return;
  EXPECT_LT(without_third, with_readers) << "the segment that the update wrote";
  EXPECT_LE(with_one, without_third);
  EXPECT_LT(UsedSpace(), with_one) << "the segment of the first generation";
  // The directory itself takes some blocks.
  EXPECT_LE(UsedSpace(), SpaceOfFiles() + 16);
}

}  // namespace pinned_generation_test
}  // namespace pmdex
