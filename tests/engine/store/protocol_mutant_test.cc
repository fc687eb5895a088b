// Checks that the crash tests detect mistakes. Each mutant of the publish protocol must fail them
// on every medium that needs the step which the mutant leaves out.
#include "tests/support/protocol_mutant.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "tests/support/crash_explorer.h"
#include "tests/support/effort.h"
#include "tests/support/store_workload.h"

namespace pmdex {
namespace protocol_mutant_test {

struct Expectation {
  ProtocolMutation mutation;
  // Caught on each medium. Where not, the mutation is harmless, and no crash may tell otherwise.
  bool adr;
  bool eadr;
  bool page;
};

void PrintTo(const Expectation& expectation, std::ostream* out) {
  *out << ToString(expectation.mutation);
}

// eADR: cached stores are durable at the next system call. Headers and manifests, which are stored,
// need neither flush nor drain; sections, which are copied past the caches, need a drain.
// PAGE: the fsync in Seal writes all bytes back, so flushes and drains are not needed.
constexpr Expectation kExpectations[] = {
    // The drain after the header makes the sections durable, too, and no manifest lists the segment
    // before. The first drain only ensures that a header never is durable before its sections.
    {ProtocolMutation::kNoDrainBetweenDataAndHeader, false, false, false},
    {ProtocolMutation::kNoDrainOfSegments, true, true, false},
    {ProtocolMutation::kNoDrainOfManifests, true, false, false},
    {ProtocolMutation::kUnflushedTailOfSegmentHeaders, true, false, false},
    {ProtocolMutation::kUnflushedTailOfManifests, true, false, false},
    {ProtocolMutation::kUnflushedSegmentHeaders, true, false, false},
    {ProtocolMutation::kUnflushedManifests, true, false, false},
    {ProtocolMutation::kNoSyncOfSegmentFiles, true, true, true},
    {ProtocolMutation::kNoSyncOfManifestFiles, true, true, true},
    {ProtocolMutation::kNothingOfSegmentsPersisted, true, true, true},
    // Matters only on a file system that does not keep the order of changes of names. A journal
    // with the name of the manifest also has the names of its segments.
    {ProtocolMutation::kNoDirectorySyncBeforeManifest, true, true, true},
    {ProtocolMutation::kNoDirectorySyncAfterManifest, true, true, true},
    {ProtocolMutation::kNoDirectorySync, true, true, true},
    // The index and its places are different directories, so no journal has the names of both.
    {ProtocolMutation::kNoSyncOfPlaces, true, true, true},
    {ProtocolMutation::kManifestBeforeSegments, true, true, true},
    // No manifest lists the segment. But a file with its name may have a torn header, and recovery
    // does not remove such files.
    {ProtocolMutation::kSegmentsRenamedBeforeSeal, true, true, true},
    {ProtocolMutation::kManifestsRenamedBeforeSeal, true, true, true},
    // Stored and flushed as manifests are.
    {ProtocolMutation::kNoDrainOfLiveDocs, true, false, false},
    {ProtocolMutation::kUnflushedLiveDocs, true, false, false},
    {ProtocolMutation::kNoSyncOfLiveDocsFiles, true, true, true},
    {ProtocolMutation::kManifestBeforeLiveDocs, true, true, true},
    // As with segments.
    {ProtocolMutation::kLiveDocsRenamedBeforeSeal, true, true, true},
    {ProtocolMutation::kOldLiveDocsRemovedBeforeManifest, true, true, true},
    // Stored and flushed as manifests are.
    {ProtocolMutation::kNoDrainOfKnownFiles, true, false, false},
    {ProtocolMutation::kUnflushedKnownFiles, true, false, false},
    {ProtocolMutation::kNoSyncOfKnownFiles, true, true, true},
    {ProtocolMutation::kManifestBeforeKnownFiles, true, true, true},
    {ProtocolMutation::kKnownFilesRenamedBeforeSeal, true, true, true},
    {ProtocolMutation::kOldKnownFilesRemovedBeforeManifest, true, true, true},
    {ProtocolMutation::kConvertedSegmentsRemovedBeforeSync, true, true, true},
    {ProtocolMutation::kOldManifestRemovedBeforeRename, true, true, true},
    {ProtocolMutation::kOldManifestRemovedBeforeSync, true, true, true},
    {ProtocolMutation::kSyncErrorsIgnored, true, true, true},
};

class ProtocolMutantTest : public testing::TestWithParam<Expectation> {
 protected:
  CrashReport Explore(PersistenceMode mode, DirectoryOrder order) const {
    CrashExplorer explorer(*workload_, {.medium = {mode, order},
                                        .mutation = GetParam().mutation,
                                        .stop_at_first = true,
                                        .known_states = known_states_});
    // Only a program that runs on without power can overlook an error.
    const bool in_runs = GetParam().mutation == ProtocolMutation::kSyncErrorsIgnored;
    return in_runs ? explorer.ExploreRuns() : explorer.Explore();
  }
  void Expect(PersistenceMode mode, bool caught) const {
    CrashReport report = Explore(mode, DirectoryOrder::kUnordered);
    if (!caught) report.Add(Explore(mode, DirectoryOrder::kJournaled));
    EXPECT_EQ(report.bad_states > 0, caught) << ToString(MediumOptions{mode}) << " after "
                                             << report.states << " states. " << report.first_bad;
    EXPECT_TRUE(caught || report.distinct_states > 1000);
  }

  // The mutants leave many states that others leave, too.
  static void SetUpTestSuite() {
    workload_ = new StoreWorkload(1);
    known_states_ = new KnownStates;
  }
  static void TearDownTestSuite() {
    delete known_states_;
    delete workload_;
  }

  static const StoreWorkload* workload_;
  static KnownStates* known_states_;
};

const StoreWorkload* ProtocolMutantTest::workload_ = nullptr;
KnownStates* ProtocolMutantTest::known_states_ = nullptr;

// Minutes with a sanitizer, and all code that runs here runs in the crash tests, too.
TEST_P(ProtocolMutantTest, IsCaughtWhereItMatters) {
  if (kIsSanitized) GTEST_SKIP() << "the other builds look for mutants";
  Expect(PersistenceMode::kAdr, GetParam().adr);
  Expect(PersistenceMode::kEadr, GetParam().eadr);
  Expect(PersistenceMode::kPage, GetParam().page);
}

INSTANTIATE_TEST_SUITE_P(Mutants, ProtocolMutantTest, testing::ValuesIn(kExpectations),
                         [](const auto& mutant) {
                           return std::string(ToString(mutant.param.mutation));
                         });

TEST(ProtocolMutant, AJournalHidesAMissingSyncBeforeTheManifest) {
  if (kIsSanitized) GTEST_SKIP() << "the other builds look for mutants";
  const StoreWorkload workload(1);
  CrashExplorer explorer(workload, {.medium = {.order = DirectoryOrder::kJournaled},
                                    .mutation = ProtocolMutation::kNoDirectorySyncBeforeManifest});
  const CrashReport report = explorer.Explore();
  EXPECT_EQ(report.bad_states, 0u) << report.first_bad;
}

}  // namespace protocol_mutant_test
}  // namespace pmdex
