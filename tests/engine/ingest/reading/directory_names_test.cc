#include "engine/ingest/reading/directory_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace pmdex {
namespace directory_names_test {

struct Listed {
  std::string name;
  unsigned char type;
  bool operator==(const Listed&) const = default;
  bool operator<(const Listed& other) const { return name < other.name; }
};

// All passes over a directory whose entries come in another order each time.
std::vector<Listed> ListAll(std::vector<Listed> directory, size_t budget_bytes, int& passes) {
  std::mt19937 random(5);
  DirectoryNames names(budget_bytes);
  std::vector<Listed> listed;
  passes = 0;
  do {
    std::shuffle(directory.begin(), directory.end(), random);
    names.BeginPass();
    for (const Listed& entry : directory) {
      names.Add(entry.name, entry.type);
      EXPECT_LE(names.used_bytes(), std::max<size_t>(budget_bytes, 300));
    }
    names.EndPass();
    for (size_t i = 0; i < names.size(); ++i) {
      listed.push_back({std::string(names.name(i)), names.type(i)});
    }
    ++passes;
  } while (names.has_more() && passes < 10000);
  return listed;
}

std::vector<Listed> RandomDirectory(size_t entries) {
  std::mt19937 random(4);
  std::vector<Listed> directory;
  for (size_t i = 0; i < entries; ++i) {
    std::string name = std::to_string(i) + "\xff";
    for (auto letters = random() % 20; letters > 0; --letters) {
      name += static_cast<char>(1 + random() % 255);
    }
    std::reverse(name.begin(), name.end());
    directory.push_back({name, static_cast<unsigned char>(random() % 256)});
  }
  return directory;
}

TEST(DirectoryNames, GivesAllEntriesInOrderWhateverTheBudget) {
  std::vector<Listed> directory = RandomDirectory(1500);
  std::vector<Listed> sorted = directory;
  std::sort(sorted.begin(), sorted.end());
  for (const size_t budget_bytes :
       {size_t{0}, size_t{100}, size_t{1000}, size_t{20'000}, size_t{1} << 20}) {
    int passes = 0;
    EXPECT_EQ(ListAll(directory, budget_bytes, passes), sorted) << budget_bytes;
    EXPECT_EQ(passes == 1, budget_bytes == size_t{1} << 20) << budget_bytes << " " << passes;
  }
}

TEST(DirectoryNames, GivesNothingOfAnEmptyDirectory) {
  int passes = 0;
  EXPECT_TRUE(ListAll({}, 1000, passes).empty());
  EXPECT_EQ(passes, 1);
}

TEST(DirectoryNames, GivesNoNameTwiceWhenTheDirectoryChanges) {
  DirectoryNames names(64);
  std::vector<std::string> listed;
  const auto pass = [&](const std::vector<std::string>& directory) {
    names.BeginPass();
    for (const std::string& name : directory) names.Add(name, 0);
    names.EndPass();
    for (size_t i = 0; i < names.size(); ++i) listed.emplace_back(names.name(i));
    return names.has_more();
  };
  const std::vector<std::string> before = {"e5555555555", "d4444444444", "c3333333333",
                                           "b2222222222", "a1111111111"};
  ASSERT_TRUE(pass(before));
  const size_t first = listed.size();
  ASSERT_LT(first, before.size());
  while (pass({"a0", "a1111111111", "b2222222222", "c3333333333", "d4444444444", "z"})) {
  }
  EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
  EXPECT_EQ(std::adjacent_find(listed.begin(), listed.end()), listed.end());
  EXPECT_EQ(listed.back(), "z") << "it came behind what was listed";
  EXPECT_EQ(std::count(listed.begin(), listed.end(), "a0"), 0) << "it came before";
}

}  // namespace directory_names_test
}  // namespace pmdex
