#include "pmem/file_name.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace pmdex {
namespace file_name_test {

TEST(FileName, MayBeAnyOnePathComponent) {
  for (const std::string_view name : {"a", "...", ".hidden", "a b", "\xff", "MANIFEST-1"}) {
    EXPECT_TRUE(CheckFileName(name).ok()) << name;
  }
  EXPECT_TRUE(CheckFileName(std::string(255, 'n')).ok());
}

TEST(FileName, MayNotLeaveItsDirectory) {
  for (const std::string_view name :
       {std::string_view(""), std::string_view("."), std::string_view(".."),
        std::string_view("a/b"), std::string_view("/"), std::string_view("a\0", 2)}) {
    EXPECT_EQ(CheckFileName(name).code(), absl::StatusCode::kInvalidArgument) << name;
  }
  EXPECT_FALSE(CheckFileName(std::string(256, 'n')).ok());
}

TEST(FileName, IsEscapedInTheMessage) {
  EXPECT_THAT(std::string(Message(CheckFileName("a\n/"))), testing::HasSubstr(R"("a\n/")"));
}

TEST(PlainAbsolutePath, HasNoPartsThatLeadElsewhere) {
  for (const std::string_view path : {"/a", "/a/b", "/a/...", "/ /.hidden"}) {
    EXPECT_TRUE(IsPlainAbsolutePath(path)) << path;
  }
  for (const std::string_view path :
       {std::string_view(""), std::string_view("a"), std::string_view("/"), std::string_view("/a/"),
        std::string_view("//a"), std::string_view("/a/./b"), std::string_view("/.."),
        std::string_view("/a\0b", 4), std::string_view("a/b")}) {
    EXPECT_FALSE(IsPlainAbsolutePath(path)) << path;
  }
  EXPECT_FALSE(IsPlainAbsolutePath("/" + std::string(256, 'n')));
}

}  // namespace file_name_test
}  // namespace pmdex
