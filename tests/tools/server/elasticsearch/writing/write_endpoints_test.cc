// Writing single documents and bulks through the Elasticsearch API.
#include "tools/server/elasticsearch/writing/write_endpoints.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/tools/server/writing/writing_server.h"
#include "tools/server/elasticsearch/writing/bulk_endpoint.h"
#include "tools/server/elasticsearch/writing/write_answers.h"

namespace pmdex {
namespace write_endpoints_test {

using Ids = std::vector<std::string>;

TEST(WriteEndpoints, IndexReplaceAndDeleteADocument) {
  WritingServer server;
  HttpResponse made = server.Send("PUT", "/books/_doc/1?refresh=true", R"({"t": "first words"})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(Json::parse(made.body), Json::parse(R"({
      "_index": "books", "_id": "1", "_version": 1, "result": "created", "forced_refresh": true,
      "_shards": {"total": 1, "successful": 1, "failed": 0}, "_seq_no": 0, "_primary_term": 1})"));
  EXPECT_EQ(server.Found("books", "first"), Ids{"1"});
  const HttpResponse replaced = server.Send("POST", "/books/_doc/1", R"({"t": "second words"})");
  EXPECT_EQ(replaced.status, 200);
  const Json answer = Json::parse(replaced.body);
  EXPECT_EQ(answer["result"], "updated");
  EXPECT_EQ(answer["_version"], 2);
  EXPECT_EQ(answer["_seq_no"], 1);
  EXPECT_FALSE(answer.contains("forced_refresh"));
  // Reading by the id is never late, searching is until a refresh.
  EXPECT_EQ(server.Ask("GET", "/books/_doc/1")["_source"]["t"], "second words");
  EXPECT_EQ(server.Send("POST", "/books/_refresh").status, 200);
  EXPECT_EQ(server.Found("books", "first"), Ids{});
  EXPECT_EQ(server.Found("books", "second"), Ids{"1"});
  EXPECT_EQ(server.Ask("DELETE", "/books/_doc/1?refresh=wait_for")["result"], "deleted");
  EXPECT_EQ(server.Send("GET", "/books/_doc/1").status, 404);
  EXPECT_EQ(server.Found("books", "words"), Ids{});
  const HttpResponse missing = server.Send("DELETE", "/books/_doc/1");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(Json::parse(missing.body)["result"], "not_found");
}

TEST(WriteEndpoints, MakeIdsAndRefuseToCreateTwice) {
  WritingServer server;
  const Json made = server.Ask("POST", "/books/_doc", R"({"t": "x"})");
  EXPECT_EQ(made["_id"].get<std::string>().size(), 20u);
  EXPECT_NE(made["_id"], server.Ask("POST", "/books/_doc", R"({"t": "x"})")["_id"]);
  EXPECT_EQ(server.Send("PUT", "/books/_create/a", R"({"t": "x"})").status, 201);
  const HttpResponse again = server.Send("PUT", "/books/_create/a", R"({"t": "y"})");
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(Json::parse(again.body)["error"]["type"], "version_conflict_engine_exception");
  EXPECT_EQ(server.Send("PUT", "/books/_doc/a?op_type=create", R"({"t": "y"})").status, 409);
  EXPECT_EQ(server.Ask("GET", "/books/_doc/a")["_source"]["t"], "x");
}

TEST(WriteEndpoints, KeepAWriteFromOvertakingAnother) {
  WritingServer server;
  server.Make("books");
  const Json made = server.Ask("PUT", "/books/_doc/1", R"({"t": "x"})");
  const auto condition = [](const Json& seen) {
    return "if_seq_no=" + seen["_seq_no"].dump() +
           "&if_primary_term=" + seen["_primary_term"].dump();
  };
  const std::string first = condition(made);
  EXPECT_EQ(server.Send("PUT", "/books/_doc/1?" + first, R"({"t": "y"})").status, 200);
  for (const char* method : {"PUT", "DELETE"}) {
    const std::string body = method == std::string("PUT") ? R"({"t": "z"})" : "";
    const HttpResponse late = server.Send(method, "/books/_doc/1?" + first, body);
    EXPECT_EQ(late.status, 409) << method;
    EXPECT_EQ(Json::parse(late.body)["error"]["type"], "version_conflict_engine_exception");
  }
  EXPECT_EQ(server.Send("PUT", "/books/_doc/new?" + first, R"({"t": "z"})").status, 409);
  EXPECT_EQ(server.Send("PUT", "/books/_doc/1?if_seq_no=1", R"({"t": "z"})").status, 400);
  // Searches tell the same numbers, but not of a document that was written since.
  server.Send("POST", "/books/_refresh");
  const std::string search = "/books/_search?version=true&seq_no_primary_term=true";
  Json hit = server.Ask("GET", search)["hits"]["hits"][0];
  EXPECT_EQ(condition(hit), condition(server.Ask("GET", "/books/_doc/1")));
  EXPECT_EQ(hit["_version"], 2);
  EXPECT_EQ(server.Send("PUT", "/books/_doc/1?" + condition(hit), R"({"t": "w"})").status, 200);
  hit = server.Ask("GET", search)["hits"]["hits"][0];
  EXPECT_EQ(hit["_source"]["t"], "y");
  EXPECT_EQ(hit["_seq_no"], -2);
}

TEST(WriteEndpoints, UpdateAPartOfADocument) {
  WritingServer server;
  server.Send("PUT", "/books/_doc/1", R"({"t": "x", "a": {"b": "c", "n": 1}, "l": [1, 2]})");
  const std::string update = R"({"doc": {"a": {"n": 2}, "l": [3], "new": "y"}})";
  EXPECT_EQ(server.Ask("POST", "/books/_update/1", update)["result"], "updated");
  EXPECT_EQ(server.Ask("GET", "/books/_source/1"),
            Json::parse(R"({"t": "x", "a": {"b": "c", "n": 2}, "l": [3], "new": "y"})"));
  const Json noop = server.Ask("POST", "/books/_update/1", update);
  EXPECT_EQ(noop["result"], "noop");
  EXPECT_EQ(noop["_version"], 2);
  EXPECT_EQ(server.Ask("POST", "/books/_update/1",
                       R"({"doc": {"t": "x"}, "detect_noop": false})")["result"],
            "updated");
  const HttpResponse missing = server.Send("POST", "/books/_update/2", R"({"doc": {"t": "x"}})");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(Json::parse(missing.body)["error"]["type"], "document_missing_exception");
  EXPECT_EQ(server
                .Send("POST", "/books/_update/2",
                      R"({"doc": {"t": "x"}, "upsert": {"t": "from upsert"}})")
                .status,
            201);
  EXPECT_EQ(server.Ask("GET", "/books/_source/2"), Json::parse(R"({"t": "from upsert"})"));
  EXPECT_EQ(
      server.Send("POST", "/books/_update/3", R"({"doc": {"t": "whole"}, "doc_as_upsert": true})")
          .status,
      201);
  EXPECT_EQ(server.Send("POST", "/books/_update/1", R"({"script": "x"})").status, 400);
}

TEST(WriteEndpoints, AnswerABulkItemByItem) {
  WritingServer server;
  const Json answer = server.Ask("POST", "/_bulk?refresh=true",
                                 R"({"index": {"_index": "a", "_id": "1"}}
{"t": "one"}
{"create": {"_index": "b", "_id": "1"}}
{"t": "two"}
{"create": {"_index": "a", "_id": "1"}}
{"t": "three"}
{"index": {"_index": "a", "_id": "2"}}
["no object"]
{"update": {"_index": "a", "_id": "1"}}
{"doc": {"more": "four"}}
{"delete": {"_index": "b", "_id": "9"}}
{"delete": {"_index": "none", "_id": "9"}}
{"index": {"_index": "Upper"}}
{}
)");
  EXPECT_EQ(answer["errors"], true);
  std::vector<std::string> seen;
  for (const Json& item : answer["items"]) {
    seen.push_back(item.begin().key() + " " + item.begin().value()["status"].dump());
  }
  EXPECT_EQ(seen,
            (std::vector<std::string>{"index 201", "create 201", "create 409", "index 400",
                                      "update 200", "delete 404", "delete 404", "index 400"}));
  EXPECT_EQ(answer["items"][2]["create"]["error"]["type"], "version_conflict_engine_exception");
  EXPECT_EQ(answer["items"][3]["index"]["error"]["type"], "document_parsing_exception");
  EXPECT_EQ(answer["items"][6]["delete"]["error"]["type"], "index_not_found_exception");
  EXPECT_EQ(answer["items"][7]["index"]["error"]["type"], "invalid_index_name_exception");
  EXPECT_EQ(server.Ask("GET", "/a/_source/1"), Json::parse(R"({"t": "one", "more": "four"})"));
  EXPECT_EQ(server.Found("a,b", "one+two+four"), (Ids{"1", "1"}));
}

TEST(WriteEndpoints, RefuseAnEmptyIdOfABulkAlone) {
  WritingServer server;
  const Json answer = server.Ask("POST", "/a/_bulk?refresh=true", R"({"index": {"_id": ""}}
{"t": "one"}
{"create": {"_id": ""}}
{"t": "two"}
{"index": {"_id": "3"}}
{"t": "three"}
)");
  EXPECT_EQ(answer["errors"], true);
  for (const Json& item : {answer["items"][0]["index"], answer["items"][1]["create"]}) {
    EXPECT_EQ(item["status"], 400);
    EXPECT_EQ(item["_id"], "");
    EXPECT_EQ(item["error"]["type"], "illegal_argument_exception");
    EXPECT_EQ(item["error"]["reason"], "if _id is specified it must not be empty");
  }
  EXPECT_EQ(answer["items"][2]["index"]["status"], 201);
  EXPECT_EQ(server.Found("a", "one+two+three"), Ids{"3"});
}

TEST(WriteEndpoints, TakeNoConditionOnAnIdThatIsMade) {
  WritingServer server;
  server.Make("books");
  const HttpResponse made =
      server.Send("POST", "/books/_doc?if_seq_no=1&if_primary_term=1", R"({"t": "x"})");
  EXPECT_EQ(made.status, 400);
  EXPECT_EQ(Json::parse(made.body)["error"]["type"], "action_request_validation_exception");
  EXPECT_EQ(server.Send("POST", "/books/_doc", R"({"t": "x"})").status, 201);
}

TEST(WriteEndpoints, FindNothingByAnIdThatIsTooLong) {
  WritingServer server;
  server.Send("PUT", "/books/_doc/1", R"({"t": "x"})");
  for (const size_t size : {513, 2000}) {
    const std::string id(size, 'x');
    const HttpResponse missing = server.Send("GET", "/books/_doc/" + id);
    EXPECT_EQ(missing.status, 404) << missing.body;
    EXPECT_EQ(Json::parse(missing.body)["found"], false);
    EXPECT_EQ(server.Send("GET", "/books/_source/" + id).status, 404);
    const Json several = server.Ask("POST", "/books/_mget", R"({"ids": [")" + id + R"(", "1"]})");
    EXPECT_EQ(several["docs"][0]["found"], false) << several;
    EXPECT_EQ(several["docs"][1]["found"], true);
    EXPECT_EQ(server.Send("DELETE", "/books/_doc/" + id).status, 404);
    const std::string removal = R"({"delete": {"_id": ")" + id + "\"}}\n";
    EXPECT_EQ(server.Ask("POST", "/books/_bulk", removal)["items"][0]["delete"]["status"], 404);
    EXPECT_EQ(server.Send("PUT", "/books/_doc/" + id, R"({"t": "x"})").status, 400);
  }
}

TEST(WriteEndpoints, KeepWhatWasAnsweredWhenTheServerStartsAgain) {
  WritingServer server;
  server.Send("PUT", "/books", R"({"mappings": {"properties": {"t": {"type": "text"}}}})");
  server.Send("PUT", "/books/_doc/1", R"({"t": "kept"})");
  server.Send("PUT", "/books/_doc/2", R"({"t": "kept but deleted"})");
  const Json before = server.Ask("DELETE", "/books/_doc/2");
  server.Restart();
  EXPECT_EQ(server.Found("books", "kept"), Ids{"1"});
  EXPECT_EQ(server.Ask("GET", "/books/_mapping")["books"]["mappings"],
            Json::parse(R"({"properties": {"t": {"type": "text"}}})"));
  const Json after = server.Ask("PUT", "/books/_doc/1", R"({"t": "again"})");
  EXPECT_GT(after["_primary_term"], before["_primary_term"]);
  EXPECT_GT(after["_seq_no"], before["_seq_no"]);
}

TEST(WriteEndpoints, LetSeveralThreadsWriteAndSearch) {
  WritingServer server;
  constexpr int kThreads = 4;
  constexpr int kRounds = 20;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&server, i] {
      for (int round = 0; round < kRounds; ++round) {
        const std::string id = std::to_string(i) + "-" + std::to_string(round);
        EXPECT_EQ(server.Send("PUT", "/books/_doc/" + id, R"({"t": "word"})").status, 201);
        EXPECT_EQ(server.Send("GET", "/books/_doc/" + id).status, 200);
        if (round % 5 == 0) server.Send("POST", "/books/_refresh");
        EXPECT_EQ(server.Send("GET", "/books/_search?q=word").status, 200);
        if (round % 2 == 0) {
          EXPECT_EQ(server.Send("DELETE", "/books/_doc/" + id).status, 200);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  server.Send("POST", "/books/_refresh");
  EXPECT_EQ(server.Found("books", "word").size(), size_t{kThreads * kRounds / 2});
}

}  // namespace write_endpoints_test
}  // namespace pmdex
