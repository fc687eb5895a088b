#include "engine/ingest/entries/entry_facts.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "tests/support/run_program.h"

namespace pmdex {
namespace entry_facts_test {

TEST(EntryFacts, AreThoseOfStat) {
  struct stat said = {};
  said.st_size = 7;
  said.st_mtim = {1, 5};
  said.st_atim = {2, 6};
  said.st_ctim = {-1, 999'999'999};
  said.st_ino = 9;
  said.st_dev = 10;
  said.st_rdev = 11;
  said.st_nlink = 3;
  said.st_blocks = 8;
  said.st_uid = 1;
  said.st_gid = 2;
  said.st_mode = S_IFREG | 0640;
  const EntryFacts facts = FactsOf(said);
  EXPECT_EQ(facts.size_bytes, 7u);
  EXPECT_EQ(facts.mtime_ns, 1'000'000'005);
  EXPECT_EQ(facts.atime_ns, 2'000'000'006);
  EXPECT_EQ(facts.ctime_ns, -1);
  EXPECT_EQ(facts.inode, 9u);
  EXPECT_EQ(facts.device, 10u);
  EXPECT_EQ(facts.special_device, 0u) << "a file is no device";
  EXPECT_EQ(facts.links, 3u);
  EXPECT_EQ(facts.blocks, 8u);
  EXPECT_EQ(facts.uid, 1u);
  EXPECT_EQ(facts.gid, 2u);
  EXPECT_EQ(facts.mode, said.st_mode);
  said.st_mode = S_IFCHR | 0600;
  EXPECT_EQ(FactsOf(said).special_device, 11u);
}

TEST(EntryFacts, TimesBeyond64BitsAreTheNearestOnes) {
  struct stat said = {};
  said.st_mtim = {std::numeric_limits<time_t>::max(), 0};
  said.st_ctim = {std::numeric_limits<time_t>::min(), 0};
  EXPECT_EQ(FactsOf(said).mtime_ns, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(FactsOf(said).ctime_ns, std::numeric_limits<int64_t>::min());
}

TEST(EntryFacts, ABlockCarriesAnEntryAsBytes) {
  Entry entry;
  entry.facts.size_bytes = 5;
  entry.facts.mode = S_IFLNK | 0777;
  entry.acl = "user::rw-";
  entry.target = "../there";
  std::string bytes(EncodedBytes(entry), '\0');
  Encode(entry, bytes.data());
  EXPECT_EQ(DecodeEntry(bytes).parents, "");
  entry.parents = std::make_shared<const std::string>("0:0:0755");
  bytes.resize(EncodedBytes(entry));
  Encode(entry, bytes.data());
  const EntryView view = DecodeEntry(bytes);
  EXPECT_EQ(view.facts, entry.facts);
  EXPECT_EQ(view.acl, entry.acl);
  EXPECT_EQ(view.target, entry.target);
  EXPECT_EQ(view.parents, *entry.parents);
}

TEST(EntryFacts, ALinkIsLookedAtItself) {
  const TemporaryDirectory tree;
  tree.Write("f", "text");
  ASSERT_EQ(symlink("f", (tree / "l").c_str()), 0);
  const EntryLookup link = LookAtEntry(tree / "l");
  ASSERT_EQ(link.error, 0);
  EXPECT_TRUE(S_ISLNK(link.entry.facts.mode));
  EXPECT_EQ(link.entry.target, "f");
  EXPECT_EQ(LookAtEntry(tree / "none").error, ENOENT);
  const int fd = open((tree / "f").c_str(), O_RDONLY);
  const EntryLookup opened = LookAtOpened(fd);
  close(fd);
  EXPECT_EQ(opened.entry.facts, LookAtEntry(tree / "f").entry.facts);
  EXPECT_EQ(LookAtOpened(-1).error, EBADF);
}

}  // namespace entry_facts_test
}  // namespace pmdex
