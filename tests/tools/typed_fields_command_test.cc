// Typed fields on the command line, from a schema or inferred, through everything that writes an
// index: building, appending, replacing, deleting, merging, both tiers, copies and set operations.
// The documents themselves are the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/random_corpus.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace typed_fields_command_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

constexpr int64_t kLarge = 4'000'000'000'000'000'003;  // no double holds it

struct Record {
  std::string id;
  int64_t n = 0;
  std::optional<double> real;
  std::vector<std::string> tags;  // keywords
  int hour = 0;                   // behind the beginning of 2026
  bool even = false;

  json Line() const {
    json line = {{"id", id},
                 {"n", n},
                 {"time", Time()},
                 {"even", even},
                 {"text", even ? "common even" : "common odd"}};
    if (real.has_value()) line["real"] = *real;
    if (!tags.empty()) line["tags"] = tags;
    return line;
  }
  std::string Time() const {
    char text[32];
    std::snprintf(text, sizeof text, "2026-01-%02dT%02d:00:00Z", 1 + hour / 24, hour % 24);
    return text;
  }
};

class TypedFieldsCommand : public testing::Test {
 protected:
  ProgramResult Run(Arguments arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = root_.path();
    return RunProgram(arguments, options);
  }
  json RunJson(Arguments arguments) {
    arguments.push_back("--json");
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  void MakeRecords(int count) {
    SeededRandom random(91);
    for (int i = 0; i < count; ++i) {
      Record& record = records_.emplace_back();
      record.id = "r" + std::to_string(i);
      record.n = random.OneIn(9) ? kLarge + static_cast<int64_t>(random.Below(3))
                                 : static_cast<int64_t>(random.Below(60)) - 30;
      if (!random.OneIn(3)) record.real = static_cast<double>(random.Below(80)) / 8 - 3.125;
      for (size_t left = random.Below(3); left > 0; --left) {
        record.tags.push_back("tag" + std::to_string(random.Below(12)));
      }
      record.hour = static_cast<int>(random.Below(31 * 24));
      record.even = i % 2 == 0;
    }
  }
  std::string Write(const std::string& name, size_t begin, size_t end) {
    std::string text;
    for (size_t i = begin; i < end; ++i) text += records_[i].Line().dump() + "\n";
    return root_.Write(name, text);
  }
  // An index of a segment for each hundred records.
  void Build(const std::string& index) {
    const std::string schema =
        root_.Write("schema.toml",
                    "[fields.tags]\ntype = \"keyword\"\nmulti = true\n[fields.n]\ntype=\"i64\"\n");
    for (size_t begin = 0; begin < records_.size(); begin += 100) {
      Arguments arguments = {
          "index", Write("in.jsonl", begin, begin + 100), "--index", index, "--quiet", "--threads",
          "1"};
      if (begin == 0) arguments.insert(arguments.end(), {"--schema", schema});
      if (begin > 0) arguments.push_back("--append");
      const ProgramResult result = Run(arguments);
      ASSERT_EQ(result.exit_status, 0) << result.err;
    }
  }

  void ExpectMatches(const std::string& index, const std::string& query,
                     const std::function<bool(const Record&)>& matches) {
    SCOPED_TRACE(query);
    const json answer = RunJson({"search", query, "-k", "2000", "--count", "--index", index});
    std::vector<std::string> got;
    for (const json& hit : answer["hits"]) got.push_back(hit["id"]);
    std::vector<std::string> expected;
    for (const Record& record : records_) {
      if (matches(record)) expected.push_back(record.id);
    }
    std::sort(got.begin(), got.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(got, expected);
    EXPECT_EQ(answer["total"]["value"], expected.size());
  }

  // All hits by `real` falling, then n, then time, in pages, with the values of two fields.
  void ExpectSorted(const std::string& index) {
    std::vector<Record> expected = records_;
    std::stable_sort(expected.begin(), expected.end(), [](const Record& a, const Record& b) {
      if (a.real.has_value() != b.real.has_value()) return a.real.has_value();
      if (a.real != b.real) return a.real > b.real;
      return a.n != b.n ? a.n < b.n : a.hour < b.hour;
    });
    size_t next = 0;
    std::string after;
    while (next <= expected.size()) {
      Arguments arguments = {
          "search",  "*:*", "-k",           "64",       "--sort", "real:desc,n,time,_doc",
          "--index", index, "--fields-out", "tags,time"};
      if (!after.empty()) arguments.insert(arguments.end(), {"--after", after});
      const json hits = RunJson(arguments)["hits"];
      if (hits.empty()) break;
      for (const json& hit : hits) {
        ASSERT_LT(next, expected.size());
        const Record& record = expected[next++];
        EXPECT_EQ(hit["sort"][0], record.real.has_value() ? json(*record.real) : json());
        EXPECT_EQ(hit["sort"][1], record.n);
        EXPECT_EQ(hit["sort"][2], record.Time());
        EXPECT_EQ(hit["fields"]["time"], record.Time());
      }
      after = hits.back()["sort"].dump();
    }
    EXPECT_EQ(next, expected.size());
  }

  void ExpectValues(const std::string& index) {
    const json hits = RunJson(
        {"search", "*:*", "-k", "2000", "--fields-out", "tags,n", "--index", index})["hits"];
    ASSERT_EQ(hits.size(), records_.size());
    for (const json& hit : hits) {
      const auto record = std::find_if(records_.begin(), records_.end(),
                                       [&](const Record& one) { return one.id == hit["id"]; });
      ASSERT_NE(record, records_.end()) << hit.dump();
      EXPECT_EQ(hit["fields"]["n"], record->n);
      if (record->tags.empty()) {
        EXPECT_FALSE(hit["fields"].contains("tags"));
      } else if (record->tags.size() == 1) {
        EXPECT_EQ(hit["fields"]["tags"], record->tags[0]);
      } else {
        EXPECT_EQ(hit["fields"]["tags"], record->tags) << "in the order of the array";
      }
    }
  }

  void ExpectEverything(const std::string& index) {
    ExpectMatches(index, "n:[-5 TO 7}", [](const Record& r) { return r.n >= -5 && r.n < 7; });
    ExpectMatches(index, "n:>4000000000000000003", [](const Record& r) { return r.n > kLarge; });
    ExpectMatches(index, "n:-5", [](const Record& r) { return r.n == -5; });
    ExpectMatches(index, "real:>=-1 AND even:true",
                  [](const Record& r) { return r.real.has_value() && *r.real >= -1 && r.even; });
    ExpectMatches(index, "tags:(tag3 OR tag11)", [](const Record& r) {
      return std::any_of(r.tags.begin(), r.tags.end(),
                         [](const std::string& t) { return t == "tag3" || t == "tag11"; });
    });
    ExpectMatches(index, "+text:odd +time:{2026-01-05 TO 2026-01-20]",
                  [](const Record& r) { return !r.even && r.hour >= 5 * 24 && r.hour < 20 * 24; });
    ExpectMatches(index, "NOT real:*", [](const Record& r) { return !r.real.has_value(); });
    ExpectSorted(index);
    ExpectValues(index);
    EXPECT_EQ(Run({"verify", "--index", index}).exit_status, 0);
    const json fields = RunJson({"info", "--index", index})["fields"];
    EXPECT_EQ(fields["n"]["type"], "i64");
    EXPECT_EQ(fields["real"]["type"], "f64");
    EXPECT_EQ(fields["time"]["type"], "date");
    EXPECT_EQ(fields["even"]["type"], "bool");
    EXPECT_EQ(fields["tags"]["type"], "keyword");
    EXPECT_EQ(fields["tags"]["multi"], true);
    EXPECT_EQ(fields["text"]["type"], "text");
  }

  void Drop(const std::function<bool(const Record&)>& is_deleted) {
    std::erase_if(records_, is_deleted);
  }

  const TemporaryDirectory root_;
  std::vector<Record> records_;
};

TEST_F(TypedFieldsCommand, KeepTheirValuesThroughDeletionsMergesAndTiers) {
  MakeRecords(400);
  Build("index");
  ExpectEverything("index");
  ASSERT_EQ(Run({"delete", "--query", "n:[0 TO 5]", "--index", "index"}).exit_status, 0);
  Drop([](const Record& r) { return r.n >= 0 && r.n <= 5; });
  ExpectEverything("index");
  ASSERT_EQ(Run({"merge", "--max-segments", "2", "--index", "index"}).exit_status, 0);
  ExpectEverything("index");
  ASSERT_EQ(Run({"tier", "demote", "--all", "--index", "index"}).exit_status, 0);
  ExpectEverything("index");
  ASSERT_EQ(Run({"merge", "--max-segments", "1", "--tier", "uncompressed", "--index", "index"})
                .exit_status,
            0);
  ExpectEverything("index");
}

TEST_F(TypedFieldsCommand, GoFromIndexToIndexWithTheirDocuments) {
  MakeRecords(200);
  Build("index");
  ASSERT_EQ(Run({"copy", "copied", "--index", "index"}).exit_status, 0);
  ExpectEverything("copied");
  ASSERT_EQ(Run({"split", "index", "--parts", "3", "--index", "parts"}).exit_status, 0);
  ASSERT_EQ(Run({"union", "parts/0", "parts/1", "--index", "some"}).exit_status, 0);
  ASSERT_EQ(Run({"union", "some", "parts/2", "--index", "whole"}).exit_status, 0);
  ExpectEverything("whole");
}

TEST_F(TypedFieldsCommand, AreReplacedWithTheirDocument) {
  MakeRecords(200);
  Build("index");
  for (size_t i = 0; i < 100; ++i) {
    records_[i].n -= 7;
    records_[i].tags.assign(1, "tag3");
  }
  ASSERT_EQ(Run({"index", Write("new.jsonl", 0, 100), "--append", "--update", "--index", "index",
                 "--quiet"})
                .exit_status,
            0);
  ExpectEverything("index");
}

TEST_F(TypedFieldsCommand, InferredTypesAndBadValuesAreReported) {
  const std::string path = root_.Write("in.jsonl",
                                       "{\"id\":\"a\",\"n\":1,\"d\":\"2026-01-01T00:00:00+01:00\","
                                       "\"m\":[1,\"x\"],\"o\":{\"p\":2.5}}\n"
                                       "{\"id\":\"b\",\"n\":9223372036854775808,\"d\":null}\n");
  const json built = RunJson({"index", path, "--index", "index"});
  EXPECT_EQ(built["skipped"], 0);
  EXPECT_TRUE(built["bad_values"].empty()) << built.dump();
  const json fields = RunJson({"info", "--index", "index"})["fields"];
  EXPECT_EQ(fields["n"], (json{{"type", "u64"}, {"multi", false}, {"documents", 2}}));
  EXPECT_EQ(fields["d"]["type"], "date");
  EXPECT_EQ(fields["m"], (json{{"type", "keyword"}, {"multi", true}, {"documents", 1}}));
  EXPECT_EQ(fields["o.p"]["type"], "f64");
  const std::string more = root_.Write("more.jsonl",
                                       "{\"id\":\"c\",\"n\":-1,\"d\":\"soon\",\"o\":7}\n"
                                       "{\"id\":\"d\",\"n\":[1,2],\"d\":\"2026-02-01\"}\n");
  const json appended = RunJson({"index", more, "--append", "--index", "index"});
  EXPECT_EQ(appended["documents"], 2);
  EXPECT_EQ(appended["skipped"], 0);
  EXPECT_EQ(appended["bad_values"], (json{{"d", 1}, {"n", 2}})) << appended.dump();
  const json found = RunJson({"search", "d:>=2026-01-01", "--index", "index"});
  ASSERT_EQ(found["hits"].size(), 1u) << "the first is a day of 2025 in UTC";
  EXPECT_EQ(found["hits"][0]["id"], "d");
}

TEST_F(TypedFieldsCommand, AFieldWithoutValuesStaysKnown) {
  const std::string path = root_.Write("in.jsonl", "{\"id\":\"a\"}\n{\"id\":\"b\",\"n\":1}\n");
  ASSERT_EQ(Run({"index", path, "--index", "index"}).exit_status, 0);
  ASSERT_EQ(Run({"delete", "b", "--index", "index"}).exit_status, 0);
  ASSERT_EQ(Run({"merge", "--max-segments", "1", "--index", "index"}).exit_status, 0);
  const json sorted = RunJson({"search", "*", "--sort", "n", "--fields-out", "n", "--facet", "n",
                               "--facet", "n:stats", "--index", "index"});
  EXPECT_EQ(sorted["hits"][0]["sort"], json::array({nullptr}));
  EXPECT_EQ(sorted["facets"][0]["buckets"], json::array());
  EXPECT_EQ(Run({"search", "n:abc", "--index", "index"}).exit_status, 2);
  EXPECT_EQ(RunJson({"search", "n:>0", "--index", "index"})["hits"], json::array());
}

TEST_F(TypedFieldsCommand, WrongQueriesAreWrongUsage) {
  MakeRecords(100);
  Build("index");
  for (const Arguments& arguments :
       {Arguments{"search", "n:[x TO 5]"}, Arguments{"search", "time:>soon"},
        Arguments{"search", "text:[a TO b]"}, Arguments{"search", "*:*", "--sort", "nofield"},
        Arguments{"search", "*:*", "--sort", "text"},
        Arguments{"search", "*:*", "--fields-out", "nofield"},
        Arguments{"search", "*:*", "--after", "[1]"},
        Arguments{"search", "*:*", "--sort", "n", "--after", "[]"},
        Arguments{"search", "*:*", "--sort", ""},
        Arguments{"search", "*:*", "--facet", "n:range:5,1"},
        Arguments{"search", "*:*", "--sort", "n", "--after", "[1, 2]"}}) {
    Arguments whole = arguments;
    whole.insert(whole.end(), {"--index", "index"});
    EXPECT_EQ(Run(whole).exit_status, 2) << arguments.back();
  }
  ExpectMatches("index", "nofield:[1 TO 2]", [](const Record&) { return false; });
}

}  // namespace typed_fields_command_test
}  // namespace pmdex
