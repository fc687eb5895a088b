#include "engine/ingest/entries/access_text.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/columns/field_value.h"
#include "engine/ingest/entries/entry_facts.h"
#include "tests/support/access_list.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace access_text_test {

void AppendAclEntry(std::string& bytes, uint16_t tag, uint16_t permissions, uint32_t id) {
  bytes.append(reinterpret_cast<const char*>(&tag), sizeof tag);
  bytes.append(reinterpret_cast<const char*>(&permissions), sizeof permissions);
  bytes.append(reinterpret_cast<const char*>(&id), sizeof id);
}

std::string SomeAcl() {
  std::string bytes("\x02\0\0\0", 4);
  AppendAclEntry(bytes, 0x01, 6, ~0u);
  AppendAclEntry(bytes, 0x02, 4, 7);
  AppendAclEntry(bytes, 0x04, 4, ~0u);
  AppendAclEntry(bytes, 0x08, 1, 33);
  AppendAclEntry(bytes, 0x10, 5, ~0u);
  AppendAclEntry(bytes, 0x20, 0, ~0u);
  return bytes;
}

TEST(AccessText, ListsOfAccessAreTheShortTextOfGetfacl) {
  EXPECT_EQ(AclText(SomeAcl()),
            "user::rw-,user:7:r--,group::r--,group:33:--x,mask::r-x,other::---");
}

TEST(AccessText, BytesThatAreNoListAreUnknown) {
  EXPECT_EQ(AclText(""), kUnknownAcl);
  EXPECT_EQ(AclText(std::string("\x03\0\0\0", 4)), kUnknownAcl);
  EXPECT_EQ(AclText(SomeAcl() + "x"), kUnknownAcl);
  std::string tag("\x02\0\0\0", 4);
  AppendAclEntry(tag, 0x40, 7, 0);
  EXPECT_EQ(AclText(tag), kUnknownAcl);
}

TEST(AccessText, ParentsAreASetInOneOrder) {
  const auto one = ParentsWith("0:0:0755", "7:7:0700");
  const auto other = ParentsWith("7:7:0700", "0:0:0755");
  EXPECT_EQ(*one, "0:0:0755|7:7:0700");
  EXPECT_EQ(*one, *other);
  EXPECT_EQ(*ParentsWith(*one, "7:7:0700"), *one);
  EXPECT_EQ(*ParentsWith("", "7:7:0700"), "7:7:0700");
}

TEST(AccessText, RightsComeFirstAndTooLongOnesAreUnknown) {
  const std::string rights = RightsText(1, 2, S_IFREG | 04640, "");
  EXPECT_EQ(rights, "1:2:4640");
  EXPECT_EQ(RightsText(1, 2, S_IFREG | 0640, "user::rw-"), "1:2:0640:user::rw-");
  EXPECT_EQ(AccessText(rights, "0:0:0755"), "1:2:4640|0:0:0755");
  EXPECT_EQ(AccessText(rights, ""), rights);
  EXPECT_EQ(AccessText(rights, std::string(kMaxKeywordBytes, '1')), kUnknownRights);
}

TEST(AccessText, ParentsOfAPathAreAllDirectoriesAboveIt) {
  const TemporaryDirectory tree;
  std::filesystem::create_directories(tree / "a/b");
  tree.Write("a/b/f", "x");
  ASSERT_EQ(chmod((tree / "a").c_str(), 0701), 0);
  ASSERT_EQ(chmod((tree / "a/b").c_str(), 0712), 0);
  const auto of = [&](const std::string& path) { return "|" + *ParentsOfPath(path) + "|"; };
  const auto rights = [](const std::string& path) {
    struct stat facts;
    EXPECT_EQ(stat(path.c_str(), &facts), 0);
    return "|" + RightsText(facts.st_uid, facts.st_gid, facts.st_mode, "") + "|";
  };
  const std::string file = of(tree / "a/b/f");
  EXPECT_NE(file.find(rights(tree / "a")), std::string::npos) << file;
  EXPECT_NE(file.find(rights(tree / "a/b")), std::string::npos) << file;
  EXPECT_NE(file.find(rights("/")), std::string::npos) << file;
  const std::string directory = of(tree / "a/b/");
  EXPECT_EQ(directory, of(tree / "a/b"));
  EXPECT_EQ(directory.find(rights(tree / "a/b")), std::string::npos) << "not of itself";
  // Through a link both ways have to be searched.
  std::filesystem::create_directories(tree / "c");
  ASSERT_EQ(chmod((tree / "c").c_str(), 0703), 0);
  std::filesystem::create_directory_symlink(tree / "a/b", tree / "c/link");
  const std::string linked = of(tree / "c/link/f");
  for (const char* parent : {"a", "a/b", "c"}) {
    EXPECT_NE(linked.find(rights(tree / parent)), std::string::npos) << linked;
  }
  EXPECT_NE(of(tree / "none/f").find("|?|"), std::string::npos);
}

TEST(AccessText, ReadsTheListOfAFileWhereTheFileSystemHasOne) {
  const TemporaryDirectory tree;
  const std::string path = tree.Write("f", "x");
  const std::string list = AccessListOf(6, 7, 4);
  if (setxattr(path.c_str(), kAccessListAttribute, list.data(), list.size(), 0) != 0) {
    GTEST_SKIP() << "the file system keeps no lists: " << std::strerror(errno);
  }
  const EntryLookup found = LookAtEntry(path);
  ASSERT_EQ(found.error, 0);
  EXPECT_EQ(found.entry.acl, "user::rw-,user:7:r--,group::---,mask::r--,other::---");
}

}  // namespace access_text_test
}  // namespace pmdex
