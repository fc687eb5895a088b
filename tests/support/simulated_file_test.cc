#include "tests/support/simulated_file.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace pmdex {
namespace simulated_file_test {

// Stores text, and collects what crashes may leave of it.
class SimulatedFileTest : public testing::Test {
 protected:
  void Make(PersistenceMode mode, uint64_t size_bytes) {
    file_ = std::make_unique<SimulatedFile>(mode);
    sequence_ = 0;
    file_->Resize(size_bytes);
  }
  void MakeSynced(PersistenceMode mode, uint64_t size_bytes) {
    Make(mode, size_bytes);
    file_->Sync();
  }
  void Store(uint64_t offset, std::string_view text, StoreKind kind = StoreKind::kCached) {
    file_->Store(offset, std::as_bytes(std::span(text)), kind, sequence_);
  }
  std::string AfterCrash(Survival stores, Survival metadata, uint64_t first_lost_cached,
                         bool extents_lost, uint64_t seed = 1) const {
    SeededRandom random(seed);
    SurvivalDealer store_dealer(stores, file_->pending_units(), random);
    SurvivalDealer metadata_dealer(metadata, 1, random);
    const auto left =
        file_->AfterCrash({store_dealer, metadata_dealer, first_lost_cached, extents_lost});
    EXPECT_TRUE(left->durable());
    const auto view = left->View();
    return {reinterpret_cast<const char*>(view->bytes().data()), view->bytes().size()};
  }
  // The bytes at `offsets` ('.' for zero) over many ways to settle.
  std::set<std::string> Outcomes(const std::vector<size_t>& offsets, Survival stores) const {
    std::set<std::string> outcomes;
    for (uint64_t seed = 0; seed < 300; ++seed) {
      const uint64_t first_lost = seed % (sequence_ + 1);
      const std::string bytes = AfterCrash(stores, Survival::kEverything, first_lost, false, seed);
      std::string outcome;
      for (const size_t offset : offsets) outcome += bytes[offset] == 0 ? '.' : bytes[offset];
      outcomes.insert(outcome);
    }
    return outcomes;
  }

  std::unique_ptr<SimulatedFile> file_;
  uint64_t sequence_ = 0;
};

using Set = std::set<std::string>;

TEST_F(SimulatedFileTest, StoresToOneLinePersistInOrderAndLinesInAnyOrder) {
  MakeSynced(PersistenceMode::kAdr, 128);
  Store(0, "a");
  Store(8, "b");
  Store(64, "c");
  EXPECT_EQ(Outcomes({0, 8, 64}, Survival::kRandom),
            Set({"...", "a..", "ab.", "..c", "a.c", "abc"}));
  EXPECT_EQ(Outcomes({0, 8, 64}, Survival::kNothing), Set({"..."}));
  EXPECT_EQ(Outcomes({0, 8, 64}, Survival::kEverything), Set({"abc"}));
  EXPECT_EQ(Outcomes({0, 8, 64}, Survival::kOne), Set({"ab.", "..c"}));
  EXPECT_EQ(Outcomes({0, 8, 64}, Survival::kAllButOne), Set({"ab.", "..c"}));
}

TEST_F(SimulatedFileTest, TearsAStoreOfManyBytesAtEightBytesOnly) {
  MakeSynced(PersistenceMode::kAdr, 64);
  Store(4, "aaaabbbbbbbb");
  EXPECT_EQ(Outcomes({4, 7, 8, 15}, Survival::kRandom), Set({"....", "aa..", "aabb"}));
}

TEST_F(SimulatedFileTest, OverwritesSettleToEachVersion) {
  MakeSynced(PersistenceMode::kAdr, 64);
  for (const char* text : {"1", "2", "3"}) Store(0, text);
  EXPECT_EQ(Outcomes({0}, Survival::kRandom), Set({".", "1", "2", "3"}));
}

TEST_F(SimulatedFileTest, NeedsAFlushAndADrain) {
  MakeSynced(PersistenceMode::kAdr, 192);
  Store(0, "a");
  Store(64, "b");
  Store(128, "c", StoreKind::kNonTemporal);
  file_->Drain();  // flushed nothing, but what went past the caches
  EXPECT_EQ(Outcomes({0, 64, 128}, Survival::kNothing), Set({"..c"}));
  file_->Flush(0, 64);
  EXPECT_EQ(Outcomes({0, 64, 128}, Survival::kNothing), Set({"..c"}));
  file_->Drain();
  EXPECT_EQ(Outcomes({0, 64, 128}, Survival::kNothing), Set({"a.c"}));
  EXPECT_FALSE(file_->durable());
  file_->Flush(64, 1);
  Store(64, "d");  // after the flush: only the version before it is on its way
  file_->Drain();
  EXPECT_EQ(Outcomes({0, 64, 128}, Survival::kRandom), Set({"abc", "adc"}));
}

TEST_F(SimulatedFileTest, CachedStoresSettleInProgramOrderWhenCachesArePersistent) {
  MakeSynced(PersistenceMode::kEadr, 192);
  Store(0, "a");
  Store(64, "b");
  Store(0, "c");
  Store(128, "n", StoreKind::kNonTemporal);
  EXPECT_EQ(Outcomes({0, 64, 128}, Survival::kRandom),
            Set({"...", "a..", "ab.", "cb.", "..n", "a.n", "abn", "cbn"}));
  file_->PersistCached();
  EXPECT_EQ(Outcomes({0, 64, 128}, Survival::kNothing), Set({"cb."}));
  file_->Drain();
  EXPECT_TRUE(file_->durable());
}

TEST_F(SimulatedFileTest, PagesSettleByThemselves) {
  MakeSynced(PersistenceMode::kPage, 8192);
  Store(0, "a");
  Store(4088, "b");
  Store(4096, "c");
  EXPECT_EQ(Outcomes({0, 4088, 4096}, Survival::kRandom),
            Set({"...", "a..", "ab.", "..c", "a.c", "abc"}));
}

TEST_F(SimulatedFileTest, SyncWritesPagesBackButNoLines) {
  for (const auto mode : {PersistenceMode::kAdr, PersistenceMode::kPage}) {
    Make(mode, 64);
    Store(0, "a");
    file_->Sync();
    EXPECT_EQ(file_->durable(), mode == PersistenceMode::kPage);
    const auto expected = mode == PersistenceMode::kPage ? Set({"a"}) : Set({"."});
    EXPECT_EQ(Outcomes({0}, Survival::kNothing), expected);
  }
}

TEST_F(SimulatedFileTest, WithoutSyncSizeAndExtentsMayBeLost) {
  Make(PersistenceMode::kAdr, 2048);
  Store(0, "a", StoreKind::kNonTemporal);
  file_->Drain();
  file_->Resize(1);
  std::set<size_t> sizes;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    sizes.insert(AfterCrash(Survival::kNothing, Survival::kRandom, 0, false, seed).size());
  }
  EXPECT_EQ(sizes, std::set<size_t>({0, 1, 2048}));
  EXPECT_EQ(AfterCrash(Survival::kEverything, Survival::kEverything, 0, true), std::string(1, 0));
  file_->Sync();
  EXPECT_EQ(AfterCrash(Survival::kNothing, Survival::kNothing, 0, true), "a");
}

TEST_F(SimulatedFileTest, ForgetsWhatATruncationCutOff) {
  MakeSynced(PersistenceMode::kAdr, 4096);
  Store(0, "a");
  Store(1024, "b");
  file_->Resize(64);
  EXPECT_EQ(file_->pending_units(), 1u);
  EXPECT_EQ(file_->View()->bytes().size(), 64u);
}

TEST_F(SimulatedFileTest, DigestsWhatIsVisible) {
  MakeSynced(PersistenceMode::kAdr, 64);
  const uint64_t empty = file_->Digest();
  Store(0, "a");
  EXPECT_NE(file_->Digest(), empty);
  file_->Resize(32);
  EXPECT_NE(file_->Digest(), empty);
}

}  // namespace simulated_file_test
}  // namespace pmdex
