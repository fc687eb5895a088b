// Runs each fuzz target over its seeds, over earlier findings (tests/regression/TARGET), and over
// the files of the golden index. It needs no libFuzzer, so it runs in every build. A finding
// aborts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// PMDEX_FUZZERS is X(first_fuzzer) X(second_fuzzer) ...: the build compiles each target once more,
// with this name for its entry point.
#define X(target) extern "C" int pmdex_##target(const uint8_t* data, size_t size);
PMDEX_FUZZERS
#undef X

namespace pmdex {
namespace replay_test {

namespace fs = std::filesystem;

struct FuzzTarget {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};

constexpr FuzzTarget kTargets[] = {
#define X(target) {#target, pmdex_##target},
    PMDEX_FUZZERS
#undef X
};

std::vector<fs::path> FilesIn(const fs::path& directory) {
  std::vector<fs::path> files;
  if (!fs::exists(directory)) return files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<uint8_t> BytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class FuzzTargets : public testing::TestWithParam<FuzzTarget> {};

TEST_P(FuzzTargets, TakeEverySeedAndEveryOldFinding) {
  const fs::path tests = fs::path(PMDEX_SOURCE_DIR) / "tests";
  size_t files = 0;
  for (const fs::path& directory :
       {tests / "fuzz/corpus" / GetParam().name, tests / "regression" / GetParam().name,
        tests / "golden/v2/index"}) {
    for (const fs::path& file : FilesIn(directory)) {
      SCOPED_TRACE(file.string());
      const std::vector<uint8_t> bytes = BytesOf(file);
      ASSERT_EQ(GetParam().run(bytes.data(), bytes.size()), 0);
      ++files;
    }
  }
  EXPECT_GE(files, 3u);
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace replay_test
}  // namespace pmdex
