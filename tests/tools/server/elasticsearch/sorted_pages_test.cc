// Pages of hits in the order of dates: search_after begins behind the values that an answer shows,
// so that pages one after another have each hit once.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/columns/date_text.h"
#include "tests/support/random_corpus.h"
#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/search/search_sort.h"

namespace pmdex {
namespace sorted_pages_test {

constexpr int kDocuments = 90;
constexpr int64_t kBegin = 1'577'836'800'000'000'000;  // 2020

struct Dated {
  std::string id;
  int64_t nanoseconds = 0;
  int64_t number = 0;
};

std::vector<Dated> MakeDocuments() {
  SeededRandom random(29);
  std::vector<Dated> documents;
  for (int i = 0; i < kDocuments; ++i) {
    Dated& document = documents.emplace_back();
    document.id = std::to_string(i);
    document.nanoseconds = kBegin + static_cast<int64_t>(random.Below(40)) * 100'000;
    document.number = static_cast<int64_t>(random.Below(1'000'000));
  }
  return documents;
}

class SortedPages : public testing::TestWithParam<bool> {
 protected:
  // type: date or date_nanos
  void Fill(const std::string& type) {
    server_.Send("PUT", "/d",
                 R"({"mappings": {"properties": {"t": {"type": ")" + type + R"("}}}})");
    std::string lines;
    for (const Dated& document : documents_) {
      lines += R"({"index": {"_id": ")" + document.id + "\"}}\n";
      lines += R"({"t": ")" + FormatDate(document.nanoseconds) + R"(", "n": )" +
               std::to_string(document.number) + "}\n";
    }
    EXPECT_EQ(server_.Ask("POST", "/d/_bulk?refresh=true", lines)["errors"], false);
  }
  // All hits by the date and, within one of its units, by the number.
  std::vector<std::string> Expected(int64_t unit) const {
    std::vector<Dated> sorted = documents_;
    const auto key = [&](const Dated& document) {
      const int64_t date = document.nanoseconds / unit;
      return std::pair(GetParam() ? -date : date, document.number);
    };
    std::sort(sorted.begin(), sorted.end(),
              [&](const Dated& a, const Dated& b) { return key(a) < key(b); });
    std::vector<std::string> ids;
    for (const Dated& document : sorted) ids.push_back(document.id);
    return ids;
  }
  Json Page(const std::string& size, const std::string& after) {
    const std::string order = GetParam() ? "desc" : "asc";
    return server_.Ask(
        "POST", "/d/_search",
        R"({"size": )" + size + after + R"(, "sort": [{"t": ")" + order + R"("}, "n"]})");
  }
  std::vector<std::string> PageByPage() {
    std::vector<std::string> ids;
    std::string after;
    while (ids.size() <= kDocuments) {
      const Json page = Page("7", after);
      if (!page.contains("hits") || page["hits"]["hits"].empty()) break;
      for (const Json& hit : page["hits"]["hits"]) ids.push_back(hit["_id"]);
      after = ", \"search_after\": " + page["hits"]["hits"].back()["sort"].dump();
    }
    return ids;
  }

  WritingServer server_;
  const std::vector<Dated> documents_ = MakeDocuments();
};

TEST_P(SortedPages, OfDatesHaveEachHitOnceInMilliseconds) {
  Fill("date");
  EXPECT_EQ(PageByPage(), Expected(kNanosecondsPerMillisecond));
}

TEST_P(SortedPages, OfDatesInNanosecondsHaveEachHitOnce) {
  Fill("date_nanos");
  EXPECT_EQ(PageByPage(), Expected(1));
}

TEST_P(SortedPages, TakeANumberAsMillisecondsAndNotAsAYear) {
  Fill("date");
  const size_t all = documents_.size();
  EXPECT_EQ(Page("1000", R"(, "search_after": [2020, 0])")["hits"]["hits"].size(),
            GetParam() ? 0 : all);
  EXPECT_EQ(Page("1000", R"(, "search_after": ["2021", 0])")["hits"]["hits"].size(),
            GetParam() ? all : 0);
  EXPECT_EQ(Page("1000", R"(, "search_after": [9223372036854775807, 0])")["hits"]["hits"].size(),
            GetParam() ? all : 0);
}

TEST(PagesOfWholeNumbers, BeginBehindTheWholePartOfAFraction) {
  WritingServer server;
  server.Send("PUT", "/n", R"({"mappings": {"properties": {
      "l": {"type": "long"}, "i": {"type": "integer"}, "d": {"type": "date"},
      "u": {"type": "unsigned_long"}}}})");
  for (int i = -2; i <= 2; ++i) {
    const std::string n = std::to_string(i);
    server.Send("PUT", "/n/_doc/" + n,
                R"({"l": )" + n + R"(, "i": )" + n + R"(, "d": )" + n + R"(, "u": 1})");
  }
  server.Send("POST", "/_refresh");
  // The values behind, or the status of an error.
  const auto behind = [&server](const std::string& field, const std::string& after) {
    const HttpResponse response = server.Send(
        "POST", "/n/_search", R"({"sort": [")" + field + R"("], "search_after": [)" + after + "]}");
    if (response.status != 200) return std::to_string(response.status);
    const Json answer = Json::parse(response.body);
    std::string values;
    for (const Json& hit : answer["hits"]["hits"]) {
      values += hit["sort"][0].dump() + " ";
    }
    return values;
  };
  for (const char* field : {"l", "i", "d"}) {
    EXPECT_EQ(behind(field, "0.9"), "1 2 ") << field;
    EXPECT_EQ(behind(field, "-0.9"), "1 2 ") << field;
    EXPECT_EQ(behind(field, "-1.5"), "0 1 2 ") << field;
    EXPECT_EQ(behind(field, "1e300"), "") << field;
    EXPECT_EQ(behind(field, "-1e300"), "-2 -1 0 1 2 ") << field;
  }
  EXPECT_EQ(behind("l", "9223372036854775808"), "");
  EXPECT_EQ(behind("l", "\"-0.9\""), "0 1 2 ");  // a text is rounded down
  EXPECT_EQ(behind("l", "\"1\""), "2 ");
  EXPECT_EQ(behind("i", "3000000000"), "");
  EXPECT_EQ(behind("i", "\"-0.9\""), "400");
  EXPECT_EQ(behind("l", "\"x\""), "400");
  EXPECT_EQ(behind("u", "0.5"), "400");
}

INSTANTIATE_TEST_SUITE_P(BothOrders, SortedPages, testing::Bool());

}  // namespace sorted_pages_test
}  // namespace pmdex
