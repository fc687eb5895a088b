// Searches as a user: against the rights of each document, and against the same
// search without the documents that the user may not see.
#include "query/access/visible_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "query/access/access_rights.h"
#include "query/access/checked_search.h"
#include "query/searcher.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace visible_snapshot_test {

constexpr uint32_t kBob = 61002;

// Refuses some ids, and counts the questions.
class RefusingCheck final : public HitCheck {
 public:
  bool MayShow(std::string_view id, bool) const override {
    return !refused.contains(std::string(id));
  }
  std::set<std::string> refused;
};

class VisibleSnapshotTest : public IngestFixture {
 protected:
  VisibleSnapshotTest() {
    options_.format = InputFormat::kJsonl;
    options_.schema["access"] = {FieldType::kKeyword, Multiplicity::kOpen};
    options_.schema["size"] = {FieldType::kI64, Multiplicity::kOne};
    options_.index_memory_bytes = 0;
  }

  // Documents with random words and rights, in several segments.
  void Build(uint32_t seed) {
    std::mt19937 random(seed);
    const std::vector<std::string> rights = {"0:0:0644|0:0:0755", "0:0:0600|0:0:0755",
                                             "61002:1:0400|0:0:0711", "0:0:0644|0:0:0700",
                                             "0:0:0600:user::rw-,user:61002:r--,group::---,"
                                             "mask::r--,other::---"};
    for (int part = 0; part < 3; ++part) {
      std::string text;
      for (int i = 0; i < 400; ++i) {
        const std::string id = std::to_string(part) + "-" + std::to_string(i);
        const size_t right = random() % (rights.size() + 1);
        text += "{\"id\": \"" + id + "\", \"body\": \"";
        for (int words = 1 + static_cast<int>(random() % 8); words > 0; --words) {
          text += "w" + std::to_string(random() % 12) + " ";
        }
        text += "\", \"size\": " + std::to_string(random() % 50);
        if (right < rights.size()) {
          text += ", \"access\": \"" + rights[right] + "\"";
          if (MayRead({kBob, {}}, rights[right])) seen_.insert(id);
        }
        text += "}\n";
      }
      Run({Write("in.jsonl", text)}, part == 0 ? OpenMode::kOverwrite : OpenMode::kAppend);
    }
  }

  std::shared_ptr<const Snapshot> All() const { return *Snapshot::Open(*directory_); }

  static SearchResult Find(const std::shared_ptr<const Snapshot>& snapshot,
                           const std::string& query, const SearchOptions& options) {
    auto result = Searcher(snapshot).Search(query, options);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : SearchResult{};
  }

  // What of the answer over all documents may be seen, with its score.
  static std::vector<std::pair<std::string, float>> Expected(
      const std::shared_ptr<const Snapshot>& all, const std::string& query,
      const std::set<std::string>& seen) {
    SearchOptions options;
    options.k = 10000;
    options.exhaustive = true;
    std::vector<std::pair<std::string, float>> hits;
    const SearchResult result = Find(all, query, options);
    for (const Hit& hit : result.hits) {
      if (seen.contains(std::string(hit.id))) hits.emplace_back(hit.id, hit.score);
    }
    return hits;
  }

  void Compare(const SearchResult& result,
               const std::vector<std::pair<std::string, float>>& expected, size_t k) {
    ASSERT_EQ(result.hits.size(), std::min(k, expected.size()));
    for (size_t i = 0; i < result.hits.size(); ++i) {
      EXPECT_EQ(result.hits[i].id, expected[i].first);
      EXPECT_EQ(result.hits[i].score, expected[i].second);
    }
  }

  std::set<std::string> seen_;
};

const std::vector<std::string>& Queries() {
  static const std::vector<std::string> queries = {
      "w1",     "w1 w2", "+w1 +w2",   "w3 -w4",          "*",
      "NOT w5", "w1*",   "\"w1 w2\"", "size:[10 TO 20]", "+w6 +size:>30"};
  return queries;
}

TEST_F(VisibleSnapshotTest, ShowsAndCountsOnlyWhatTheUserMayRead) {
  Build(3);
  ASSERT_GT(seen_.size(), 100u);
  const auto all = All();
  const auto visible = ShowOnlyTo({kBob, {}}, all);
  ASSERT_TRUE(visible.ok()) << visible.status();
  EXPECT_EQ((*visible)->live_doc_count(), seen_.size());
  for (const std::string& query : Queries()) {
    const auto expected = Expected(all, query, seen_);
    for (const bool count : {false, true}) {
      SearchOptions options;
      options.count = count;
      const SearchResult result = Find(*visible, query, options);
      Compare(result, expected, options.k);
      if (count) {
        EXPECT_EQ(result.total, expected.size()) << query;
      }
      EXPECT_LE(result.total, expected.size()) << query;
    }
  }
}

TEST_F(VisibleSnapshotTest, ShowsTheUserZeroEverythingAndAStrangerWhatAllMayRead) {
  Build(4);
  const auto all = All();
  EXPECT_EQ(*ShowOnlyTo({0, {}}, all), all);
  const auto visible = ShowOnlyTo({61009, {}}, all);
  ASSERT_TRUE(visible.ok());
  EXPECT_LT((*visible)->live_doc_count(), seen_.size());
  EXPECT_GT((*visible)->live_doc_count(), 0u);
}

TEST_F(VisibleSnapshotTest, HidesAllDocumentsOfAnIndexWithoutRights) {
  options_.schema.clear();
  Run({Write("a.jsonl", "{\"id\": \"1\", \"body\": \"w1\"}\n")});
  const auto visible = ShowOnlyTo({kBob, {}}, All());
  ASSERT_TRUE(visible.ok());
  EXPECT_EQ((*visible)->live_doc_count(), 0u);
}

TEST_F(VisibleSnapshotTest, LeavesOutWhatIsRefusedWhenTheAnswerIsMade) {
  Build(5);
  const auto all = All();
  const auto visible = *ShowOnlyTo({kBob, {}}, all);
  RefusingCheck check;
  size_t number = 0;
  for (const std::string& id : seen_) {
    if (++number % 3 == 0) check.refused.insert(id);
  }
  std::set<std::string> left;
  std::set_difference(seen_.begin(), seen_.end(), check.refused.begin(), check.refused.end(),
                      std::inserter(left, left.end()));
  for (const std::string& query : Queries()) {
    const auto expected = Expected(all, query, left);
    for (const bool count : {false, true}) {
      SearchOptions options;
      options.check = &check;
      options.count = count;
      const SearchResult result = Find(visible, query, options);
      Compare(result, expected, options.k);
      EXPECT_LE(result.total, expected.size()) << query << ": it counts what may not be seen";
      if (count) {
        EXPECT_TRUE(result.total_exact && result.total == expected.size()) << query;
      }
    }
  }
}

TEST_F(VisibleSnapshotTest, ACheckedSearchRunsAgainUntilNothingIsRefused) {
  Build(5);
  const auto all = All();
  int rounds = 0;
  const auto find = [&rounds](const Snapshot& snapshot, size_t k) {
    ++rounds;
    SearchOptions options;
    options.k = k;
    options.exhaustive = true;
    return Searcher(std::shared_ptr<const Snapshot>(std::shared_ptr<void>(), &snapshot))
        .Search("w1", options);
  };
  CheckedSearch search;
  search.answer = [&find](const Snapshot& snapshot) { return find(snapshot, 5); };
  search.find_all = [&find](const Snapshot& snapshot) { return find(snapshot, 10000); };
  const auto first = search.find_all(*all);
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_GT(first->hits.size(), 10u);
  RefusingCheck check;
  for (size_t i = 0; i < 7; ++i) check.refused.emplace(first->hits[i].id);
  for (const bool counts_all : {false, true}) {
    rounds = 0;
    search.counts_all = counts_all;
    const auto result = RunChecked(*all, check, search);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->hits.size(), 5u);
    EXPECT_EQ(result->hits[0].id, first->hits[7].id);
    EXPECT_EQ(result->total, counts_all ? first->total - 7 : 5);
    EXPECT_EQ(result->total_exact, counts_all);
    EXPECT_GE(rounds, 2);
  }
}

TEST_F(VisibleSnapshotTest, SummarizesOnlyWhatMayBeShown) {
  Build(6);
  const auto visible = *ShowOnlyTo({kBob, {}}, All());
  RefusingCheck check;
  check.refused.insert(*seen_.begin());
  SearchOptions options;
  options.check = &check;
  options.aggregations.push_back(Aggregation());
  options.aggregations.back().field = "size";
  options.aggregations.back().kind = AggregationKind::kStats;
  const SearchResult result = Find(visible, "*", options);
  ASSERT_EQ(result.aggregations.size(), 1u);
  EXPECT_EQ(result.total, seen_.size() - 1);
  EXPECT_EQ(result.aggregations[0].stats.count, seen_.size() - 1);
}

// The values that a terms aggregation shows, of documents that match no query.
std::set<std::string> ValuesWithoutMatches(const std::shared_ptr<const Snapshot>& snapshot,
                                           const std::string& field, const HitCheck* check) {
  SearchOptions options;
  options.check = check;
  Aggregation request;
  request.field = field;
  request.min_doc_count = 0;
  request.size = 10000;
  options.aggregations = {request};
  // Of a bucket without documents, too.
  Aggregation filters;
  filters.kind = AggregationKind::kFilters;
  const auto none = std::make_shared<Query>();
  filters.filters = {{"none", none}};
  filters.below = {request};
  options.aggregations.push_back(filters);
  const auto result = Searcher(snapshot).Search("absent", options);
  EXPECT_TRUE(result.ok()) << result.status();
  if (!result.ok()) return {};
  std::set<std::string> values;
  for (const AggregationBucket& bucket : result->aggregations[0].buckets) {
    EXPECT_EQ(bucket.count, 0u);
    const bool is_keyword = bucket.key.type == FieldType::kKeyword;
    values.insert(is_keyword ? bucket.key.keyword : std::to_string(bucket.key.i64()));
  }
  EXPECT_EQ(result->aggregations[1].buckets[0].below[0].buckets.size(), values.size());
  return values;
}

TEST_F(VisibleSnapshotTest, PlansWithoutCountsOfHiddenDocuments) {
  Build(6);
  const RefusingCheck check;
  for (const bool is_checked : {false, true}) {
    SearchOptions options;
    options.explain = true;
    if (is_checked) options.check = &check;
    const SearchResult result = Find(*ShowOnlyTo({kBob, {}}, All()), "+w1 +size:>30", options);
    ASSERT_TRUE(result.plan.has_value());
    ASSERT_EQ(result.plan->clauses.size(), 2u);
    EXPECT_EQ(result.plan->clauses[1].estimate.has_value(), !is_checked);
  }
}

TEST_F(VisibleSnapshotTest, ListsNoTermsOfDocumentsThatMayNotBeShown) {
  options_.schema["word"] = {FieldType::kKeyword, Multiplicity::kOpen};
  const auto line = [](const std::string& id, const std::string& rest) {
    return "{\"id\": \"" + id + "\", \"access\": " + rest + "}\n";
  };
  const std::string all_may = R"("0:0:0644|0:0:0755", )";
  const std::string root_may = R"("0:0:0600|0:0:0755", )";
  Run({Write("in.jsonl", line("1", all_may + R"("word": ["apple", "both"], "size": 1)") +
                             line("2", root_may + R"("word": ["secret", "both"], "size": 2)") +
                             line("3", all_may + R"("word": "closed now", "size": 3)"))});
  Run({Write("in.jsonl", line("4", root_may + R"("word": "hidden", "size": 4)"))},
      OpenMode::kAppend);
  using Values = std::set<std::string>;
  const auto all = All();
  EXPECT_EQ(ValuesWithoutMatches(all, "word", nullptr),
            (Values{"apple", "both", "closed now", "hidden", "secret"}));
  EXPECT_EQ(ValuesWithoutMatches(all, "size", nullptr), (Values{"1", "2", "3", "4"}));
  const auto visible = *ShowOnlyTo({kBob, {}}, all);
  EXPECT_EQ(ValuesWithoutMatches(visible, "word", nullptr),
            (Values{"apple", "both", "closed now"}));
  RefusingCheck check;
  check.refused = {"3"};
  EXPECT_EQ(ValuesWithoutMatches(visible, "word", &check), (Values{"apple", "both"}));
  EXPECT_EQ(ValuesWithoutMatches(visible, "size", &check), (Values{"1"}));
}

}  // namespace visible_snapshot_test
}  // namespace pmdex
