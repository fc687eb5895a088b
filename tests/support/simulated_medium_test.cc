#include "tests/support/simulated_medium.h"

#include <gtest/gtest.h>

#include <set>

namespace pmdex {
namespace simulated_medium_test {

std::string Joined(const SimulatedMedium& medium) {
  std::string joined;
  for (const std::string& name : medium.FileNames()) joined += name + " ";
  return joined;
}

std::set<std::string> NamesAfterCrash(const SimulatedMedium& medium, Survival names) {
  std::set<std::string> outcomes;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    outcomes.insert(Joined(*medium.AfterPowerCut({.names = names, .seed = seed})));
  }
  return outcomes;
}

std::shared_ptr<SimulatedFile> MustCreate(SimulatedMedium& medium, std::string_view name) {
  std::shared_ptr<SimulatedFile> file;
  EXPECT_TRUE(medium.Create(name, &file));
  return file;
}

using Set = std::set<std::string>;

TEST(SimulatedMedium, KeepsNamesThatWereSynced) {
  SimulatedMedium medium({});
  MustCreate(medium, "a");
  EXPECT_EQ(NamesAfterCrash(medium, Survival::kNothing), Set({""}));
  ASSERT_TRUE(medium.SyncNames());
  MustCreate(medium, "b");
  EXPECT_EQ(NamesAfterCrash(medium, Survival::kNothing), Set({"a "}));
  EXPECT_EQ(NamesAfterCrash(medium, Survival::kEverything), Set({"a b "}));
}

TEST(SimulatedMedium, SyncsTheNamesOfOneDirectoryOnly) {
  EXPECT_EQ(DirectoryOfName("/a/b"), "/a/");
  EXPECT_EQ(DirectoryOfName("b"), "");
  SimulatedMedium medium({});
  std::shared_ptr<SimulatedFile> file;
  medium.Create("here", &file);
  medium.Create("/elsewhere/there", &file);
  medium.SyncNames();
  EXPECT_EQ(medium.AfterPowerCut({})->FileNames(), (std::vector<std::string>{"here"}));
  medium.SyncNames("/elsewhere/");
  EXPECT_EQ(medium.AfterPowerCut({})->FileNames().size(), 2u);
}

TEST(SimulatedMedium, AJournalKeepsTheOrderOfChanges) {
  SimulatedMedium medium({.order = DirectoryOrder::kJournaled});
  MustCreate(medium, "a");
  MustCreate(medium, "b");
  ASSERT_TRUE(medium.Rename("a", "c"));
  ASSERT_TRUE(medium.Remove("b"));
  EXPECT_EQ(NamesAfterCrash(medium, Survival::kRandom), Set({"", "a ", "a b ", "b c ", "c "}));
  EXPECT_EQ(NamesAfterCrash(medium, Survival::kAllButOne), Set({"b c "}));
}

TEST(SimulatedMedium, WithoutAJournalAChangeNeedsOnlyThoseItWasMadeOnTopOf) {
  SimulatedMedium medium({.order = DirectoryOrder::kUnordered});
  MustCreate(medium, "a");
  MustCreate(medium, "b");
  ASSERT_TRUE(medium.Rename("a", "c"));
  EXPECT_EQ(NamesAfterCrash(medium, Survival::kRandom),
            Set({"", "a ", "b ", "a b ", "c ", "b c "}));
}

TEST(SimulatedMedium, ARenameIsAtomic) {
  SimulatedMedium medium({.order = DirectoryOrder::kUnordered});
  MustCreate(medium, "new")->Resize(1);
  MustCreate(medium, "old")->Resize(2);
  ASSERT_TRUE(medium.SyncFile(*medium.Find("new"), "new"));
  ASSERT_TRUE(medium.SyncFile(*medium.Find("old"), "old"));
  ASSERT_TRUE(medium.SyncNames());
  ASSERT_TRUE(medium.Rename("new", "old"));
  const auto before = medium.AfterPowerCut({.names = Survival::kNothing});
  EXPECT_EQ(Joined(*before), "new old ");
  EXPECT_EQ(before->Find("old")->size_bytes(), 2u);
  const auto after = medium.AfterPowerCut({.names = Survival::kEverything});
  EXPECT_EQ(Joined(*after), "old ");
  EXPECT_EQ(after->Find("old")->size_bytes(), 1u);
}

TEST(SimulatedMedium, AKilledProcessLeavesWhatIsVisibleAndNotYetDurable) {
  SimulatedMedium medium({});
  const auto file = MustCreate(medium, "a");
  ASSERT_TRUE(medium.Resize(*file, "a", 64));
  ASSERT_TRUE(medium.SyncFile(*file, "a"));
  const std::byte byte{7};
  ASSERT_TRUE(medium.Store(*file, "a", 0, {&byte, 1}, StoreKind::kCached));
  ASSERT_TRUE(medium.Lock("lock"));
  const auto killed = medium.AfterKill();
  EXPECT_EQ(killed->Digest(), medium.Digest());
  EXPECT_TRUE(killed->Lock("lock"));
  EXPECT_EQ(Joined(*killed->AfterPowerCut({})), "");
  // The two go their own ways from here.
  ASSERT_TRUE(killed->Flush(*killed->Find("a"), "a", 0, 1));
  ASSERT_TRUE(killed->Drain(*killed->Find("a"), "a"));
  EXPECT_TRUE(killed->Find("a")->durable());
  EXPECT_FALSE(file->durable());
}

TEST(SimulatedMedium, ShowsEveryOperationToTheObserverBeforeItHappens) {
  SimulatedMedium medium({});
  std::string seen;
  medium.set_observer([&] { seen += medium.operation() + " [" + Joined(medium) + "]\n"; });
  MustCreate(medium, "a");
  ASSERT_TRUE(medium.Rename("a", "b"));
  ASSERT_TRUE(medium.SyncNames());
  EXPECT_EQ(seen, "create a []\nrename a [a ]\nfsync directory [b ]\n");
  EXPECT_EQ(medium.operation_count(), 3u);
}

TEST(SimulatedMedium, NothingHappensOnceThePowerIsCut) {
  SimulatedMedium medium({});
  medium.CutPowerAt(1);
  const auto file = MustCreate(medium, "a");
  const uint64_t digest = medium.Digest();
  EXPECT_FALSE(medium.Resize(*file, "a", 64));
  EXPECT_FALSE(medium.Drain(*file, "a"));
  EXPECT_FALSE(medium.Rename("a", "b"));
  EXPECT_FALSE(medium.Remove("a"));
  EXPECT_FALSE(medium.SyncNames());
  EXPECT_EQ(medium.Digest(), digest);
}

TEST(SimulatedMedium, SystemCallsOrderStoresWhenCachesArePersistent) {
  for (const auto mode : {PersistenceMode::kAdr, PersistenceMode::kEadr}) {
    SimulatedMedium medium({.mode = mode});
    const auto file = MustCreate(medium, "a");
    ASSERT_TRUE(medium.Resize(*file, "a", 64));
    const std::byte byte{7};
    ASSERT_TRUE(medium.Store(*file, "a", 0, {&byte, 1}, StoreKind::kCached));
    ASSERT_TRUE(medium.SyncFile(*file, "a"));
    EXPECT_EQ(file->durable(), mode == PersistenceMode::kEadr);
  }
}

TEST(SimulatedMedium, SettlesTheSameWayForTheSameSeed) {
  SimulatedMedium medium({.order = DirectoryOrder::kUnordered});
  for (int i = 0; i < 20; ++i) MustCreate(medium, std::to_string(i));
  std::set<uint64_t> digests;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Settlement settlement{.names = Survival::kRandom, .seed = seed};
    const uint64_t digest = medium.AfterPowerCut(settlement)->Digest();
    EXPECT_EQ(medium.AfterPowerCut(settlement)->Digest(), digest);
    digests.insert(digest);
  }
  EXPECT_GT(digests.size(), 15u);
}

}  // namespace simulated_medium_test
}  // namespace pmdex
