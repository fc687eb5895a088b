// Whether the crash tests would notice: each mutant of the publish protocol must lose or show
// something wrong after some crash, on every medium where what it leaves out matters.
#include "tests/support/protocol_mutant.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/crash_explorer.h"
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

// eADR: cached stores are durable by the next system call, so that headers and manifests, which
// are stored, need neither flush nor drain; the sections, which are copied past the caches, do.
// PAGE: the fsync in Seal writes back everything, so that flushes and drains are not needed at all.
constexpr Expectation kExpectations[] = {
    // The drain after the header covers the sections too, and no manifest lists the segment before.
    // The one in between only makes sure that a header never stands before half-written sections.
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
    // Only on a file system that keeps changes of names in no order: a journal that has the name of
    // the manifest has those of its segments.
    {ProtocolMutation::kNoDirectorySyncBeforeManifest, true, true, true},
    {ProtocolMutation::kNoDirectorySyncAfterManifest, true, true, true},
    {ProtocolMutation::kNoDirectorySync, true, true, true},
    {ProtocolMutation::kManifestBeforeSegments, true, true, true},
    // No manifest lists the segment, but its name then stands before a header that may be torn, and
    // recovery takes such a file for somebody else's.
    {ProtocolMutation::kSegmentsRenamedBeforeSeal, true, true, true},
    {ProtocolMutation::kManifestsRenamedBeforeSeal, true, true, true},
    {ProtocolMutation::kOldManifestRemovedBeforeRename, true, true, true},
    {ProtocolMutation::kOldManifestRemovedBeforeSync, true, true, true},
    {ProtocolMutation::kSyncErrorsIgnored, true, true, true},
};

class ProtocolMutantTest : public testing::TestWithParam<Expectation> {
 protected:
  CrashReport Explore(PersistenceMode mode, DirectoryOrder order) const {
    CrashExplorer explorer(
        workload_,
        {.medium = {mode, order}, .mutation = GetParam().mutation, .stop_at_first = true});
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

  const StoreWorkload workload_{1};
};

TEST_P(ProtocolMutantTest, IsCaughtWhereItMatters) {
  Expect(PersistenceMode::kAdr, GetParam().adr);
  Expect(PersistenceMode::kEadr, GetParam().eadr);
  Expect(PersistenceMode::kPage, GetParam().page);
}

INSTANTIATE_TEST_SUITE_P(Mutants, ProtocolMutantTest, testing::ValuesIn(kExpectations),
                         [](const auto& mutant) {
                           return std::string(ToString(mutant.param.mutation));
                         });

TEST(ProtocolMutant, AJournalHidesAMissingSyncBeforeTheManifest) {
  const StoreWorkload workload(1);
  CrashExplorer explorer(workload, {.medium = {.order = DirectoryOrder::kJournaled},
                                    .mutation = ProtocolMutation::kNoDirectorySyncBeforeManifest});
  const CrashReport report = explorer.Explore();
  EXPECT_EQ(report.bad_states, 0u) << report.first_bad;
}

}  // namespace protocol_mutant_test
}  // namespace pmdex
