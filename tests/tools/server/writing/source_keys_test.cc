#include "tools/server/writing/source_keys.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "tests/tools/server/writing/writing_server.h"

namespace pmdex {
namespace source_keys_test {

TEST(SourceKeys, AreNoMetadataFieldsAtTheTop) {
  for (const char* json : {R"({"_id": "1"})", R"({"t": "x", "_source": {}})", R"({"_\u0069d": 1})",
                           R"({"a": [{"b": 1}], "_seq_no": 3})"}) {
    const absl::Status status = CheckSourceKeys(json);
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << json;
    EXPECT_NE(std::string(status.message()).find("metadata field"), std::string::npos) << json;
  }
  for (const char* json : {R"({"a": {"_id": "1"}})", R"({"a": "_id"})", R"({"a": ["_id", "_id"]})",
                           R"({"id": 1, "_x": 2})", R"({"t": "{\"_id\": 1}"})"}) {
    EXPECT_TRUE(CheckSourceKeys(json).ok()) << json;
  }
}

TEST(SourceKeys, ComeOnceInAnObject) {
  for (const char* json : {R"({"a": 1, "a": 2})", R"({"a": {"b": 1, "c": 2, "b": 3}})",
                           R"({"l": [1, {"b": "x", "b": "x"}]})", R"({"a": 1, "\u0061": 2})",
                           R"({"a": {"x": 1}, "b": {"x": 2}, "a": []})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(CheckSourceKeys(json))) << json;
  }
  for (const char* json :
       {R"({"a": {"a": {"a": 1}}})", R"({"a": {"x": 1}, "b": {"x": 2}})",
        R"({"l": [{"b": 1}, {"b": 2}], "b": "b"})", R"({"a": "a", "b": "a\\", "c": "\""})", R"({})",
        R"({"": 1})", R"({"a": [[], {}], "b": [[["a", "a"]]]})"}) {
    EXPECT_TRUE(CheckSourceKeys(json).ok()) << json;
  }
}

// Objects that are made at random, with the repeated keys counted as they are made.
class RandomObject {
 public:
  explicit RandomObject(uint64_t seed) : random_(seed) {}
  std::string Make(int depth) {
    std::string out = "{";
    std::map<std::string, int> seen;
    for (uint64_t i = random_() % 4; i > 0; --i) {
      const std::string key(1, static_cast<char>('a' + random_() % 8));
      if (++seen[key] > 1) has_repeated_ = true;
      out += (out.size() > 1 ? ", \"" : "\"") + key + "\": " + Value(depth);
    }
    return out + "}";
  }
  bool has_repeated() const { return has_repeated_; }

 private:
  std::string Value(int depth) {
    switch (random_() % (depth > 0 ? 4 : 2)) {
      case 0:
        return "\"a\\\"b, {\"";
      case 1:
        return "null";
      case 2:
        return Make(depth - 1);
      default:
        return "[" + Make(depth - 1) + ", \"a\", " + Value(depth - 1) + "]";
    }
  }

  std::mt19937_64 random_;
  bool has_repeated_ = false;
};

TEST(SourceKeys, AreToldApartInRandomObjects) {
  int repeated = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    RandomObject object(seed);
    const std::string json = object.Make(3);
    EXPECT_EQ(CheckSourceKeys(json).ok(), !object.has_repeated()) << json;
    repeated += object.has_repeated() ? 1 : 0;
    // What is cut off is no JSON; it is read without harm.
    CheckSourceKeys(json.substr(0, json.size() / 2)).IgnoreError();
  }
  EXPECT_GT(repeated, 200);
  EXPECT_LT(repeated, 1800);
}

TEST(SourceKeys, RefuseADocumentWithoutHarmToOthers) {
  WritingServer server;
  for (const char* body : {R"({"_id": "2", "t": "x"})", R"({"t": "x", "t": "y"})"}) {
    const HttpResponse answer = server.Send("PUT", "/books/_doc/1", body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_EQ(Json::parse(answer.body)["error"]["type"], "document_parsing_exception");
    const Json bulk = server.Ask(
        "POST", "/books/_bulk",
        std::string("{\"index\": {}}\n") + body + "\n{\"create\": {}}\n{\"t\": \"x\"}\n");
    EXPECT_EQ(bulk["items"][0]["index"]["status"], 400) << bulk.dump();
    EXPECT_EQ(bulk["items"][1]["create"]["status"], 201) << bulk.dump();
  }
  server.Send("PUT", "/books/_doc/1", R"({"t": "x"})");
  for (const char* body :
       {R"({"doc": {"_id": "2"}})", R"({"doc": {"t": "y"}, "upsert": {"_source": {}}})"}) {
    EXPECT_EQ(server.Send("POST", "/books/_update/1", body).status, 400) << body;
  }
  EXPECT_EQ(server.Ask("GET", "/books/_source/1"), Json::parse(R"({"t": "x"})"));
}

}  // namespace source_keys_test
}  // namespace pmdex
