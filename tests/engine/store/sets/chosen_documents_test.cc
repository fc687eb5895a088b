#include "engine/store/sets/chosen_documents.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/store/sets/sets_test_support.h"

namespace pmdex {
namespace chosen_documents_test {

using Ids = std::vector<std::string>;

Ids Filtered(const Ids& ids, const std::set<std::string>& others, bool keeps_found) {
  Ids kept;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(kept),
               [&](const std::string& id) { return others.contains(id) == keeps_found; });
  return kept;
}

TEST(ChosenDocuments, AreThoseOfSetsOfIds) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    SetsTestIndex a(random, 60);
    SetsTestIndex b(random, 60);
    const Ids ids_a = a.LiveIds();
    const Ids ids_b = b.LiveIds();
    const std::set<std::string> set_a(ids_a.begin(), ids_a.end());
    const std::set<std::string> set_b(ids_b.begin(), ids_b.end());
    const auto chosen = [&](SetOperation operation) {
      return IdsOf(ChooseDocuments(operation, a.snapshot(), b.snapshot()).value());
    };
    Ids expected = ids_a;
    for (const std::string& id : Filtered(ids_b, set_a, false)) expected.push_back(id);
    EXPECT_EQ(chosen(SetOperation::kUnion), expected);
    EXPECT_EQ(chosen(SetOperation::kIntersection), Filtered(ids_a, set_b, true));
    EXPECT_EQ(chosen(SetOperation::kDifference), Filtered(ids_a, set_b, false));
  }
}

TEST(ChosenDocuments, AreDividedIntoRunsOfAlmostEqualLengths) {
  std::mt19937 random(2);
  const SetsTestIndex index(random, 100);
  const Ids ids = index.LiveIds();
  for (const uint64_t parts : {1u, 2u, 3u, 7u, 200u}) {
    const auto divided = DivideDocuments(index.snapshot(), parts).value();
    ASSERT_EQ(divided.size(), parts);
    Ids all;
    for (const ChosenDocuments& part : divided) {
      const Ids own = IdsOf(part);
      EXPECT_GE(own.size(), ids.size() / parts);
      EXPECT_LE(own.size(), ids.size() / parts + 1);
      all.insert(all.end(), own.begin(), own.end());
    }
    EXPECT_EQ(all, ids);
  }
}

TEST(ChosenDocuments, AreRefusedIfSettingsDiffer) {
  const auto with = Snapshot::Of({AnalyzerKind::kWhitespace, true, false}, {});
  const auto without = Snapshot::Of({AnalyzerKind::kWhitespace, false, false}, {});
  const auto chosen = ChooseDocuments(SetOperation::kUnion, *with, *without);
  EXPECT_TRUE(absl::IsFailedPrecondition(chosen.status())) << chosen.status();
}

TEST(ChosenDocuments, AreRefusedIfASegmentIsMissing) {
  const auto directory = NewDramDirectory("store");
  BuildStore(*directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "x"}}});
  ASSERT_TRUE(directory->Remove(SegmentFileName(1)).ok());
  const auto damaged = Snapshot::Open(*directory).value();
  const auto empty = Snapshot::Of(TestSettings(), {});
  EXPECT_TRUE(
      absl::IsDataLoss(ChooseDocuments(SetOperation::kDifference, *empty, *damaged).status()));
  EXPECT_TRUE(absl::IsDataLoss(DivideDocuments(*damaged, 2).status()));
}

}  // namespace chosen_documents_test
}  // namespace pmdex
