// The rules of the source tree that a compiler does not check: includes run in one direction and in
// no circle, headers of the medium stay in pmem/, intrinsics stay in the files named for them,
// every module has a test that names it, and lines, functions and folders keep within their
// lengths.
//
// A module is a header and its sources: name.h, name.cc, name_avx2.cc, ...
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace layout_test {

namespace fs = std::filesystem;

const fs::path kRoot = PMDEX_SOURCE_DIR;

std::vector<fs::path> Sources(const std::string& folder) {
  std::vector<fs::path> sources;
  if (!fs::exists(kRoot / folder)) return sources;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    // Where cargo and maven build the programs that pmdex is compared with.
    if (entry.path().string().find("/target/") != std::string::npos) continue;
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc") sources.push_back(entry.path());
  }
  return sources;
}

// Every include of the file that `pattern` matches, as "file: include".
std::vector<std::string> Includes(const fs::path& file, const std::regex& pattern) {
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (line.starts_with("#include") && std::regex_search(line, match, pattern)) {
      found.push_back(fs::relative(file, kRoot).string() + ": " + match.str());
    }
  }
  return found;
}

std::vector<std::string> IncludesBelow(const std::string& folder, const std::string& pattern) {
  std::vector<std::string> found;
  for (const fs::path& file : Sources(folder)) {
    const auto in_file = Includes(file, std::regex(pattern));
    found.insert(found.end(), in_file.begin(), in_file.end());
  }
  return found;
}

using Found = std::vector<std::string>;

TEST(Layout, IncludesRunFromToolsToQueryToEngineToPmem) {
  EXPECT_FALSE(Sources("pmem").empty());
  EXPECT_EQ(IncludesBelow("pmem", "\"(engine|query|tools|bench|tests)/"), Found());
  EXPECT_EQ(IncludesBelow("engine", "\"(query|tools|bench|tests)/"), Found());
  EXPECT_EQ(IncludesBelow("query", "\"(tools|bench|tests)/"), Found());
  EXPECT_EQ(IncludesBelow("tools", "\"(bench|tests)/"), Found());
}

TEST(Layout, HeadersOfTheMediumStayInPmem) {
  const std::string medium = "<(libpmem2\\.h|numa\\.h|numaif\\.h|ndctl/|daxctl/|liburing\\.h)";
  EXPECT_NE(IncludesBelow("pmem", medium), Found());  // the pattern finds something at all
  for (const char* folder : {"engine", "query", "tools", "bench"}) {
    EXPECT_EQ(IncludesBelow(folder, medium), Found());
  }
}

TEST(Layout, IntrinsicsStayInFilesNamedForTheirInstructionSet) {
  for (const char* folder : {"pmem", "engine", "query", "tools"}) {
    for (const fs::path& file : Sources(folder)) {
      const std::string stem = file.stem().string();
      if (stem.ends_with("_sse42") || stem.ends_with("_avx2") || stem.ends_with("_avx512"))
        continue;
      EXPECT_EQ(Includes(file, std::regex("<(immintrin|nmmintrin|x86intrin)\\.h>")), Found());
    }
  }
}

std::string ReadFile(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// "query/kernel/kernels" for query/kernel/kernels_avx2.cc.
std::string ModuleOf(const std::string& path) {
  static const std::regex ending("(_scalar|_sse42|_avx2|_avx512)?\\.(h|cc)$");
  return std::regex_replace(path, ending, "");
}

using IncludeGraph = std::map<std::string, std::set<std::string>>;

IncludeGraph IncludesOfModules() {
  static const std::regex include("^#include \"((pmem|engine|query|tools)/[^\"]+)\"");
  IncludeGraph graph;
  for (const char* folder : {"pmem", "engine", "query", "tools"}) {
    for (const fs::path& file : Sources(folder)) {
      std::ifstream in(file);
      const std::string module = ModuleOf(fs::relative(file, kRoot).string());
      for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (line.starts_with("#include") && std::regex_search(line, match, include)) {
          if (const std::string other = ModuleOf(match[1].str()); other != module) {
            graph[module].insert(other);
          }
        }
      }
    }
  }
  return graph;
}

// Removes modules that include nothing of what is left, until none does: what remains is part of a
// circle or includes one.
IncludeGraph OnlyCircles(IncludeGraph graph) {
  for (bool removed = true; removed;) {
    removed = false;
    for (auto module = graph.begin(); module != graph.end();) {
      std::erase_if(module->second, [&](const auto& other) { return !graph.contains(other); });
      removed = removed || module->second.empty();
      module = module->second.empty() ? graph.erase(module) : std::next(module);
    }
  }
  return graph;
}

TEST(Layout, FindsACircleOfIncludes) {
  const IncludeGraph graph = {{"a", {"b"}}, {"b", {"c", "d"}}, {"c", {"b"}}, {"d", {"e"}}};
  EXPECT_EQ(OnlyCircles(graph), (IncludeGraph{{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}));
}

TEST(Layout, ModulesIncludeEachOtherInNoCircle) {
  const IncludeGraph graph = IncludesOfModules();
  EXPECT_GT(graph.size(), 100u);
  EXPECT_EQ(OnlyCircles(graph), IncludeGraph());
}

// Modules that are only reached through another one, whose test is theirs.
const std::set<std::string> kTestedThroughAnother = {
    "pmem/mapped_file.h",     // the files of a directory: directory_contract_test
    "pmem/pmem2_registry.h",  // the lock around libpmem2's maps: directory_contract_test
};

// The names that a header declares for others: types, functions and constants.
std::set<std::string> DeclaredNames(const fs::path& header) {
  static const std::regex declaration(
      "^(class|struct|enum class) ([A-Z]\\w+)[^;]*$|^[^\\s/#].*?\\b([A-Z]\\w+)\\(|\\b(k[A-Z]\\w+)|"
      "^using ([A-Z]\\w+) =|^#define (\\w+)");
  std::set<std::string> names;
  std::ifstream in(header);
  for (std::string line; std::getline(in, line);) {
    line = line.substr(0, line.find("//"));
    std::smatch match;
    if (!std::regex_search(line, match, declaration)) continue;
    for (const size_t group : {2, 3, 4, 5, 6}) {
      if (match[group].matched) names.insert(match[group].str());
    }
  }
  return names;
}

bool NamesOneOf(const std::string& text, const std::set<std::string>& names) {
  static const std::regex word("\\w+");
  for (std::sregex_iterator match(text.begin(), text.end(), word), end; match != end; ++match) {
    if (names.contains(match->str())) return true;
  }
  return false;
}

// The texts of the tests, by what they include.
std::multimap<std::string, std::string> TestsByInclude() {
  static const std::regex include("#include \"([^\"]+)\"");
  std::multimap<std::string, std::string> tests;
  for (const fs::path& file : Sources("tests")) {
    if (!file.stem().string().ends_with("_test")) continue;
    const std::string text = ReadFile(file);
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end;
         ++match) {
      tests.emplace((*match)[1].str(), text);
    }
  }
  return tests;
}

// Two types of one name would be one type to the linker.
TEST(Layout, EveryTypeHasANameOfItsOwn) {
  static const std::regex definition("^(class|struct|enum class) ([A-Z]\\w+)[^;]*\\{");
  std::map<std::string, fs::path> types;
  for (const char* folder : {"pmem", "engine", "query", "tools"}) {
    for (const fs::path& file : Sources(folder)) {
      std::ifstream in(file);
      for (std::string line; file.extension() == ".h" && std::getline(in, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, definition)) continue;
        const auto [other, is_new] = types.emplace(match[2].str(), file);
        EXPECT_TRUE(is_new) << match[2].str() << " in " << other->second << " and " << file;
      }
    }
  }
  EXPECT_GT(types.size(), 200u);
}

// Some test must include the header of a module and use a name that it declares.
TEST(Layout, EveryModuleHasATestThatNamesIt) {
  const auto tests = TestsByInclude();
  for (const char* folder : {"pmem", "engine", "query"}) {
    for (const fs::path& file : Sources(folder)) {
      const fs::path header = fs::path(file).replace_extension(".h");
      if (file.extension() != ".cc" || !fs::exists(header)) continue;
      const std::string name = fs::relative(header, kRoot).string();
      if (kTestedThroughAnother.contains(name)) continue;
      const std::set<std::string> declared = DeclaredNames(header);
      const auto [first, last] = tests.equal_range(name);
      EXPECT_TRUE(std::any_of(first, last,
                              [&](const auto& test) { return NamesOneOf(test.second, declared); }))
          << "no test includes " << name << " and names what it declares";
    }
  }
}

constexpr size_t kLongestLine = 100;     // of code, as in .clang-format; a long word may exceed it
constexpr size_t kLongestFunction = 65;  // lines of its body
constexpr size_t kLongestFile = 400;     // lines of a source that is no test
constexpr size_t kFullestFolder = 30;    // files, subfolders not counted

std::vector<std::string> Lines(const fs::path& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Layout, LinesAndFilesAreShort) {
  for (const char* folder : {"pmem", "engine", "query", "tools", "bench", "tests"}) {
    for (const fs::path& file : Sources(folder)) {
      const std::vector<std::string> lines = Lines(file);
      if (folder != std::string("tests")) {
        EXPECT_LE(lines.size(), kLongestFile) << file;
      }
      bool is_raw = false;  // inside a raw string
      for (const std::string& line : lines) {
        is_raw = is_raw || line.find("R\"") != std::string::npos;
        const bool literal = is_raw || line.find('"') != std::string::npos;
        is_raw = is_raw && line.find(")\"") == std::string::npos;
        EXPECT_TRUE(line.size() <= kLongestLine || literal) << file << ": " << line;
      }
    }
  }
}

// Bodies of functions at namespace scope and of methods inside a class, told by their indentation.
std::vector<std::string> LongFunctions(const fs::path& file) {
  static const std::regex opening("^( {0,2})[^ /}].*\\).*\\{$");
  static const std::regex no_function(
      "^ *(namespace|class|struct|enum|if|for|while|switch|else)\\b");
  std::vector<std::string> found;
  size_t begin = 0;
  std::string closing;
  const std::vector<std::string> lines = Lines(file);
  for (size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (closing.empty() && std::regex_search(lines[i], match, opening) &&
        !std::regex_search(lines[i], no_function)) {
      begin = i;
      closing = match[1].str() + "}";
    } else if (!closing.empty() && lines[i].starts_with(closing)) {
      if (i - begin - 1 > kLongestFunction) {
        found.push_back(file.string() + ":" + std::to_string(begin + 1));
      }
      closing.clear();
    }
  }
  return found;
}

TEST(Layout, FunctionsAreShort) {
  for (const char* folder : {"pmem", "engine", "query", "tools", "bench"}) {
    for (const fs::path& file : Sources(folder)) EXPECT_EQ(LongFunctions(file), Found());
  }
}

TEST(Layout, FoldersShowWhatIsInThemAtAGlance) {
  for (const char* top : {"engine", "query"}) {
    std::map<fs::path, size_t> files;
    for (const fs::path& file : Sources(top)) ++files[file.parent_path()];
    for (const auto& [folder, count] : files) {
      EXPECT_LE(count, kFullestFolder) << folder << " has " << count << " files";
    }
  }
}

// Where the formatter is installed; tools/lint says what it would change.
TEST(Layout, SourcesAreFormatted) {
  if (std::system("command -v clang-format-14 >/dev/null") != 0) {
    GTEST_SKIP() << "clang-format-14 is not installed";
  }
  EXPECT_EQ(std::system("'" PMDEX_SOURCE_DIR "/tools/lint' --style >&2"), 0);
}

}  // namespace layout_test
