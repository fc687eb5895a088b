// A program with a live index that is killed at random moments. Each commit of the program replaces
// all documents, so what it leaves must be whole: all documents of one round.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>

#include "engine/live/live_index.h"
#include "tests/support/effort.h"
#include "tests/support/live_documents.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace live_kill_test {

constexpr int kDocuments = 12;

std::unique_ptr<Directory> OpenPath(const std::string& path) {
  FileDirectoryOptions opening;
  opening.create = true;
  auto directory = OpenFileDirectory(path, opening);
  EXPECT_TRUE(directory.ok()) << directory.status();
  return directory.ok() ? *std::move(directory) : nullptr;
}

std::string WordOf(uint64_t round) {
  return "r" + std::to_string(1'000'000 + round);
}

// The program: replaces all documents, deletes one and adds it again, and commits. It writes a byte
// for each round that is durable.
[[noreturn]] void RunRounds(const std::string& path, uint64_t round, int acknowledge) {
  const auto directory = OpenPath(path);
  LiveOptions options;
  options.create = true;
  options.settings = IndexSettings{AnalyzerKind::kWhitespace, true, true};
  const auto index = LiveIndex::Open(*directory, options);
  if (!index.ok()) _exit(1);
  for (;; ++round) {
    for (int i = 0; i < kDocuments; ++i) {
      const std::string id = "d" + std::to_string(i);
      if (i == 3 && !(*index)->Delete(id).ok()) _exit(2);
      if (!(*index)->Put({id, {{"body", WordOf(round)}}, ""}).ok()) _exit(3);
    }
    if (round % 3 == 0 && !(*index)->TakeSnapshot().ok()) _exit(4);
    if (!(*index)->Commit().ok() || write(acknowledge, "x", 1) != 1) _exit(5);
  }
}

// Lets the program make so many rounds durable and some steps more, and kills it. Returns how many
// it said were durable.
uint64_t RunAndKill(const std::string& path, uint64_t round, uint64_t rounds, uint64_t spin) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    RunRounds(path, round, ends[1]);
  }
  close(ends[1]);
  char byte = 0;
  uint64_t durable = 0;
  while (durable < rounds && read(ends[0], &byte, 1) == 1) ++durable;
  for (std::atomic<uint64_t> i = 0; i < spin; ++i) {
  }
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
  while (read(ends[0], &byte, 1) == 1) ++durable;
  close(ends[0]);
  return durable;
}

TEST(LiveKill, LeavesWholeRoundsWheneverItComes) {
  std::string path = testing::TempDir() + "pmdex_live_kill_XXXXXX";
  ASSERT_NE(mkdtemp(path.data()), nullptr);
  SeededRandom random(28);
  uint64_t round = 0;  // the next one
  for (int kills = 0; kills < (kIsSanitized ? 5 : 25); ++kills) {
    const uint64_t first = round;
    round += RunAndKill(path, round, 1 + random.Below(4), random.Below(3'000'000));
    const auto directory = OpenPath(path);
    const auto documents = ReadLiveDocuments(*directory);
    ASSERT_TRUE(documents.ok()) << documents.status();
    ASSERT_EQ(documents->size(), static_cast<size_t>(kDocuments));
    const std::string text = documents->at("d0");
    for (const auto& [id, other] : *documents) ASSERT_EQ(other, text) << id;
    // A commit may be durable of which the program could not tell any more.
    const bool is_next = text.find(WordOf(round)) != std::string::npos;
    ASSERT_TRUE(is_next || text.find(WordOf(round - 1)) != std::string::npos)
        << text << " after rounds " << first << " to " << round;
    if (is_next) ++round;
  }
  std::filesystem::remove_all(path);
}

}  // namespace live_kill_test
}  // namespace pmdex
