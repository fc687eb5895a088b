#include "tools/server/status_pages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/column_index.h"
#include "tests/support/deletions.h"
#include "tests/tools/server/served_library.h"
#include "tools/server/elasticsearch/endpoints/index_facts.h"

namespace pmdex {
namespace status_pages_test {

using nlohmann::json;
using testing::HasSubstr;

TEST(StatusPages, TellDeletedDocumentsFromOthers) {
  const auto served = ServedLibrary("books", {"a b", "c", "d"});
  ServedIndex index = *served;
  const auto deleted = WithDeletions(served->searcher->snapshot(), std::vector<uint64_t>{1});
  index.searcher = std::make_shared<const Searcher>(deleted);
  const json facts = json::parse(IndexStatsJson(index));
  EXPECT_EQ(facts["documents"], 2);
  EXPECT_EQ(facts["deleted_documents"], 1);
  EXPECT_EQ(FactsOf(index).documents, 2u);
  EXPECT_EQ(FactsOf(index).deleted, 1u);
}

TEST(StatusPages, TellTheFactsOfAnIndex) {
  const auto index = ServedLibrary("books", {"a b", "b c", "c"});
  const json facts = json::parse(IndexStatsJson(*index));
  EXPECT_EQ(facts["name"], "books");
  EXPECT_EQ(facts["documents"], 3);
  EXPECT_EQ(facts["tokens"], 5);
  EXPECT_EQ(facts["postings"], 5);
  EXPECT_EQ(facts["segments"].size(), 2u);
  EXPECT_EQ(facts["bytes"]["total"], facts["bytes"]["uncompressed"]);
  const json all = json::parse(ServerStatsJson({index, ServedLibrary("other", {"x"})}, {}));
  EXPECT_EQ(all["indexes"].size(), 2u);
  EXPECT_EQ(all["indexes"][1]["name"], "other");
}

TEST(StatusPages, TellTheTypesOfFields) {
  const auto index = ServedSnapshot("typed", MakeColumnIndex(1, {300, 100}).snapshot);
  std::map<std::string, json> fields;
  const json facts = json::parse(IndexStatsJson(*index));
  for (const json& field : facts["fields"]) fields[field["name"]] = field;
  EXPECT_EQ(fields["body"]["type"], "text");
  EXPECT_EQ(fields["body"]["documents"], 400);
  EXPECT_EQ(fields["n"], json::parse(R"({"name": "n", "type": "i64", "multi": false,
                                         "documents": 400})"));
  EXPECT_EQ(fields["time"]["type"], "date");
  EXPECT_EQ(fields["tags"]["multi"], true);
  EXPECT_EQ(fields["level"], json::parse(R"({"name": "level", "type": "keyword", "multi": false,
                                             "documents": 400, "keywords": 5})"));
}

std::string MetricsOf(ServedIndexes indexes) {
  const auto catalog = IndexCatalog::Of(std::move(indexes));
  MetricSources sources;
  sources.catalog = catalog.get();
  return MetricsText(sources);
}

TEST(StatusPages, ShowTheMetricsOfWhatTheyAreGiven) {
  const std::string text = MetricsOf({ServedLibrary("books", {"a b", "b c", "c"})});
  EXPECT_THAT(text, HasSubstr("pmdex_index_documents{index=\"books\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("pmdex_index_bytes{index=\"books\",tier=\"uncompressed\"} "));
  EXPECT_THAT(text, HasSubstr("\nprocess_resident_memory_bytes "));
}

TEST(StatusPages, HaveABoundedNumberOfLabels) {
  ServedIndexes indexes;
  for (int i = 0; i < 70; ++i)
    indexes.push_back(ServedLibrary("n" + std::to_string(i), {"a", "b"}));
  const std::string text = MetricsOf(std::move(indexes));
  EXPECT_THAT(text, HasSubstr("pmdex_index_documents{index=\"n63\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("pmdex_index_documents{index=\"_other\"} 12\n"));
  EXPECT_THAT(text, HasSubstr("pmdex_index_bytes{index=\"_other\",tier=\"compressed\"} 0\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("\"n64\"")));
}

}  // namespace status_pages_test
}  // namespace pmdex
