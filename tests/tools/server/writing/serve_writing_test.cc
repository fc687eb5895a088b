// Writing through a running `pmdex serve`: both APIs over HTTP, and SIGKILL while clients write.
//
// PMDEX_KILLS=N kills N servers instead of a few.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/background_program.h"
#include "tests/support/effort.h"
#include "tests/support/run_program.h"
#include "tests/tools/server/http_client.h"
#include "tools/server/writing/document_api.h"

namespace pmdex {
namespace serve_writing_test {

using nlohmann::json;

class ServeWriting : public testing::Test {
 protected:
  std::vector<std::string> Arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {PMDEX_BINARY, "serve", "--listen", address_,
                                          "--threads",  "2",     "--data",   data_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static std::optional<ClientAnswer> Send(HttpClient& client, const std::string& method,
                                          const std::string& target, const std::string& body = "") {
    return client.Ask(method + " " + target + " HTTP/1.1\r\nHost: test\r\n" +
                      (body.empty() ? "" : "Content-Type: application/x-ndjson\r\n") +
                      "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  static uint64_t Total(HttpClient& client, const std::string& target) {
    return json::parse(client.Get(target)->body)["total"]["value"];
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
  const std::string data_ = directory_ / "data";
  const std::string address_ = "unix:" + (directory_ / "socket");
};

TEST_F(ServeWriting, AddsReplacesAndDeletesDocumentsOfItsOwnApi) {
  BackgroundProgram server(Arguments());
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  HttpClient client(address_);
  EXPECT_EQ(client.Get("/search?q=x")->status, 404);  // there is no index yet
  auto answer = Send(client, "POST", "/notes/documents",
                     "{\"id\": \"a\", \"t\": \"first words\"}\n\nno JSON\n{\"t\": \"words\"}\n");
  ASSERT_EQ(answer->status, 200) << answer->body;
  const json added = json::parse(answer->body);
  EXPECT_EQ(added["added"], 2);
  EXPECT_EQ(added["errors"][0]["line"], 3);
  EXPECT_EQ(Total(client, "/search?q=words&count=true"), 2u);
  answer = Send(client, "POST", "/documents", "{\"id\": \"a\", \"t\": \"second words\"}");
  EXPECT_EQ(json::parse(answer->body)["replaced"], 1);
  EXPECT_EQ(Total(client, "/notes/search?q=first&count=true"), 0u);
  EXPECT_EQ(Total(client, "/notes/search?q=second&count=true"), 1u);
  EXPECT_EQ(Send(client, "DELETE", "/documents/a")->body, "{\"deleted\":1}");
  EXPECT_EQ(Send(client, "DELETE", "/documents/a")->status, 404);
  EXPECT_EQ(Total(client, "/search?q=words&count=true"), 1u);
  EXPECT_EQ(Send(client, "GET", "/documents")->status, 405);
  EXPECT_EQ(Send(client, "POST", "/documents", "\n")->status, 400);
  EXPECT_EQ(Send(client, "POST", "/documents?x=1", "{}")->status, 400);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
}

TEST_F(ServeWriting, WritesAnIndexOfTheProgramUnlessItIsReadOnly) {
  const std::string input = directory_.Write("d.jsonl", "{\"id\": \"1\", \"t\": \"word\"}\n");
  const std::string index = directory_ / "index";
  ASSERT_EQ(RunProgram({PMDEX_BINARY, "index", input, "--index", index, "--quiet"}).exit_status, 0);
  for (const bool read_only : {true, false}) {
    std::vector<std::string> flags = {"--index", "docs=" + index};
    if (read_only) flags.emplace_back("--read-only");
    BackgroundProgram server(Arguments(flags));
    ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
    HttpClient client(address_);
    const auto answer =
        Send(client, "POST", "/docs/_doc/2?refresh=true", "{\"t\": \"another word\"}");
    EXPECT_EQ(answer->status, read_only ? 403 : 201) << answer->body;
    EXPECT_EQ(Total(client, "/docs/search?q=word&count=true"), read_only ? 1u : 2u);
    EXPECT_EQ(Send(client, "DELETE", "/docs")->status, 403);  // it is not below --data
    server.Signal(SIGTERM);
    EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
  }
  EXPECT_EQ(RunProgram({PMDEX_BINARY, "verify", "--index", index}).exit_status, 0);
}

// A client that writes until the server is gone. It knows what was acknowledged.
class KilledClient {
 public:
  explicit KilledClient(std::string prefix, uint64_t seed)
      : prefix_(std::move(prefix)), random_(seed) {}

  // sent(): called when a request is sent and its answer has not come.
  template <typename Sent>
  void WriteUntilTheEnd(const std::string& address, const Sent& sent) {
    HttpClient client(address);
    while (true) {
      std::string body;
      std::map<std::string, std::string> next;
      for (int i = 0; i < 5; ++i) {
        const std::string id = prefix_ + std::to_string(random_() % 50);
        if (next.contains(id)) continue;
        const bool deletes = random_() % 4 == 0;
        next[id] = deletes ? "" : "version" + std::to_string(++versions_);
        body += deletes ? "{\"delete\":{\"_id\":\"" + id + "\"}}\n"
                        : "{\"index\":{\"_id\":\"" + id + "\"}}\n{\"t\":\"" + next[id] + "\"}\n";
      }
      unsure_ = next;
      client.Send(
          "POST /kept/_bulk HTTP/1.1\r\nHost: test\r\n"
          "Content-Type: application/x-ndjson\r\nContent-Length: " +
          std::to_string(body.size()) + "\r\n\r\n" + body);
      sent();
      const auto answer = client.Receive();
      if (!answer.has_value()) return;
      EXPECT_EQ(answer->status, 200) << answer->body;
      for (const auto& [id, text] : next) known_[id] = text;
      unsure_.clear();
      ++acknowledged_;
    }
  }

  void Check(HttpClient& client) {
    for (auto& [id, text] : known_) {
      const auto answer = client.Get("/kept/_doc/" + id);
      const json found = json::parse(answer->body);
      const std::string now =
          found["found"] == true ? found["_source"]["t"].get<std::string>() : std::string();
      const bool may_be_next = unsure_.contains(id) && now == unsure_[id];
      EXPECT_TRUE(now == text || may_be_next) << id << ": " << now << " in place of " << text;
      text = now;
    }
    unsure_.clear();
  }
  uint64_t acknowledged() const { return acknowledged_; }

 private:
  const std::string prefix_;
  std::mt19937_64 random_;
  uint64_t versions_ = 0;
  uint64_t acknowledged_ = 0;
  std::map<std::string, std::string> known_;   // "": deleted
  std::map<std::string, std::string> unsure_;  // of the request without an answer
};

TEST_F(ServeWriting, KeepsEveryAcknowledgedDocumentWhenItIsKilled) {
  const char* const wanted = std::getenv("PMDEX_KILLS");
  const uint64_t kills =
      wanted == nullptr ? ByEffort<uint64_t>(6, 40) : std::strtoull(wanted, nullptr, 10);
  std::vector<KilledClient> writers;
  for (uint64_t i = 0; i < 3; ++i) writers.emplace_back("w" + std::to_string(i) + "-", i);
  std::mt19937_64 random(7);
  uint64_t acknowledged = 0;
  for (uint64_t round = 0; round < kills && !HasFailure(); ++round) {
    BackgroundProgram server(Arguments());
    ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
    {
      HttpClient client(address_);
      Send(client, "PUT", "/kept");
      for (KilledClient& writer : writers) writer.Check(client);
    }
    std::atomic<uint64_t> requests_left = 1 + random() % 100;
    const auto kill_at_last = [&] {
      if (--requests_left == 0) server.Signal(SIGKILL);
    };
    std::vector<std::thread> threads;
    for (KilledClient& writer : writers) {
      threads.emplace_back([&] { writer.WriteUntilTheEnd(address_, kill_at_last); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(server.AwaitEnd(), 128 + SIGKILL);
  }
  for (const KilledClient& writer : writers) acknowledged += writer.acknowledged();
  EXPECT_GT(acknowledged, 0u);
  const ProgramResult verified = RunProgram({PMDEX_BINARY, "verify", "--index", data_ + "/kept"});
  EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
}

}  // namespace serve_writing_test
}  // namespace pmdex
