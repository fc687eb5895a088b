// Checks rules that a compiler does not check: includes go in one direction, headers of the medium
// are used in pmem/ only, intrinsics in the files named for them only, and every source has a test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace layout_test {

namespace fs = std::filesystem;

const fs::path kRoot = PMDEX_SOURCE_DIR;

std::vector<fs::path> Sources(const std::string& folder) {
  std::vector<fs::path> sources;
  if (!fs::exists(kRoot / folder)) return sources;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc") sources.push_back(entry.path());
  }
  return sources;
}

// The includes of the file that match the pattern, as "file: include".
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
  const std::string medium = "<(libpmem2\\.h|numa\\.h|numaif\\.h|ndctl/|daxctl/)";
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

// Headers that are only used through another one, whose test covers them.
const std::set<std::string> kTestedThroughAnother = {
    "pmem/mapped_file.h",     // the files of a directory: directory_contract_test
    "pmem/pmem2_registry.h",  // the lock around libpmem2's maps: directory_contract_test
};

// Some test must include the header of each source.
TEST(Layout, EverySourceHasItsTest) {
  for (const char* folder : {"pmem", "engine", "query"}) {
    for (const fs::path& file : Sources(folder)) {
      const fs::path header = fs::path(file).replace_extension(".h");
      if (file.extension() != ".cc" || !fs::exists(header)) continue;
      const std::string name = fs::relative(header, kRoot).string();
      if (kTestedThroughAnother.contains(name)) continue;
      EXPECT_NE(IncludesBelow("tests", "\"" + name + "\""), Found()) << "no test includes " << name;
    }
  }
}

}  // namespace layout_test
