// `pmdex serve --user-map`: what clients of several users get over sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/background_program.h"
#include "tests/support/run_program.h"
#include "tests/tools/server/http_client.h"

namespace pmdex {
namespace as_user_serve_test {

using nlohmann::json;

constexpr uid_t kBob = 61002;

class AsUserServe : public testing::Test {
 protected:
  void SetUp() override {
    chmod(directory_.path().c_str(), 0755);
    for (const char* name : {"d/open", "d/closed", "d/alice"}) directory_.Write(name, "fox");
    chmod((directory_ / "d").c_str(), 0755);
    chmod((directory_ / "d/open").c_str(), 0644);
    chmod((directory_ / "d/closed").c_str(), 0600);
    chmod((directory_ / "d/alice").c_str(), 0600);
    if (geteuid() == 0) {
      ASSERT_EQ(chown((directory_ / "d/alice").c_str(), 61001, 61001), 0);
    }
    const ProgramResult built = RunProgram({PMDEX_BINARY, "index", "--index", directory_ / "index",
                                            "--format", "files", "--quiet", directory_ / "d"});
    ASSERT_EQ(built.exit_status, 0) << built.err;
    map_ = directory_.Write("map", "alices-token-0000 61001\nbobs-token-000000 61002\n");
    tokens_ = directory_.Write("tokens", "administrator-0000\n");
    chmod(map_.c_str(), 0600);
    chmod(tokens_.c_str(), 0600);
  }

  std::vector<std::string> Arguments() const {
    return {PMDEX_BINARY, "serve",  "--index",      "docs=" + (directory_ / "index"),
            "--listen",   address_, "--listen",     "127.0.0.1:0",
            "--user-map", map_,     "--token-file", tokens_};
  }
  // Where the server listens, which it says once it does.
  static std::string AddressOf(BackgroundProgram& server) {
    const std::string line = server.AwaitLine("listening on http");
    EXPECT_NE(line, "") << server.err();
    return "127.0.0.1" + line.substr(std::min(line.rfind(':'), line.size()));
  }
  // Sends a request with this token, or without one if it is empty.
  static ClientAnswer Ask(HttpClient& client, const std::string& line, const std::string& token,
                          const std::string& body = "") {
    std::string request = line + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    if (!token.empty()) request += "Authorization: Bearer " + token + "\r\n";
    client.Send(request + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.Receive().value_or(ClientAnswer{});
  }
  static uint64_t CountOf(const ClientAnswer& answer) {
    if (answer.status != 200) return UINT64_MAX;
    return json::parse(answer.body)["total"]["value"];
  }
  // What the server on the Unix socket finds for a process of this user.
  uint64_t CountFor(uid_t uid) const {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (setgid(uid) != 0 || setuid(uid) != 0) _exit(1);
      HttpClient client(address_);
      const auto count = CountOf(Ask(client, "GET /search?q=fox&count", ""));
      _exit(write(ends[1], &count, sizeof count) == sizeof count ? 0 : 1);
    }
    close(ends[1]);
    uint64_t count = UINT64_MAX - 1;
    EXPECT_EQ(read(ends[0], &count, sizeof count), static_cast<ssize_t>(sizeof count));
    close(ends[0]);
    waitpid(child, nullptr, 0);
    return count;
  }

  TemporaryDirectory directory_;
  const std::string address_ = "unix:" + (directory_ / "socket");
  std::string map_;
  std::string tokens_;
};

TEST_F(AsUserServe, ShowsEachTokenWhatItsUserMaySee) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  BackgroundProgram server(Arguments());
  HttpClient client(AddressOf(server));
  const auto count = [&](const std::string& token) {
    return CountOf(Ask(client, "GET /search?q=fox&count", token));
  };
  EXPECT_EQ(count("bobs-token-000000"), 1u);
  EXPECT_EQ(count("alices-token-0000"), 2u);
  EXPECT_EQ(count("administrator-0000"), 3u);
  EXPECT_EQ(Ask(client, "GET /search?q=fox", "").status, 401);
  EXPECT_EQ(Ask(client, "GET /search?q=fox", "nobodys-token-000").status, 401);
  chmod((directory_ / "d/open").c_str(), 0600);
  EXPECT_EQ(count("bobs-token-000000"), 0u) << "what the user cannot read any more";
}

TEST_F(AsUserServe, LogsTheNamesOfUsersAndNoTokens) {
  const std::string log = directory_ / "access";
  std::vector<std::string> arguments = Arguments();
  arguments.insert(arguments.end(), {"--access-log", log});
  BackgroundProgram server(arguments);
  HttpClient client(AddressOf(server));
  const std::vector<std::string> tokens = {"bobs-token-000000", "administrator-0000",
                                           "nobodys-token-000"};
  for (const std::string& token : tokens) Ask(client, "GET /search?q=fox", token);
  Ask(client, "GET /metrics", tokens[0]);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.AwaitEnd(), 0);
  std::ifstream file(log);
  std::vector<std::string> seen;
  for (std::string text; std::getline(file, text);) {
    for (const std::string& token : tokens) EXPECT_EQ(text.find(token), text.npos) << text;
    const json logged = json::parse(text);
    seen.push_back(logged.value("user", "-") + " " + std::to_string(logged["status"].get<int>()));
  }
  EXPECT_THAT(seen, testing::ElementsAre("61002 200", "- 200", "- 401", "61002 403"));
}

TEST_F(AsUserServe, TakesTheUserOfAProcessAtAUnixSocket) {
  if (geteuid() != 0) GTEST_SKIP() << "only root starts processes of other users";
  BackgroundProgram server(Arguments());
  ASSERT_NE(server.AwaitLine("listening on " + address_), "") << server.err();
  EXPECT_EQ(CountFor(kBob), 1u);
  EXPECT_EQ(CountFor(61001), 2u);
  EXPECT_EQ(CountFor(0), 3u);
}

TEST_F(AsUserServe, AnswersNothingThatTellsOfOtherDocuments) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  BackgroundProgram server(Arguments());
  HttpClient client(AddressOf(server));
  const std::string bob = "bobs-token-000000";
  for (const char* refused : {"GET /metrics", "POST /docs/_refresh", "POST /docs/_forcemerge",
                              "DELETE /docs/_doc/1", "POST /documents", "DELETE /documents/1"}) {
    EXPECT_EQ(Ask(client, refused, bob).status, 403) << refused;
    EXPECT_NE(Ask(client, refused, "administrator-0000").status, 403) << refused;
  }
  EXPECT_EQ(Ask(client, "PUT /new", bob).status, 403);
  const auto answer = [&](const std::string& request, const std::string& body = "") {
    const ClientAnswer got = Ask(client, request, bob, body);
    EXPECT_EQ(got.status, 200) << request << got.body;
    return json::parse(got.body, nullptr, false);
  };
  EXPECT_EQ(answer("POST /docs/_search",
                   R"({"query": {"match": {"body": "fox"}}})")["hits"]["total"]["value"],
            1);
  EXPECT_EQ(answer("GET /docs/_count")["count"], 1);
  EXPECT_EQ(
      answer("POST /docs/_search",
             R"({"size": 0, "aggs": {"names": {"terms": {"field": "name"}}}})")["aggregations"]
                                                                               ["names"]["buckets"]
                                                                                   .size(),
      1u);
  const json stats = answer("GET /docs/stats");
  EXPECT_EQ(stats["documents"], 1);
  EXPECT_FALSE(stats.contains("deleted_documents"));
  EXPECT_FALSE(stats["fields"][0].contains("documents"));
  const auto encoded = [&](const std::string& name) {
    std::string id = directory_ / name;
    for (size_t at = 0; (at = id.find('/', at)) != id.npos;) id.replace(at, 1, "%2F");
    return "GET /docs/_doc/" + id;
  };
  EXPECT_EQ(Ask(client, encoded("d/open"), bob).status, 200);
  EXPECT_EQ(Ask(client, encoded("d/closed"), bob).status, 404);
  EXPECT_EQ(Ask(client, encoded("d/closed"), "administrator-0000").status, 200);
}

TEST_F(AsUserServe, CountsForEachUserWhatItMaySee) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  BackgroundProgram server(Arguments());
  HttpClient client(AddressOf(server));
  const auto answer = [&](const std::string& request, const std::string& token) {
    return Ask(client, request, token).body;
  };
  const std::string bob = "bobs-token-000000";
  EXPECT_EQ(answer("GET /_cat/count?h=count", bob), "1\n");
  EXPECT_EQ(answer("GET /_cat/count?h=count", "alices-token-0000"), "2\n");
  EXPECT_EQ(answer("GET /_cat/indices?h=index,dc,dd,ss", bob), "docs 1 0 \n");
  EXPECT_EQ(json::parse(answer("GET /_cat/indices?format=json&h=dc,ss,pri.store.size", bob)),
            json::parse(R"([{"dc": "1", "ss": null, "pri.store.size": null}])"));
  const json own = json::parse(answer("GET /_stats", bob));
  EXPECT_EQ(own["_all"]["total"], json::parse(R"({"docs": {"count": 1, "deleted": 0}})"));
  EXPECT_EQ(own["indices"]["docs"]["primaries"], own["_all"]["total"]);
  const json all = json::parse(answer("GET /_stats", "administrator-0000"));
  EXPECT_EQ(all["_all"]["total"]["docs"]["count"], 3);
  EXPECT_GT(all["_all"]["total"]["store"]["size_in_bytes"], 0);
  EXPECT_EQ(Ask(client, "GET /_cat/health", bob).status, 200);
}

TEST_F(AsUserServe, KeepsEachScrollForItsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  BackgroundProgram server(Arguments());
  HttpClient client(AddressOf(server));
  const std::string alice = "alices-token-0000";
  const std::string bob = "bobs-token-000000";
  const json first =
      json::parse(Ask(client, "GET /docs/_search?scroll=1m&size=1&q=fox", alice).body);
  EXPECT_EQ(first["hits"]["total"]["value"], 2);
  const std::string id = first["_scroll_id"];
  const std::string scroll = "/_search/scroll/" + id;
  for (const char* method : {"GET ", "DELETE "}) {
    EXPECT_EQ(Ask(client, method + scroll, bob).status, 404);
  }
  EXPECT_EQ(json::parse(Ask(client, "DELETE /_search/scroll/_all", bob).body)["num_freed"], 0);
  const json next = json::parse(Ask(client, "GET " + scroll, alice).body);
  EXPECT_EQ(next["hits"]["hits"].size(), 1u);
  EXPECT_NE(next["hits"]["hits"][0]["_id"], first["hits"]["hits"][0]["_id"]);
  EXPECT_EQ(json::parse(Ask(client, "GET " + scroll, alice).body)["hits"]["hits"].size(), 0u);
  EXPECT_EQ(Ask(client, "DELETE " + scroll, "administrator-0000").status, 200);
  EXPECT_EQ(Ask(client, "GET " + scroll, alice).status, 404);
}

TEST_F(AsUserServe, HighlightsTheFilesThatTheUserMayReadNow) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  BackgroundProgram server(Arguments());
  HttpClient client(AddressOf(server));
  const auto highlights = [&](const std::string& token) {
    const json answer = json::parse(Ask(client, "POST /docs/_search", token,
                                        R"({"query": {"match": {"body": "fox"}},
                                            "highlight": {"fields": {"body": {}}}})")
                                        .body);
    size_t count = 0;
    for (const json& hit : answer["hits"]["hits"]) {
      if (hit.contains("highlight")) ++count;
      EXPECT_EQ(hit["highlight"], json::parse(R"({"body": ["<em>fox</em>"]})")) << hit;
    }
    return count;
  };
  EXPECT_EQ(highlights("administrator-0000"), 3u);
  EXPECT_EQ(highlights("alices-token-0000"), 2u);
  EXPECT_EQ(highlights("bobs-token-000000"), 1u);
  chmod((directory_ / "d/open").c_str(), 0600);
  EXPECT_EQ(highlights("bobs-token-000000"), 0u);
  EXPECT_EQ(highlights("alices-token-0000"), 1u);
}

// Alice's file is shut to her while the server runs. Each way to it is closed then.
TEST_F(AsUserServe, ChecksTheRightsOfTodayWhateverIsAsked) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of other users";
  BackgroundProgram server(Arguments());
  HttpClient client(AddressOf(server));
  const std::string alice = "alices-token-0000";
  const std::string bob = "bobs-token-000000";
  const std::string own = directory_ / "d/alice";
  const std::string search = R"({"query": {"match": {"body": "fox"}}, "track_total_hits": true,
                                 "highlight": {"fields": {"body": {}}},
                                 "aggs": {"names": {"terms": {"field": "name"}},
                                          "all": {"filter": {"match_none": {}}, "aggs": {
                                            "names": {"terms": {"field": "name",
                                                                "min_doc_count": 0}}}}}})";
  const auto answer = [&](const std::string& request, const std::string& token,
                          const std::string& body) {
    return Ask(client, request, token, body).body;
  };
  std::string one_line = search;
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  const std::string ids = json{{"ids", {own, directory_ / "d/open"}}}.dump();
  const json first =
      json::parse(answer("GET /docs/_search?scroll=1m&size=1&sort=name:desc&q=fox", alice, ""));
  ASSERT_EQ(first["hits"]["hits"].size(), 1u) << first;
  EXPECT_EQ(first["hits"]["hits"][0]["_id"], directory_ / "d/open");
  const std::string scroll = "GET /_search/scroll/" + first["_scroll_id"].get<std::string>();
  const auto sees = [&](const std::string& token, const std::string& name) {
    const std::vector<std::string> answers = {
        answer("POST /docs/_search", token, search),
        answer("POST /docs/_msearch", token, "{}\n" + one_line + "\n"),
        answer("POST /docs/_search", token,
               R"({"size": 0, "aggs": {"names": {"terms": {"field": "name"}}}})"),
        answer("POST /docs/_search", token,
               R"({"size": 0, "query": {"match_none": {}},
                   "aggs": {"names": {"terms": {"field": "name", "min_doc_count": 0}}}})"),
        answer("GET /docs/search?q=fox&facet=name", token, "")};
    size_t seen = 0;
    for (const std::string& text : answers) {
      EXPECT_TRUE(json::parse(text).value("error", json()).is_null()) << text;
      seen += text.find("\"" + name + "\"") != text.npos ? 1u : 0u;
    }
    const json found = json::parse(answer("POST /docs/_mget", token, ids));
    for (const json& doc : found["docs"]) {
      if (doc["_id"] == directory_ / ("d/" + name)) seen += doc["found"] == true ? 1u : 0u;
    }
    return seen;
  };
  EXPECT_EQ(sees(alice, "alice"), 6u);
  EXPECT_EQ(sees(alice, "open"), 6u);
  EXPECT_EQ(sees(bob, "alice"), 0u);
  EXPECT_EQ(sees(bob, "open"), 6u);
  EXPECT_EQ(sees(bob, "closed") + sees(alice, "closed"), 0u);
  chown(own.c_str(), 0, 0);
  EXPECT_EQ(sees(alice, "alice"), 0u);
  EXPECT_EQ(sees(alice, "open"), 6u);
  EXPECT_EQ(json::parse(answer(scroll, alice, ""))["hits"]["hits"].size(), 0u)
      << "nor does a scroll show it that began before";
}

TEST_F(AsUserServe, RefusesAMapThatItCannotUse) {
  const std::string wrong = directory_.Write("wrong", "token-without-a-user\n");
  chmod(wrong.c_str(), 0600);
  const ProgramResult result = RunProgram({PMDEX_BINARY, "serve", "--index", directory_ / "index",
                                           "--listen", address_, "--user-map", wrong});
  EXPECT_EQ(result.exit_status, 2) << result.err;
  EXPECT_NE(result.err.find("is not TOKEN USER"), std::string::npos) << result.err;
}

}  // namespace as_user_serve_test
}  // namespace pmdex
