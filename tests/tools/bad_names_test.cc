// Names of files that are not UTF-8: every JSON tells two of them apart that differ in a bad byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/background_program.h"
#include "tests/tools/find/entry_command_test.h"
#include "tests/tools/server/http_client.h"

namespace pmdex {
namespace bad_names_test {

using nlohmann::json;
using testing::ElementsAre;

// As JSON shows them, in the order of their bytes.
const char* const kFirst = "t/d\\xfe/a\\xfe.c\\xfe";
const char* const kSecond = "t/d\\xff/a\\xff.c\\xff";

class BadNames : public EntryCommandTest {
 protected:
  BadNames() {
    directory_.Write("t/d\xfe/a\xfe.c\xfe", "some words");
    directory_.Write("t/d\xff/a\xff.c\xff", "some words");
  }
  json JsonOf(Words arguments) {
    const ProgramResult result = Pmdex(std::move(arguments));
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out);
  }
  static Words Keys(const json& buckets) {
    Words keys;
    for (const json& bucket : buckets) keys.push_back(bucket["key"]);
    return keys;
  }
};

TEST_F(BadNames, AreToldApartInAnswersOfASearch) {
  Index("t", {});
  const json answer = JsonOf({"search", "--json", "--fields-out", "path,name,dir,ext", "--sort",
                              "name", "--facet", "ext", "--facet", "dir", "words"});
  ASSERT_EQ(answer["hits"].size(), 2u);
  const json& first = answer["hits"][0];
  EXPECT_EQ(first["id"], kFirst);
  EXPECT_EQ(first["sort"], json({"a\\xfe.c\\xfe"}));
  EXPECT_EQ(first["fields"]["path"], kFirst);
  EXPECT_EQ(first["fields"]["name"], "a\\xfe.c\\xfe");
  EXPECT_EQ(first["fields"]["dir"], "t/d\\xfe");
  EXPECT_EQ(first["fields"]["ext"], "c\\xfe");
  EXPECT_EQ(answer["hits"][1]["id"], kSecond);
  EXPECT_EQ(answer["hits"][1]["fields"]["path"], kSecond);
  EXPECT_THAT(Keys(answer["facets"][0]["buckets"]), ElementsAre("c\\xfe", "c\\xff"));
  EXPECT_THAT(Keys(answer["facets"][1]["buckets"]), ElementsAre("t/d\\xfe", "t/d\\xff"));
}

TEST_F(BadNames, AreToldApartByDuAndInReportsOfABuild) {
  Index("t");
  const json usage = JsonOf({"du", "--json", "-a", "t"});
  Words paths;
  for (const json& entry : usage["entries"]) paths.push_back(entry["path"]);
  EXPECT_THAT(paths, testing::IsSupersetOf({kFirst, kSecond}));
  EXPECT_EQ(Pmdex({"find", "t", "-type", "f", "-print0"}).out.size(), 2 * sizeof "t/dX/aX.cX");

  Index("t/d\xff");
  const json info = JsonOf({"info", "--json"});
  EXPECT_NE(info.dump().find("t/d\\\\xff"), std::string::npos) << info;

  directory_.Write("binary/a\xfe", std::string(2, '\0'));
  directory_.Write("binary/a\xff", std::string(2, '\0'));
  const json report = JsonOf({"index", "binary", "--overwrite", "--quiet", "--json"});
  ASSERT_EQ(report["problems"].size(), 1u) << report;
  Words places = report["problems"][0]["first"];
  std::sort(places.begin(), places.end());
  EXPECT_THAT(places, ElementsAre(testing::StartsWith("binary/a\\xfe"),
                                  testing::StartsWith("binary/a\\xff")));
}

TEST_F(BadNames, AreToldApartByTheServer) {
  Index("t", {});
  BackgroundProgram server(
      {PMDEX_BINARY, "serve", "--index", directory_ / "pmdex-index", "--listen", "127.0.0.1:0"});
  const std::string line = server.AwaitLine("listening on http");
  ASSERT_NE(line, "") << server.err();
  HttpClient client("127.0.0.1" + line.substr(line.rfind(':')));
  const auto ask = [&client](const std::string& target, const std::string& body) {
    client.Send((body.empty() ? "GET " : "POST ") + target +
                " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto answer = client.Receive();
    return answer.has_value() ? json::parse(answer->body, nullptr, false) : json();
  };
  const json answer = ask("/search?q=words&sort=name&facet=ext", "");
  EXPECT_EQ(answer["hits"][0]["id"], kFirst) << answer;
  EXPECT_EQ(answer["hits"][1]["id"], kSecond);
  EXPECT_THAT(Keys(answer["facets"][0]["buckets"]), ElementsAre("c\\xfe", "c\\xff"));
  const json found = ask("/_search", R"({"query": {"match": {"body": "words"}}, "sort": ["name"],
                                         "aggs": {"ext": {"terms": {"field": "ext"}}}})");
  const json& hits = found["hits"]["hits"];
  ASSERT_EQ(hits.size(), 2u) << found;
  EXPECT_EQ(hits[0]["_id"], kFirst);
  EXPECT_EQ(hits[0]["sort"], json({"a\\xfe.c\\xfe"}));
  EXPECT_EQ(hits[1]["_id"], kSecond);
  EXPECT_THAT(Keys(found["aggregations"]["ext"]["buckets"]), ElementsAre("c\\xfe", "c\\xff"));
  const std::string index = hits[0]["_index"];
  const json document = ask("/" + index + "/_doc/t%2Fd%FF%2Fa%FF.c%FF", "");
  EXPECT_EQ(document["found"], true) << document;
  EXPECT_EQ(document["_id"], kSecond);
}

}  // namespace bad_names_test
}  // namespace pmdex
