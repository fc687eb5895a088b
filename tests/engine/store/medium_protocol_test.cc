// Checks the calls of the publish protocol to the kernel and libpmem2, for every store granularity,
// and that mistakes in pmem/ are detected. publish_protocol_test.cc and protocol_mutant_test.cc do
// the same with the calls of Directory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "engine/store/index_writer.h"
#include "tests/engine/store/store_test_support.h"
#include "tests/support/medium_spy.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace medium_protocol_test {

using Steps = std::vector<std::string>;

// Names are relative to the parent of the parent of the store, which the run makes.
const std::string kStore = "made/store";

void Append(Steps& steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

Steps StepsOfFile(const std::string& name, bool is_segment, StoreGranularity granularity) {
  const bool page = granularity == StoreGranularity::kPage;
  const std::string path = kStore + "/" + name;
  const std::string temporary = path + ".tmp";
  Steps steps = {"create " + temporary, "allocate " + temporary};
  if (page) {  // the fsync makes everything durable
    steps.push_back("write " + temporary);
  } else {
    if (is_segment) Append(steps, {"copy " + temporary, "drain"});
    Append(steps, {"flush " + temporary, "drain"});
  }
  steps.insert(steps.end(),
               {"truncate " + temporary, "fsync " + temporary, "rename " + temporary + " " + path});
  return steps;
}

// Of a new store of two segments.
Steps StepsOfNewStore(StoreGranularity granularity) {
  Steps steps = {"mkdir made", "fsync .", "mkdir " + kStore, "fsync made",
                 "create " + kStore + "/write.lock"};
  Append(steps, StepsOfFile(SegmentFileName(1), true, granularity));
  Append(steps, StepsOfFile(SegmentFileName(2), true, granularity));
  steps.push_back("fsync " + kStore);
  Append(steps, StepsOfFile(ManifestFileName(1), false, granularity));
  steps.push_back("fsync " + kStore);
  return steps;
}

Steps StepsOfOverwriting(StoreGranularity granularity) {
  Steps steps = {"fsync " + kStore};
  Append(steps, StepsOfFile(SegmentFileName(3), true, granularity));
  steps.push_back("fsync " + kStore);
  Append(steps, StepsOfFile(ManifestFileName(2), false, granularity));
  steps.push_back("fsync " + kStore);
  for (const std::string& name : {ManifestFileName(1), SegmentFileName(1), SegmentFileName(2)}) {
    steps.push_back("remove " + kStore + "/" + name);
  }
  return steps;
}

class MediumTest : public testing::Test {
 protected:
  void TearDown() override { unsetenv("PMEM2_FORCE_GRANULARITY"); }

  // PAGE is what an ordinary file has; libpmem2 is made to give the others.
  static void Force(StoreGranularity granularity) {
    if (granularity == StoreGranularity::kPage) {
      unsetenv("PMEM2_FORCE_GRANULARITY");
    } else {
      setenv("PMEM2_FORCE_GRANULARITY", std::string(ToString(granularity)).c_str(), 1);
    }
  }

  void MakeNewStore() const {
    auto directory = OpenFileDirectory(root_ / kStore, {.create = true});
    ASSERT_TRUE(directory.ok()) << directory.status();
    BuildStore(**directory, OpenMode::kCreate, {{{"a", "x"}}, {{"b", "y"}}});
  }

  const TemporaryDirectory root_;
};

class MediumProtocol : public MediumTest, public testing::WithParamInterface<StoreGranularity> {
 protected:
  void SetUp() override { Force(GetParam()); }
};

TEST_P(MediumProtocol, TakesTheStepsOfTheFormatDocument) {
  MediumSpy spy(root_.path());
  MakeNewStore();
  EXPECT_EQ(spy.Take(), StepsOfNewStore(GetParam()));
  spy.shadow().Acknowledge();
  BuildStore(**OpenFileDirectory(root_ / kStore, {}), OpenMode::kOverwrite, {{{"c", "z"}}});
  EXPECT_EQ(spy.Take(), StepsOfOverwriting(GetParam()));
  spy.shadow().Acknowledge();
  EXPECT_THAT(spy.shadow().violations(), testing::IsEmpty());
}

TEST_P(MediumProtocol, LosesNoCheckpointThatItAcknowledged) {
  MediumSpy spy(root_.path());
  auto directory = OpenFileDirectory(root_ / kStore, {.create = true});
  ASSERT_TRUE(directory.ok()) << directory.status();
  auto writer = IndexWriter::Open(**directory, OpenMode::kCreate, TestSettings());
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE((*writer)->StartBuild("options").ok());
  spy.shadow().Acknowledge();
  const auto input = MakeInput({{"a", "x"}});
  const auto info = (*writer)->WriteSegment(*input);
  ASSERT_TRUE(info.ok()) << info.status();
  const std::vector<uint64_t> ids = {1};
  spy.Take();
  ASSERT_TRUE((*writer)->Checkpoint(ids, {}).ok());
  Steps expected = {"fsync " + kStore};
  Append(expected, StepsOfFile(ManifestFileName(2), false, GetParam()));
  Append(expected, {"fsync " + kStore, "remove " + kStore + "/" + ManifestFileName(1)});
  EXPECT_EQ(spy.Take(), expected);
  ASSERT_TRUE((*writer)->Publish().ok());
  spy.shadow().Acknowledge();
  EXPECT_THAT(spy.shadow().violations(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Granularities, MediumProtocol,
                         testing::Values(StoreGranularity::kPage, StoreGranularity::kCacheLine,
                                         StoreGranularity::kByte),
                         [](const auto& at) { return std::string(ToString(at.param)); });

// A mistake in pmem/ on one medium, and whether a power cut can lose something because of it. If
// not, only the recorded calls show the mistake.
struct Mistake {
  MediumMutation mutation;
  StoreGranularity granularity;
  bool loses;
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << ToString(mistake.mutation) << " on " << ToString(mistake.granularity);
}

constexpr auto kPage = StoreGranularity::kPage;
constexpr auto kLine = StoreGranularity::kCacheLine;
constexpr auto kByte = StoreGranularity::kByte;

// BYTE: cached stores are durable without a flush; stores past the caches need a drain.
// PAGE: the fsync of the file writes all bytes back, and a drain makes no call. All kinds of stores
// reach the page cache, and libpmem2 is not used.
constexpr Mistake kMistakes[] = {
    {MediumMutation::kNoFsyncOfFiles, kPage, true},
    {MediumMutation::kNoFsyncOfFiles, kLine, true},
    {MediumMutation::kNoFsyncOfFiles, kByte, true},
    {MediumMutation::kNoFsyncOfTheDirectory, kPage, true},
    {MediumMutation::kNoFsyncOfTheDirectory, kLine, true},
    {MediumMutation::kNoFsyncOfTheDirectory, kByte, true},
    {MediumMutation::kNoFsyncOfParents, kPage, true},
    {MediumMutation::kNoFsyncOfParents, kLine, true},
    {MediumMutation::kNoFsyncOfParents, kByte, true},
    {MediumMutation::kNoFlush, kLine, true},
    {MediumMutation::kNoFlush, kByte, false},
    {MediumMutation::kCachedCopies, kLine, true},
    {MediumMutation::kCachedCopies, kByte, false},
    {MediumMutation::kNoDrain, kLine, true},
    {MediumMutation::kNoDrain, kByte, true},
    {MediumMutation::kRenameBeforeFsync, kPage, true},
    {MediumMutation::kRenameBeforeFsync, kLine, true},
    {MediumMutation::kRenameBeforeFsync, kByte, true},
    {MediumMutation::kNoAllocation, kPage, false},
    {MediumMutation::kNoAllocation, kLine, false},
    {MediumMutation::kNoAllocation, kByte, false},
};

class MediumMutant : public MediumTest, public testing::WithParamInterface<Mistake> {};

TEST_P(MediumMutant, IsCaught) {
  Force(GetParam().granularity);
  MediumSpy spy(root_.path(), GetParam().mutation);
  MakeNewStore();
  EXPECT_NE(spy.Take(), StepsOfNewStore(GetParam().granularity));
  spy.shadow().Acknowledge();
  const auto& violations = spy.shadow().violations();
  EXPECT_EQ(!violations.empty(), GetParam().loses) << testing::PrintToString(violations);
}

INSTANTIATE_TEST_SUITE_P(Mistakes, MediumMutant, testing::ValuesIn(kMistakes),
                         [](const auto& mistake) {
                           return std::string(ToString(mistake.param.mutation)) + "On" +
                                  std::string(ToString(mistake.param.granularity));
                         });

}  // namespace medium_protocol_test
}  // namespace pmdex
