// Indexes of relative paths that are read from other directories than the one they were made in:
// snippets and the rights of today, after appending, union, copy and watch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace relative_inputs_test {

using nlohmann::json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr char kBob[] = "61002";

class RelativeInputs : public testing::Test {
 protected:
  RelativeInputs() {
    for (const char* name : {"", "one", "one/src", "two", "two/lib", "else"}) {
      std::filesystem::create_directories(Path(name));
      chmod(Path(name).c_str(), 0755);
    }
    for (const char* name : {"one/src/a", "one/src/b", "two/lib/c"}) Write(name, 0644);
  }

  std::string Path(const std::string& name) const { return directory_ / name; }
  void Write(const std::string& name, mode_t mode) {
    directory_.Write(name, "fox in " + name);
    chmod(Path(name).c_str(), mode);
  }
  ProgramResult RunIn(const std::string& directory, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = Path(directory);
    options.environment = {"PMDEX_INDEX=" + Path("index")};
    return RunProgram(arguments, options);
  }
  void Index(const std::string& directory, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "index");
    arguments.emplace_back("--quiet");
    const ProgramResult result = RunIn(directory, arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  // The snippets of the hits, by a search from another directory.
  std::vector<std::string> Snippets(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"search", "fox", "--json", "--snippets"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = RunIn("else", arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    std::vector<std::string> snippets;
    const json answer = json::parse(result.out);
    for (const json& hit : answer["hits"]) {
      snippets.push_back(hit["id"].get<std::string>() + ": " + hit["snippet"].get<std::string>());
    }
    return snippets;
  }

  TemporaryDirectory directory_;
};

TEST_F(RelativeInputs, SnippetsComeFromWhereTheFilesWereIndexed) {
  Index("one", {"src"});
  EXPECT_THAT(Snippets(), UnorderedElementsAre("src/a: <em>fox</em> in one/src/a",
                                               "src/b: <em>fox</em> in one/src/b"));
  Index("two", {"lib", "--append"});
  EXPECT_THAT(Snippets(), UnorderedElementsAre("src/a: <em>fox</em> in one/src/a",
                                               "src/b: <em>fox</em> in one/src/b",
                                               "lib/c: <em>fox</em> in two/lib/c"));
}

TEST_F(RelativeInputs, RightsAreThoseOfTheFilesThatWereIndexed) {
  Index("one", {"src"});
  Index("two", {"lib", "--append"});
  EXPECT_EQ(Snippets({"--as-user", kBob}).size(), 3u);
  chmod(Path("one/src/a").c_str(), 0600);
  EXPECT_THAT(
      Snippets({"--as-user", kBob}),
      UnorderedElementsAre("src/b: <em>fox</em> in one/src/b", "lib/c: <em>fox</em> in two/lib/c"));
  chmod(Path("two").c_str(), 0700);
  EXPECT_THAT(Snippets({"--as-user", kBob}),
              UnorderedElementsAre("src/b: <em>fox</em> in one/src/b"));
  EXPECT_EQ(RunIn("else", {"find", "--as-user", kBob}).out, "src/b\n");
  // Where the search runs there may be files with the same names.
  std::filesystem::create_directories(Path("else/src"));
  Write("else/src/b", 0600);
  EXPECT_EQ(RunIn("else", {"find", "--as-user", kBob}).out, "src/b\n");
}

TEST_F(RelativeInputs, TheSameNameInTwoDirectoriesIsBoth) {
  std::filesystem::create_directories(Path("two/src"));
  Write("two/src/a", 0644);
  chmod(Path("two/src").c_str(), 0755);
  Index("one", {"src"});
  Index("two", {"src", "--append"});
  EXPECT_THAT(
      Snippets({"--as-user", kBob}),
      UnorderedElementsAre("src/a: <em>fox</em> in one/src/a", "src/a: <em>fox</em> in two/src/a",
                           "src/b: <em>fox</em> in one/src/b"));
  chmod(Path("two/src/a").c_str(), 0600);
  EXPECT_THAT(Snippets({"--as-user", kBob}),
              UnorderedElementsAre("src/b: <em>fox</em> in one/src/b"));
}

TEST_F(RelativeInputs, SetOperationsAndCopiesKeepThem) {
  Index("one", {"src", "--index", "../a"});
  Index("two", {"lib", "--index", "../b"});
  ASSERT_EQ(RunIn(".", {"union", "a", "b", "--index", "index", "--quiet"}).exit_status, 0);
  ASSERT_EQ(RunIn(".", {"copy", "copied", "--quiet"}).exit_status, 0);
  ASSERT_EQ(RunIn(".", {"difference", "a", "b", "--index", "c", "--quiet"}).exit_status, 0);
  const auto shown = [this](const std::string& index) {
    const ProgramResult result = RunIn("else", {"search", "fox", "--count", "--json", "--as-user",
                                                kBob, "--index", "../" + index});
    return json::parse(result.out)["total"]["value"].get<int>();
  };
  EXPECT_EQ(shown("index"), 3);
  EXPECT_EQ(shown("c"), 2);
  chmod(Path("one/src/a").c_str(), 0600);
  EXPECT_EQ(shown("index"), 2);
  EXPECT_EQ(shown("copied"), 2);
  EXPECT_EQ(shown("c"), 1);
  chmod(Path("two").c_str(), 0700);
  EXPECT_EQ(shown("index"), 1);
}

TEST_F(RelativeInputs, WatchKeepsThem) {
  ASSERT_EQ(RunIn("one", {"watch", "src", "--once"}).exit_status, 0);
  EXPECT_EQ(Snippets({"--as-user", kBob}).size(), 2u);
  EXPECT_THAT(Snippets(), testing::Contains(HasSubstr("<em>fox</em> in one/src/a")));
  chmod(Path("one/src").c_str(), 0700);
  EXPECT_EQ(Snippets({"--as-user", kBob}).size(), 0u);
}

TEST_F(RelativeInputs, ATreeMovesWithItsIndex) {
  Index("one", {"src", "--index", "x"});
  std::filesystem::rename(Path("one"), Path("moved"));
  const auto search = [this] {
    return RunIn("moved", {"search", "fox", "--snippets", "--as-user", kBob, "--index", "x"}).out;
  };
  EXPECT_THAT(search(), HasSubstr("[fox] in one/src/a"));
  chmod(Path("moved/src/a").c_str(), 0600);
  EXPECT_THAT(search(), testing::Not(HasSubstr("src/a")));
}

}  // namespace relative_inputs_test
}  // namespace pmdex
