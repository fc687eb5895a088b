// Checks that presets, files of the repository, links and flags that the documents name exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace documents_test {

namespace fs = std::filesystem;

const fs::path kRoot = PMDEX_SOURCE_DIR;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> Documents() {
  std::vector<fs::path> documents = {kRoot / "README.md", kRoot / "CHANGELOG.md",
                                     kRoot / "tests/README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  }
  return documents;
}

// The first group of every match of the pattern.
std::vector<std::string> Matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), pattern);
       match != std::sregex_iterator(); ++match) {
    found.push_back(match->str(1));
  }
  return found;
}

TEST(Documents, NamePresetsThatExist) {
  const std::string presets = ReadFile(kRoot / "CMakePresets.json");
  size_t named = 0;
  for (const fs::path& document : Documents()) {
    for (const std::string& names :
         Matches(ReadFile(document), std::regex("--preset[ =]([a-z|]+)"))) {
      std::stringstream alternatives(names);
      for (std::string name; std::getline(alternatives, name, '|'); ++named) {
        EXPECT_NE(presets.find("{\"name\": \"" + name + "\""), std::string::npos)
            << document << " names the preset " << name;
      }
    }
  }
  EXPECT_GT(named, 0u);
}

// True if the name is a file or folder below the root, perhaps without its extension
// (`query/planner`), or with `*` and `{a,b}` as in a shell.
bool Exists(const fs::path& root, const std::string& name) {
  const fs::path path = root / name;
  if (fs::exists(path)) return true;
  if (!fs::is_directory(path.parent_path())) return false;
  std::string pattern;
  for (const char c : path.filename().string()) {
    if (c == '*') {
      pattern += ".*";
    } else if (c == '{' || c == '}') {
      pattern += c == '{' ? "(" : ")";
    } else if (c == ',') {
      pattern += '|';
    } else {
      pattern += c == '.' ? "\\." : std::string(1, c);
    }
  }
  const std::regex names(pattern + "(_[a-z0-9]+)?(\\.[a-z]+)?");
  return std::any_of(
      fs::directory_iterator(path.parent_path()), fs::directory_iterator(),
      [&](const auto& entry) { return std::regex_match(entry.path().filename().string(), names); });
}

TEST(Documents, NameFilesThatExist) {
  const std::regex path(
      "(?:^|[\\s`(|])((?:pmem|engine|query|tools|bench|tests|docs)/[A-Za-z0-9_./*{},-]*)");
  const std::regex link("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
  size_t named = 0;
  for (const fs::path& document : Documents()) {
    const std::string text = ReadFile(document);
    for (std::string name : Matches(text, path)) {
      while (!name.empty() && std::string(".,/").find(name.back()) != std::string::npos) {
        name.pop_back();
      }
      // A word in capitals is a placeholder.
      if (std::regex_search(name, std::regex("[A-Z]{3,}[^.]*$"))) continue;
      EXPECT_TRUE(Exists(kRoot, name) || Exists(document.parent_path(), name))
          << document << " names " << name;
      ++named;
    }
    for (const std::string& target : Matches(text, link)) {
      EXPECT_TRUE(fs::exists(document.parent_path() / target)) << document << " links " << target;
    }
  }
  EXPECT_GT(named, 50u);
}

std::set<std::string> FlagsIn(const std::string& text) {
  const auto flags = Matches(text, std::regex("(--[a-z][a-z0-9_-]*[a-z0-9])"));
  return {flags.begin(), flags.end()};
}

// The flags of pmdex and of the scripts of this repository.
std::set<std::string> OurFlags() {
  std::string text = RunProgram({PMDEX_BINARY, "help"}).out;
  for (const std::string& command : Matches(text, std::regex("\n  ([a-z-]+) +[a-z]"))) {
    text += RunProgram({PMDEX_BINARY, command, "--help"}).out;
  }
  for (const char* folder : {"tools", "bench", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const std::string ending = entry.path().extension().string();
      if (entry.is_regular_file() && (ending.empty() || ending == ".py")) {
        text += ReadFile(entry.path());
      }
    }
  }
  return FlagsIn(text);
}

TEST(Documents, NameFlagsThatExist) {
  if (kIsSanitized) GTEST_SKIP() << "a minute of regular expressions, the same as in other builds";
  // Flags of other programs.
  const std::set<std::string> others = {
      "--build", "--install",         "--preset",        "--prefix",      "--target",
      "--tool",  "--interleave",      "--membind",       "--cpunodebind", "--sizes",
      "--dump",  "--collect-atstart", "--toggle-collect"};
  const std::set<std::string> ours = OurFlags();
  EXPECT_TRUE(ours.contains("--append"));
  for (const fs::path& document : Documents()) {
    for (const std::string& flag : FlagsIn(ReadFile(document))) {
      if (flag.starts_with("--gtest_") || flag.starts_with("--benchmark_")) continue;
      EXPECT_TRUE(ours.contains(flag) || others.contains(flag)) << document << " names " << flag;
    }
  }
}

}  // namespace documents_test
}  // namespace pmdex
