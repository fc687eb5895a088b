#include "engine/ingest/input_directories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace pmdex {
namespace input_directories_test {

using testing::ElementsAre;

InputDirectories Opened(const std::string& value) {
  Manifest manifest;
  manifest.properties[kInputDirectoriesProperty] = value;
  return InputDirectories(manifest);
}

TEST(InputDirectories, WithoutAPropertyPathsBeginAtTheWorkingDirectory) {
  EXPECT_THAT(InputDirectories().PrefixesOf("a/b"), ElementsAre(""));
  EXPECT_THAT(InputDirectories(Manifest()).PrefixesOf("a/b"), ElementsAre(""));
  EXPECT_THAT(Opened("").PrefixesOf("a/b"), ElementsAre(""));
  EXPECT_THAT(Opened("no zero ends it").PrefixesOf("a/b"), ElementsAre(""));
}

TEST(InputDirectories, APathBeginsWhereItsInputDid) {
  std::string value = AddInputDirectory("", "/one", {"src", "log", "src", "-", "/absolute"});
  value = AddInputDirectory(value, "/two", {"lib//", "src/deep", "./x"});
  value = AddInputDirectory(value, "/", {"log"});
  const InputDirectories directories = Opened(value);
  EXPECT_THAT(directories.PrefixesOf("src"), ElementsAre("/one/", ""));
  EXPECT_THAT(directories.PrefixesOf("src/a.c"), ElementsAre("/one/", ""));
  EXPECT_THAT(directories.PrefixesOf("src/deep/a.c"), ElementsAre("/two/", "")) << "the longest";
  EXPECT_THAT(directories.PrefixesOf("src/deeper"), ElementsAre("/one/", ""));
  EXPECT_THAT(directories.PrefixesOf("lib//a"), ElementsAre("/two/", ""));
  EXPECT_THAT(directories.PrefixesOf("./x/y/z"), ElementsAre("/two/", ""));
  EXPECT_THAT(directories.PrefixesOf("log:12"), ElementsAre("/one/", "/", "")) << "of both builds";
  EXPECT_THAT(directories.PrefixesOf("src/a:b/c:7"), ElementsAre("/one/", ""));
  EXPECT_THAT(directories.PrefixesOf("document 7"), ElementsAre("/one/", "/two/", "/", ""));
  EXPECT_THAT(directories.PrefixesOf("srcs/a"), ElementsAre("/one/", "/two/", "/", ""));
  EXPECT_THAT(directories.PrefixesOf("/src/a"), ElementsAre(""));
  EXPECT_THAT(directories.PrefixesOf(""), ElementsAre("/one/", "/two/", "/", ""));
}

TEST(InputDirectories, ADirectoryIsKeptOnce) {
  const std::string once = AddInputDirectory("", "/one", {"b", "a"});
  EXPECT_EQ(AddInputDirectory(once, "/one", {"a", "b/"}), once);
  EXPECT_EQ(AddInputDirectory(AddInputDirectory("", "/one", {"a"}), "/one", {"b"}), once);
  EXPECT_EQ(once, std::string("/one\0a\0b\0\0", 10));
  EXPECT_EQ(AddInputDirectory("", "/one", {}), std::string("/one\0\0", 6));
}

TEST(InputDirectories, TwoIndexesAreJoined) {
  const std::string a = AddInputDirectory("", "/one", {"a"});
  const std::string b = AddInputDirectory(AddInputDirectory("", "/one", {"b"}), "/two", {"a"});
  const InputDirectories joined = Opened(JoinInputDirectories(a, b));
  EXPECT_THAT(joined.PrefixesOf("a/x"), ElementsAre("/one/", "/two/", ""));
  EXPECT_THAT(joined.PrefixesOf("b/x"), ElementsAre("/one/", ""));
  EXPECT_EQ(JoinInputDirectories(a, ""), a);
  EXPECT_EQ(JoinInputDirectories("", b), b);
}

TEST(InputDirectories, TheWorkingDirectoryIsThatOfTheProcess) {
  EXPECT_EQ(AddWorkingDirectory("", {"x"}),
            AddInputDirectory("", std::filesystem::current_path().string(), {"x"}));
}

TEST(InputDirectories, HaveATextForPeople) {
  EXPECT_EQ(InputDirectoriesText(""), "");
  const std::string one = AddInputDirectory("", "/one", {"a", "b/c"});
  EXPECT_EQ(InputDirectoriesText(one), "/one (a, b/c)");
  EXPECT_EQ(InputDirectoriesText(AddInputDirectory(one, "/two", {})), "/one (a, b/c), /two");
}

}  // namespace input_directories_test
}  // namespace pmdex
