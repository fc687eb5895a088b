#include "engine/ingest/problem_log.h"

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

#include "engine/ingest/problem_kind.h"

namespace pmdex {
namespace problem_log_test {

TEST(ProblemLog, KeepsTheFirstPlacesAndCountsAll) {
  ProblemLog log;
  for (int i = 0; i < 10; ++i) log.Add(ProblemKind::kBinaryFile, std::to_string(i), "why");
  log.Add(ProblemKind::kMissingId, "a:1", "");
  const auto problems = log.problems();
  EXPECT_EQ(problems.at(ProblemKind::kBinaryFile).count, 10u);
  EXPECT_EQ(problems.at(ProblemKind::kBinaryFile).first_places,
            (std::vector<std::string>{"0: why", "1: why", "2: why"}));
  EXPECT_EQ(problems.at(ProblemKind::kMissingId).first_places, std::vector<std::string>{"a:1"});
}

TEST(ProblemLog, CountsFromSeveralThreads) {
  ProblemLog log;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int n = 0; n < 1000; ++n) log.Add(ProblemKind::kInvalidJson, "a", "");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(log.problems().at(ProblemKind::kInvalidJson).count, 4000u);
}

TEST(ProblemKind, HasAWordForEachAndTellsLostDocumentsFromOthers) {
  std::set<std::string_view> words;
  int indexed = 0;
  for (const ProblemKind kind : kAllProblemKinds) {
    words.insert(ToString(kind));
    indexed += pmdex::IsSkipped(kind) ? 0 : 1;
  }
  EXPECT_EQ(words.size(), std::size(kAllProblemKinds));
  EXPECT_EQ(indexed, 6);
  EXPECT_FALSE(pmdex::IsSkipped(ProblemKind::kMissingId));
}

}  // namespace problem_log_test
}  // namespace pmdex
