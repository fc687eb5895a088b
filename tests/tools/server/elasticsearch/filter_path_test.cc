#include "tools/server/elasticsearch/filter_path.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace pmdex {
namespace filter_path_test {

// The answer of a bulk, whose items are raw.
Json Answer() {
  Json item = RawJson(R"({"_id":"1","_shards":{"total":1,"failed":0},"status":201})");
  return {{"errors", false}, {"took", 3}, {"items", {{{"index", item}}, {{"create", item}}}}};
}

std::string Filtered(const std::vector<std::string>& patterns) {
  return ToJsonText(FilteredByPath(Answer(), patterns));
}

TEST(FilterPath, KeepsWhatThePatternsReach) {
  EXPECT_EQ(Filtered({"errors"}), R"({"errors":false})");
  EXPECT_EQ(Filtered({"items.*.status"}),
            R"({"items":[{"index":{"status":201}},{"create":{"status":201}}]})");
  EXPECT_EQ(Filtered({"**.failed", "took"}),
            R"({"took":3,"items":[{"index":{"_shards":{"failed":0}}},)"
            R"({"create":{"_shards":{"failed":0}}}]})");
  EXPECT_EQ(Filtered({"nothing.at.all"}), "{}");
}

TEST(FilterPath, LeavesOutWhatIsExcluded) {
  EXPECT_EQ(Filtered({"-items"}), R"({"errors":false,"took":3})");
  EXPECT_EQ(Filtered({"items.index", "-items.*._shards"}),
            R"({"items":[{"index":{"_id":"1","status":201}}]})");
}

// A random tree in which some values are raw.
Json RandomTree(std::mt19937_64& random, int depth) {
  const uint64_t kind = depth == 0 ? 0 : random() % 3;
  Json tree = random() % 10;
  if (kind == 1) {
    tree = Json::array();
    for (uint64_t i = random() % 3; i > 0; --i) tree.push_back(RandomTree(random, depth - 1));
  } else if (kind == 2) {
    tree = Json::object();
    for (uint64_t i = random() % 4; i > 0; --i) {
      tree[std::string(1, static_cast<char>('a' + random() % 3))] = RandomTree(random, depth - 1);
    }
  }
  return random() % 4 == 0 ? RawJson(ToJsonText(tree)) : tree;
}

TEST(FilterPath, GivesTheSameForRawValuesAsForParsedOnes) {
  std::mt19937_64 random(1);
  const std::vector<std::vector<std::string>> filters = {
      {"a"}, {"a.b", "c"}, {"*.a"}, {"**.b"}, {"-a"}, {"a", "-**.c"}, {"-*.a", "-b"}};
  for (int round = 0; round < 2000; ++round) {
    const Json tree = {{"a", RandomTree(random, 4)}, {"b", RandomTree(random, 4)}};
    Json parsed = tree;
    ParseRawJson(parsed);
    for (const std::vector<std::string>& patterns : filters) {
      ASSERT_EQ(ToJsonText(FilteredByPath(tree, patterns)),
                ToJsonText(FilteredByPath(parsed, patterns)))
          << parsed.dump() << " by " << patterns.front();
    }
  }
}

}  // namespace filter_path_test
}  // namespace pmdex
