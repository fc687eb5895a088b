#include "engine/ingest/entries/path_parts.h"

#include <gtest/gtest.h>

namespace pmdex {
namespace path_parts_test {

TEST(PathParts, PathsHaveANameADirectoryAndAnExtension) {
  EXPECT_EQ(NameOfPath("/a/b.TXT"), "b.TXT");
  EXPECT_EQ(NameOfPath("b"), "b");
  EXPECT_EQ(NameOfPath("/a/b/"), "b");
  EXPECT_EQ(NameOfPath("/"), "/");
  EXPECT_EQ(NameOfPath("."), ".");
  EXPECT_EQ(DirectoryOfPath("/a/b/c"), "/a/b");
  EXPECT_EQ(DirectoryOfPath("/a/b/"), "/a");
  EXPECT_EQ(DirectoryOfPath("a//c"), "a");
  EXPECT_EQ(DirectoryOfPath("/c"), "/");
  EXPECT_EQ(DirectoryOfPath("/"), "/");
  EXPECT_EQ(DirectoryOfPath("//"), "/");
  EXPECT_EQ(DirectoryOfPath("c"), ".");
  EXPECT_EQ(ExtensionOf("b.TXT"), "txt");
  EXPECT_EQ(ExtensionOf("a.tar.gz"), "gz");
  EXPECT_EQ(ExtensionOf(".bashrc"), "");
  EXPECT_EQ(ExtensionOf(".a.b"), "b");
  EXPECT_EQ(ExtensionOf("a."), "");
  EXPECT_EQ(ExtensionOf("none"), "");
}

TEST(PathParts, MimeTypesFollowFromTheExtension) {
  EXPECT_EQ(MimeTypeOf("bash"), "application/x-sh");
  EXPECT_EQ(MimeTypeOf("html"), "text/html");
  EXPECT_EQ(MimeTypeOf("zst"), "application/zstd");
  EXPECT_EQ(MimeTypeOf("unknown"), "");
  EXPECT_EQ(MimeTypeOf(""), "");
}

}  // namespace path_parts_test
}  // namespace pmdex
