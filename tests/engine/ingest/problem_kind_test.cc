#include "engine/ingest/problem_kind.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pmdex {
namespace problem_kind_test {

TEST(ProblemKind, EveryKindHasWordsOfItsOwn) {
  std::set<std::string> words;
  for (const ProblemKind kind : kAllProblemKinds) {
    EXPECT_NE(ToString(kind), "unknown problem");
    EXPECT_TRUE(words.emplace(ToString(kind)).second) << ToString(kind);
  }
}

TEST(ProblemKind, TheListNamesEveryKindInOrder) {
  int number = 0;
  for (const ProblemKind kind : kAllProblemKinds) EXPECT_EQ(static_cast<int>(kind), number++);
  EXPECT_EQ(ToString(static_cast<ProblemKind>(number)), "unknown problem");
}

TEST(ProblemKind, OnlySomeKindsLoseTheDocument) {
  const std::set<ProblemKind> indexed = {
      ProblemKind::kMissingId,          ProblemKind::kInvalidUtf8, ProblemKind::kTooManyFields,
      ProblemKind::kDamagedCompression, ProblemKind::kBadValue,    ProblemKind::kKeptWithoutText};
  for (const ProblemKind kind : kAllProblemKinds) {
    EXPECT_EQ(pmdex::IsSkipped(kind), !indexed.contains(kind)) << ToString(kind);
  }
}

}  // namespace problem_kind_test
}  // namespace pmdex
