// Hits in the order of fields, against a sort of all matches in the test itself.
#include "query/algorithm/sorted/sorted_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "engine/segment/live_docs.h"
#include "query/planning/planner.h"
#include "query/planning/query_binder.h"
#include "query/result/doc_value.h"
#include "query/result/sort_keys.h"
#include "query/searcher.h"
#include "tests/support/column_index.h"
#include "tests/support/effort.h"
#include "tests/support/random_corpus.h"

namespace pmdex {
namespace sorted_search_test {

int CompareValues(FieldType type, const ColumnValue& a, const ColumnValue& b) {
  const auto sign = [](const auto& x, const auto& y) { return x < y ? -1 : y < x ? 1 : 0; };
  switch (type) {
    case FieldType::kI64:
    case FieldType::kDate:
      return sign(std::bit_cast<int64_t>(a.bits), std::bit_cast<int64_t>(b.bits));
    case FieldType::kF64:
      return sign(std::bit_cast<double>(a.bits), std::bit_cast<double>(b.bits));
    case FieldType::kKeyword:
      return sign(a.keyword, b.keyword);
    default:
      return sign(a.bits, b.bits);
  }
}

class SortedSearchTest : public testing::TestWithParam<bool> {
 protected:
  static constexpr uint32_t kDocs = 13'000;

  // Less than 0 if document a comes before b by this key.
  int Compare(const SortKey& key, uint64_t a, uint64_t b) const {
    if (key.field == "_doc") return (a < b ? -1 : a > b ? 1 : 0) * (key.descending ? -1 : 1);
    const RandomColumn& column = index_.column(key.field);
    const ColumnValue* const x = Chosen(column, column.values[a], key.descending);
    const ColumnValue* const y = Chosen(column, column.values[b], key.descending);
    if (x == nullptr || y == nullptr) return (x == nullptr ? 1 : 0) - (y == nullptr ? 1 : 0);
    const int order = CompareValues(column.type, *x, *y);
    return key.descending ? -order : order;
  }
  int Compare(const std::vector<SortKey>& keys, uint64_t a, uint64_t b) const {
    for (const SortKey& key : keys) {
      const int order = Compare(key, a, b);
      if (order != 0) return order;
    }
    return 0;
  }

  std::vector<uint64_t> Sorted(std::vector<uint64_t> docs, const std::vector<SortKey>& keys) const {
    std::stable_sort(docs.begin(), docs.end(),
                     [&](uint64_t a, uint64_t b) { return Compare(keys, a, b) < 0; });
    return docs;
  }

  static std::vector<uint64_t> Matches(uint32_t divisor) {
    std::vector<uint64_t> docs;
    for (uint64_t doc = 0; doc < kDocs; doc += divisor) docs.push_back(doc);
    return docs;
  }

  SearchResult Search(const std::string& query, const std::vector<SortKey>& keys, size_t k,
                      bool count = false) const {
    SearchOptions options;
    options.sort = keys;
    options.k = k;
    options.count = count;
    const auto result = searcher_.Search(query, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *result : SearchResult();
  }

  const ColumnIndex index_ = MakeColumnIndex(21, {8000, 200, 4800}, GetParam());
  const Searcher searcher_{index_.snapshot};
  SeededRandom random_{3};

 private:
  static const ColumnValue* Chosen(const RandomColumn& column,
                                   const std::vector<ColumnValue>& values, bool descending) {
    const ColumnValue* chosen = nullptr;
    for (const ColumnValue& value : values) {
      const int order = chosen == nullptr ? 0 : CompareValues(column.type, value, *chosen);
      if (chosen == nullptr || (descending ? order > 0 : order < 0)) chosen = &value;
    }
    return chosen;
  }
};

TEST_P(SortedSearchTest, GivesTheFirstOfAllMatchesInTheOrderOfTheFields) {
  const std::pair<const char*, uint32_t> queries[] = {
      {"all", 1}, {"w2", 2}, {"w7", 7}, {"w300", 300}};
  for (int round = 0; round < Rounds(120); ++round) {
    std::vector<SortKey> keys;
    for (size_t left = 1 + random_.Below(3); left > 0; --left) {
      const std::string& name = index_.columns[random_.Below(index_.columns.size())].name;
      keys.push_back({random_.OneIn(8) ? "_doc" : name, random_.OneIn(2)});
    }
    const auto& [query, divisor] = queries[random_.Below(std::size(queries))];
    const size_t k = 1 + random_.Below(60);
    std::vector<uint64_t> expected = Sorted(Matches(divisor), keys);
    const size_t matches = expected.size();
    expected.resize(std::min(k, expected.size()));
    const SearchResult found = Search(query, keys, k, true);
    ASSERT_EQ(found.hits.size(), expected.size());
    EXPECT_EQ(found.total, matches);
    EXPECT_TRUE(found.total_exact);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(found.hits[i].doc, expected[i]) << keys[0].field << " " << i;
    }
    ASSERT_EQ(found.sort_values.size(), expected.size());
    ASSERT_EQ(found.sort_values[0].size(), keys.size());
  }
}

TEST_P(SortedSearchTest, GoesOnBehindTheValuesOfAHit) {
  for (const char* const field : {"n", "big", "f", "time", "level", "tags", "rare", "flag"}) {
    for (const bool descending : {false, true}) {
      const std::vector<SortKey> keys = {{field, descending}, {"_doc", false}};
      const std::vector<uint64_t> expected = Sorted(Matches(7), keys);
      std::vector<uint64_t> found;
      SearchOptions options;
      options.sort = keys;
      options.k = 400;
      while (found.size() < expected.size()) {
        const auto page = searcher_.Search("w7", options);
        ASSERT_TRUE(page.ok()) << page.status();
        ASSERT_FALSE(page->hits.empty());
        for (const Hit& hit : page->hits) found.push_back(hit.doc);
        options.sort_after.clear();
        for (const DocValue& value : page->sort_values.back()) {
          SortAfter after{value.missing, value.keyword};
          if (value.type == FieldType::kF64) {
            char text[64];
            after.text.assign(
                text, static_cast<size_t>(snprintf(text, sizeof text, "%.17g", value.f64())));
          } else if (value.type == FieldType::kU64) {
            after.text = std::to_string(value.bits);
          } else if (value.type == FieldType::kBool) {
            after.text = value.bits != 0 ? "true" : "false";
          } else if (value.type == FieldType::kI64) {
            after.text = std::to_string(value.i64());
          } else if (value.type == FieldType::kDate) {
            after.text = std::to_string(value.i64() / 1'000'000);
          }
          options.sort_after.push_back(after);
        }
      }
      EXPECT_EQ(found, expected) << field;
    }
  }
}

TEST_P(SortedSearchTest, SortsByScoreAsTheRankingDoes) {
  SearchOptions ranked;
  ranked.k = 50;
  const auto expected = searcher_.Search("w7 w2 w300", ranked);
  const SearchResult found = Search("w7 w2 w300", {{"_score", true}}, 50);
  ASSERT_TRUE(expected.ok());
  ASSERT_EQ(found.hits.size(), expected->hits.size());
  for (size_t i = 0; i < found.hits.size(); ++i) {
    EXPECT_EQ(found.hits[i].doc, expected->hits[i].doc);
    EXPECT_EQ(found.hits[i].score, expected->hits[i].score);
    EXPECT_EQ(found.sort_values[i][0].f64(), double{expected->hits[i].score});
  }
}

TEST_P(SortedSearchTest, GivesTheScoreOfEachHit) {
  SearchOptions all;
  all.k = kDocs;
  all.exhaustive = true;
  const auto expected = searcher_.Search("w7 w300", all);
  ASSERT_TRUE(expected.ok());
  for (const Hit& hit : Search("w7 w300", {{"big", false}}, 100).hits) {
    const auto same = std::find_if(expected->hits.begin(), expected->hits.end(),
                                   [&](const Hit& other) { return other.doc == hit.doc; });
    ASSERT_NE(same, expected->hits.end());
    EXPECT_EQ(hit.score, same->score);
  }
}

TEST_P(SortedSearchTest, RefusesFieldsWithoutAnOrder) {
  const auto reason = [&](const std::vector<SortKey>& keys, std::vector<SortAfter> after) {
    SearchOptions options;
    options.sort = keys;
    options.sort_after = std::move(after);
    return std::string(Message(searcher_.Search("all", options).status()));
  };
  EXPECT_EQ(reason({{"absent", false}}, {}), "sort: no document has the field absent");
  EXPECT_EQ(reason({{"body", false}}, {}), "sort: the field body is text, which has no order");
  EXPECT_EQ(reason({{"n", false}}, {{}, {}}), "after: 2 values for 1 keys to sort by");
  EXPECT_EQ(reason({{"n", false}}, {{false, "x"}}), "after: 'x' is no value of n");
}

TEST_P(SortedSearchTest, GivesTheValuesOfFields) {
  SearchOptions options;
  options.k = 100;
  options.fields_out = {"tags", "big"};
  const auto result = searcher_.Search("w7", options);
  ASSERT_TRUE(result.ok());
  for (size_t i = 0; i < result->hits.size(); ++i) {
    const uint64_t doc = result->hits[i].doc;
    const auto& tags = index_.column("tags").values[doc];
    ASSERT_EQ(result->field_values[i][0].size(), tags.size());
    for (size_t j = 0; j < tags.size(); ++j) {
      EXPECT_EQ(result->field_values[i][0][j].keyword, tags[j].keyword);
    }
    EXPECT_EQ(result->field_values[i][1][0].bits, index_.column("big").values[doc][0].bits);
  }
  options.fields_out = {"body"};
  EXPECT_FALSE(searcher_.Search("w7", options).ok());
}

INSTANTIATE_TEST_SUITE_P(Tiers, SortedSearchTest, testing::Bool(), [](const auto& compressed) {
  return compressed.param ? "Compressed" : "Uncompressed";
});

TEST(SortKeys, AreReadFromAFlag) {
  const auto keys = ParseSortKeys("size:desc,_score,a:b,mtime:asc");
  ASSERT_TRUE(keys.ok());
  ASSERT_EQ(keys->size(), 4u);
  EXPECT_EQ((*keys)[0].field, "size");
  EXPECT_TRUE((*keys)[0].descending);
  EXPECT_TRUE((*keys)[1].descending);
  EXPECT_EQ((*keys)[2].field, "a:b");
  EXPECT_FALSE((*keys)[3].descending);
  EXPECT_FALSE(ParseSortKeys("").ok());
  EXPECT_FALSE(ParseSortKeys("a,,b").ok());
}

TEST(SortedSearch, SaysWhenTheHitsAreAllMatches) {
  const ColumnIndex index = MakeColumnIndex(5, {50, 7});
  Query all;
  all.kind = QueryKind::kAll;
  const Deadline deadline;
  const QueryBinding binding =
      BindQuery(all, *index.snapshot, SimilarityKind::kBm25, deadline).value();
  PlanOptions options;
  options.k = 0;
  const SearchPlan plan = PlanSearch(binding, options);
  SortRequest request;
  request.keys = BindSortKeys({{"n", false}}, *index.snapshot).value();
  for (const size_t k : {5u, 100u}) {
    request.k = k;
    const auto sorted = SearchSorted({binding, plan, BestQueryKernels(), deadline}, request);
    ASSERT_TRUE(sorted.ok()) << sorted.status();
    EXPECT_EQ(sorted->docs.size(), std::min<size_t>(k, 57));
    EXPECT_EQ(sorted->values.size(), sorted->docs.size());
    EXPECT_TRUE(
        std::is_sorted(sorted->values.begin(), sorted->values.end(),
                       [](const auto& a, const auto& b) { return a[0].i64() < b[0].i64(); }));
    if (k == 100) {
      EXPECT_TRUE(sorted->saw_all);
      EXPECT_EQ(sorted->seen, 57u);
    }
  }
}

}  // namespace sorted_search_test
}  // namespace pmdex
