// SIGKILL during every kind of operation of a server that writes, with a model of what was
// acknowledged. serve_writing_test.cc kills many clients of _bulk at once.
//
// PMDEX_KILLS=N kills N servers instead of a few.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "tests/support/background_program.h"
#include "tests/support/effort.h"
#include "tests/support/run_program.h"
#include "tests/tools/server/http_client.h"

namespace pmdex {
namespace killed_operations_test {

namespace fs = std::filesystem;
using nlohmann::json;

// What an operation makes of one thing: a document with its text, an index, or a mapping. nullopt:
// it is not there.
using State = std::optional<std::string>;
using Changes = std::map<std::string, State>;

struct Operation {
  std::string method;
  std::string target;
  std::string body;
  Changes changes;  // of what was there; each of them may be carried out without the others
};

// Chooses operations, and knows what was acknowledged.
class Model {
 public:
  Operation Next() {
    switch (random_() % 9) {
      case 0:
      case 1:
        return Bulk();
      case 2:
      case 3:
        return Update();
      case 4:
        return DeleteByQuery();
      case 5:
        return {"POST", "/kept/_forcemerge?max_num_segments=1", "", {}};
      case 6:
        return Create();
      case 7:
        return Remove();
      default:
        return Map();
    }
  }
  void Acknowledge(const Operation& operation) {
    for (const auto& [name, state] : operation.changes) known_[name] = state;
    ++acknowledged_[operation.method + operation.target.substr(operation.target.rfind('/'))];
  }
  // After the operation was sent, and the server killed.
  void Check(const Operation& operation, HttpClient& client) {
    for (const auto& [name, state] : operation.changes) known_.try_emplace(name, std::nullopt);
    json mapping = json::parse(client.Get("/kept/_mapping")->body);
    for (auto& [name, known] : known_) {
      const State now = StateOf(name, client, mapping);
      const auto unsure = operation.changes.find(name);
      EXPECT_TRUE(now == known || (unsure != operation.changes.end() && now == unsure->second))
          << name << ": " << now.value_or("nothing") << " in place of " << known.value_or("nothing")
          << " after " << operation.method << operation.target;
      known = now;
    }
  }
  const std::map<std::string, int>& acknowledged() const { return acknowledged_; }
  std::set<std::string> Indexes() const {
    std::set<std::string> indexes = {"kept"};
    for (const auto& [name, state] : known_) {
      if (name.starts_with("index:") && state.has_value()) indexes.insert(name.substr(6));
    }
    return indexes;
  }
  std::mt19937_64& random() { return random_; }

 private:
  static State StateOf(const std::string& name, HttpClient& client, json& mapping) {
    if (name.starts_with("index:")) {
      const auto answer = client.Get("/" + name.substr(6) + "/_mapping");
      if (answer->status != 200) return std::nullopt;
      // It was made with its mapping, or not at all.
      json made = json::parse(answer->body);
      const json type = made[name.substr(6)]["mappings"]["properties"]["made"]["type"];
      return type.is_string() ? type.get<std::string>() : "without its mapping";
    }
    if (name.starts_with("field:")) {
      json& properties = mapping["kept"]["mappings"]["properties"];
      if (!properties.contains(name.substr(6))) return std::nullopt;
      return properties[name.substr(6)]["type"].get<std::string>();
    }
    json found = json::parse(client.Get("/kept/_doc/" + name)->body);
    if (found["found"] != true) return std::nullopt;
    return found["_source"]["t"].get<std::string>() + found["_source"].value("u", "");
  }

  std::string NextText() { return "version" + std::to_string(++versions_); }
  // Documents of a group share a word.
  static std::string GroupOf(uint64_t number) { return "group" + std::to_string(number % 5); }

  Operation Bulk() {
    Operation bulk{"POST", "/kept/_bulk?refresh=true", "", {}};
    for (int i = 0; i < 5; ++i) {
      const uint64_t number = random_() % 40;
      const std::string id = std::to_string(number);
      if (bulk.changes.contains(id)) continue;
      const std::string text = NextText();
      bulk.changes[id] = text;
      bulk.body += json{{"index", {{"_id", id}}}}.dump() + "\n" +
                   json{{"t", text}, {"g", GroupOf(number)}}.dump() + "\n";
    }
    return bulk;
  }
  // Changes a part of the document, or makes one.
  Operation Update() {
    const uint64_t number = random_() % 40;
    const std::string id = std::to_string(number);
    const std::string text = NextText();
    const State before = known_[id];
    const json body = {{"doc", {{"u", text}}}, {"upsert", {{"t", text}, {"g", GroupOf(number)}}}};
    const State after =
        before.has_value() ? before->substr(0, before->find("version", 1)) + text : text;
    return {"POST", "/kept/_update/" + id + "?refresh=true", body.dump(), {{id, after}}};
  }
  // Searches see every document, as each operation asks for a refresh.
  Operation DeleteByQuery() {
    const std::string group = GroupOf(random_());
    const json body = {{"query", {{"match", {{"g", group}}}}}};
    Operation deletion{"POST", "/kept/_delete_by_query?refresh=true", body.dump(), {}};
    for (const auto& [name, state] : known_) {
      const bool is_document = name.find(':') == name.npos;
      if (is_document && GroupOf(std::stoull(name)) == group) deletion.changes[name] = std::nullopt;
    }
    return deletion;
  }
  Operation Create() {
    const std::string name = "made" + std::to_string(random_() % 6);
    const json body = {{"mappings", {{"properties", {{"made", {{"type", "keyword"}}}}}}}};
    return {"PUT", "/" + name, body.dump(), {{"index:" + name, "keyword"}}};
  }
  Operation Remove() {
    const std::string name = "made" + std::to_string(random_() % 6);
    return {"DELETE", "/" + name, "", {{"index:" + name, std::nullopt}}};
  }
  Operation Map() {
    const std::string name = "field" + std::to_string(random_() % 100);
    const json body = {{"properties", {{name, {{"type", "keyword"}}}}}};
    return {"PUT", "/kept/_mapping", body.dump(), {{"field:" + name, "keyword"}}};
  }

  std::mt19937_64 random_{11};
  uint64_t versions_ = 0;
  std::map<std::string, State> known_;
  std::map<std::string, int> acknowledged_;
};

class KilledOperations : public testing::Test {
 protected:
  static std::string RequestText(const Operation& operation) {
    const bool is_bulk = operation.target.find("/_bulk") != operation.target.npos;
    return operation.method + " " + operation.target + " HTTP/1.1\r\nHost: test\r\n" +
           (operation.body.empty() ? ""
            : is_bulk              ? "Content-Type: application/x-ndjson\r\n"
                                   : "Content-Type: application/json\r\n") +
           "Content-Length: " + std::to_string(operation.body.size()) + "\r\n\r\n" + operation.body;
  }
  // 404 and 400: an index that is not there is removed, or one that is there is made.
  static void ExpectDone(const Operation& operation, const ClientAnswer& answer) {
    const bool may_differ = operation.target.starts_with("/made");
    EXPECT_TRUE(answer.status == 200 || answer.status == 201 ||
                (may_differ && (answer.status == 404 || answer.status == 400)))
        << operation.method << operation.target << ": " << answer.body;
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
  const std::string data_ = directory_ / "data";
  const std::string address_ = "unix:" + (directory_ / "socket");
};

TEST_F(KilledOperations, AreDoneOnceTheyAreAcknowledged) {
  const char* const wanted = std::getenv("PMDEX_KILLS");
  const uint64_t kills =
      wanted == nullptr ? ByEffort<uint64_t>(15, 100) : std::strtoull(wanted, nullptr, 10);
  Model model;
  Operation last;
  for (uint64_t round = 0; round < kills && !HasFailure(); ++round) {
    BackgroundProgram server(
        {PMDEX_BINARY, "serve", "--listen", address_, "--threads", "2", "--data", data_});
    ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
    HttpClient client(address_);
    client.Ask(RequestText({"PUT", "/kept", "", {}}));
    model.Check(last, client);
    for (uint64_t left = model.random()() % 12; left > 0; --left) {
      const Operation operation = model.Next();
      const auto answer = client.Ask(RequestText(operation));
      ASSERT_TRUE(answer.has_value()) << server.err();
      ExpectDone(operation, *answer);
      model.Acknowledge(operation);
    }
    last = model.Next();
    client.Send(RequestText(last));
    std::this_thread::sleep_for(std::chrono::microseconds(model.random()() % 4000));
    server.Signal(SIGKILL);
    EXPECT_EQ(server.AwaitEnd(), 128 + SIGKILL);
    if (const auto answer = client.Receive(); answer.has_value()) {
      ExpectDone(last, *answer);
      model.Acknowledge(last);
    }
  }
  EXPECT_GT(model.acknowledged().size(), 5u);
  for (const std::string& name : model.Indexes()) {
    if (!fs::exists(data_ + "/" + name)) continue;  // the last operation was to make or remove it
    const ProgramResult verified =
        RunProgram({PMDEX_BINARY, "verify", "--index", data_ + "/" + name});
    EXPECT_EQ(verified.exit_status, 0) << verified.out << verified.err;
  }
}

}  // namespace killed_operations_test
}  // namespace pmdex
