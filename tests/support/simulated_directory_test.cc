#include "tests/support/simulated_directory.h"

#include <gtest/gtest.h>

#include <string>

#include "pmem/allocated_bytes.h"

namespace pmdex {
namespace simulated_directory_test {

std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string Content(const Directory& directory, std::string_view name) {
  const auto file = directory.Open(name);
  if (!file.ok()) return file.status().ToString();
  const auto bytes = (*file)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The protocol of pmem/directory.h.
absl::Status WriteDurably(Directory& directory, std::string_view name, std::string_view content) {
  const std::string temporary = std::string(name) + ".tmp";
  PMDEX_ASSIGN_OR_RETURN(const auto file, directory.Create(temporary, content.size()));
  file->CopyNonTemporal(0, AsBytes(content.substr(0, 1)));
  PMDEX_RETURN_IF_ERROR(file->Drain());
  file->StoreAndFlush(1, AsBytes(content.substr(1)));
  PMDEX_RETURN_IF_ERROR(file->Drain());
  PMDEX_RETURN_IF_ERROR(file->Seal(content.size()));
  PMDEX_RETURN_IF_ERROR(directory.Rename(temporary, name));
  return directory.Sync();
}

TEST(SimulatedDirectory, KeepsTheContractOfADirectory) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  EXPECT_TRUE(absl::IsNotFound(directory.Open("a").status()));
  EXPECT_TRUE(absl::IsNotFound(directory.Rename("a", "b")));
  EXPECT_TRUE(absl::IsNotFound(directory.Remove("a")));
  EXPECT_TRUE(absl::IsInvalidArgument(directory.Create("a/b", 1).status()));
  ASSERT_TRUE(WriteDurably(directory, "b", "first").ok());
  ASSERT_TRUE(WriteDurably(directory, "a", "other").ok());
  EXPECT_TRUE(absl::IsAlreadyExists(directory.Create("a", 1).status()));
  const auto entries = directory.List();
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].name, "a");
  EXPECT_EQ((*entries)[1].size_bytes, 5u);
  const auto pinned = *directory.Open("b");
  ASSERT_TRUE(directory.Rename("a", "b").ok());
  EXPECT_EQ(Content(directory, "b"), "other");
  EXPECT_EQ(static_cast<char>(pinned->bytes()[0]), 'f');
  ASSERT_TRUE(directory.Remove("b").ok());
  EXPECT_EQ(directory.List()->size(), 0u);
}

TEST(SimulatedDirectory, AllocatesWholePagesOfZeros) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  const auto file = directory.Create("a", 1);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->capacity_bytes(), AllocatedBytes(1));
  EXPECT_EQ(Content(directory, "a"), std::string(AllocatedBytes(1), '\0'));
}

TEST(SimulatedDirectory, GivesALockToOneHolderAtATime) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  auto lock = directory.Lock("LOCK");
  ASSERT_TRUE(lock.ok());
  EXPECT_TRUE(absl::IsUnavailable(directory.Lock("LOCK").status()));
  lock->reset();
  EXPECT_TRUE(directory.Lock("LOCK").ok());
}

TEST(SimulatedDirectory, CountsAsTheRealPersistersDo) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  const auto file = *directory.Create("a", 1);
  file->CopyNonTemporal(0, AsBytes("12345"));
  file->StoreAndFlush(8, AsBytes("123"));
  file->StoreAndFlush(8, {});
  ASSERT_TRUE(file->Drain().ok());
  EXPECT_EQ(file->counters().copied_bytes, 5u);
  EXPECT_EQ(file->counters().flushed_bytes, 3u);
  EXPECT_EQ(file->counters().flushes, 1u);
  EXPECT_EQ(file->counters().drains, 1u);
}

TEST(SimulatedDirectory, WhatWentThroughTheProtocolSurvivesEveryCrash) {
  for (const auto mode : {PersistenceMode::kAdr, PersistenceMode::kEadr, PersistenceMode::kPage}) {
    SimulatedMedium medium({.mode = mode});
    SimulatedDirectory directory(medium);
    ASSERT_TRUE(WriteDurably(directory, "a", "content").ok());
    const auto next = medium.AfterPowerCut({.extents_lost = true});
    EXPECT_EQ(Content(SimulatedDirectory(*next), "a"), "content");
  }
}

TEST(SimulatedDirectory, FailsFromThePowerCutOnWithoutAnyEffect) {
  for (uint64_t operation = 0; operation < 11; ++operation) {
    SimulatedMedium medium({});
    SimulatedDirectory directory(medium);
    medium.CutPowerAt(operation);
    EXPECT_FALSE(WriteDurably(directory, "a", "content").ok()) << operation;
    const uint64_t digest = medium.Digest();
    EXPECT_FALSE(WriteDurably(directory, "b", "content").ok());
    EXPECT_FALSE(directory.Lock("LOCK").ok());
    EXPECT_EQ(medium.Digest(), digest);
  }
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  medium.CutPowerAt(11);  // the number of its operations
  EXPECT_TRUE(WriteDurably(directory, "a", "content").ok());
}

TEST(SimulatedDirectory, LeavesOutWhatMutantsLeaveOut) {
  SimulatedMedium medium({});
  SimulatedDirectory directory(medium);
  const auto file = *directory.CreateSimulated("a", 1);
  file->StoreOnly(0, AsBytes("unflushed"));
  ASSERT_TRUE(file->Drain().ok());
  ASSERT_TRUE(directory.Sync().ok());
  ASSERT_TRUE(file->SealWithoutSync(9).ok());
  EXPECT_EQ(Content(directory, "a"), "unflushed");
  EXPECT_EQ(Content(SimulatedDirectory(*medium.AfterPowerCut({})), "a"), "");
  const auto with_size = medium.AfterPowerCut({.metadata = Survival::kEverything});
  EXPECT_EQ(Content(SimulatedDirectory(*with_size), "a"), std::string(9, '\0'));
}

}  // namespace simulated_directory_test
}  // namespace pmdex
