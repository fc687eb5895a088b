// Runs the program and checks its interface: flags, JSON, messages and exit statuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "query/kernel/kernels.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace command_line_test {

using nlohmann::json;

class CommandLine : public testing::Test {
 protected:
  // Runs pmdex in the test's directory, in which ./pmdex-index is the default store.
  ProgramResult Run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.input = input;
    options.directory = directory_.path();
    options.environment = {"PMDEX_INDEX="};
    return RunProgram(arguments, options);
  }

  json RunJson(const std::vector<std::string>& arguments, const std::string& input = "") {
    const ProgramResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return json::parse(result.out);
  }

  void BuildTree() {
    directory_.Write("tree/a.txt", "The quick brown fox jumps over the lazy dog.\n");
    directory_.Write("tree/b.txt", "A quick start: brown bread, brown sugar.\n");
    directory_.Write("tree/sub/c.txt", "Nothing of the kind here.\n");
    const ProgramResult result = Run({"index", "tree", "--quiet"});
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, "");
  }

  std::vector<std::string> Ids(const std::vector<std::string>& arguments) {
    std::vector<std::string> ids;
    const json result = RunJson(arguments);
    for (const auto& hit : result["hits"]) ids.push_back(hit["id"]);
    return ids;
  }

  // Expects one line on stderr that begins with the program's name.
  static void ExpectOneLineError(const ProgramResult& result, int exit_status,
                                 const std::string& part) {
    EXPECT_EQ(result.exit_status, exit_status) << result.err;
    EXPECT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }

  TemporaryDirectory directory_;
};

TEST_F(CommandLine, HelpAndVersionGoToStdout) {
  const ProgramResult help = Run({"help"});
  EXPECT_EQ(help.exit_status, 0);
  for (const char* command : {"index", "search", "info", "verify", "serve", "bench-server",
                              "doctor", "watch", "delete", "merge", "tier", "union", "intersect",
                              "difference", "split", "copy", "compare", "find", "du"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
    EXPECT_EQ(Run({command, "--help"}).exit_status, 0) << command;
    EXPECT_EQ(Run({"help", command}).out, Run({command, "--help"}).out) << command;
  }
  EXPECT_EQ(Run({"--help"}).out, help.out);
  EXPECT_TRUE(Run({"--version"}).out.starts_with("pmdex 0."));
}

TEST_F(CommandLine, WrongUsageLeavesWithTwo) {
  ExpectOneLineError(Run({}), 2, "A subcommand is required");
  ExpectOneLineError(Run({"frobnicate"}), 2, "frobnicate");
  ExpectOneLineError(Run({"search"}), 2, "QUERY");
  ExpectOneLineError(Run({"index"}), 2, "input");
  ExpectOneLineError(Run({"index", "x", "--analyzer", "klingon"}), 2, "klingon");
  ExpectOneLineError(Run({"index", "x", "--append", "--overwrite"}), 2, "--append");
  ExpectOneLineError(Run({"index", "x", "--memory", "lots"}), 2, "lots");
  ExpectOneLineError(Run({"search", "a", "-k", "-3"}), 2, "-k");
}

TEST_F(CommandLine, FlagsThatMayRepeatLeaveWhatComesNextToTheInputs) {
  directory_.Write("a.jsonl", "{\"id\": \"1\", \"title\": \"one\", \"body\": \"two\"}\n");
  const ProgramResult built = Run({"index", "--quiet", "--place", "places/a", "--place", "places/b",
                                   "--fields", "title,body", "a.jsonl"});
  EXPECT_EQ(built.exit_status, 0) << built.err;
  EXPECT_EQ(Ids({"search", "--json", "body:two"}).size(), 1u);
}

TEST_F(CommandLine, AnErrorIsOneLineOfAtMostThreeHundredCharacters) {
  BuildTree();
  const std::string megabyte(100'000, 'a');
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"search", "(" + megabyte},
        {"search", megabyte + "(\n\x1b[31m\x9b"},
        {"search", "\n(", "--index", "no\nsuch\x1b[2J" + megabyte},
        {"frob\x1b]0;title\x07\nnicate" + megabyte},
        {"search", "a", "--" + megabyte},
        {"search", "a", megabyte},
        {"index", "no\x1b[31m\nsuch"},
        {"index", "tree", "--append", "--format", "x\x1b" + megabyte},
        {"info", "--index", megabyte},
        {"find", "-no\nsuch\x1b" + megabyte},
        {"doctor", "x\ny\x1bz"}}) {
    SCOPED_TRACE(arguments[0] + " " + arguments.back().substr(0, 20));
    const ProgramResult result = Run(arguments);
    EXPECT_NE(result.exit_status, 0);
    EXPECT_EQ(result.out, "");
    ASSERT_TRUE(result.err.starts_with("pmdex: error: ")) << result.err;
    ASSERT_EQ(result.err.back(), '\n');
    EXPECT_LE(result.err.size(), 301u) << result.err;
    for (const char c : result.err.substr(0, result.err.size() - 1)) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << static_cast<int>(c);
    }
  }
}

TEST_F(CommandLine, AnErrorOfABatchRepeatsTheBeginningOfTheQuery) {
  BuildTree();
  directory_.Write("q", "(" + std::string(1'000'000, 'b') + "\nfox\n(\x1b[31m\n");
  const ProgramResult result = Run({"search", "--queries", "q"});
  EXPECT_EQ(result.exit_status, 2);
  std::istringstream lines(result.err);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_LE(line.size(), 300u);
  EXPECT_THAT(line, testing::StartsWith("pmdex: error: query '(bbbb"));
  EXPECT_THAT(line, testing::HasSubstr("...': column 1"));
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_THAT(line, testing::StartsWith("pmdex: error: query '(\\x1b[31m': column"));
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(CommandLine, NamesCannotGiveTheTerminalOrders) {
  const std::string name = "tree/evil\x1b[2J\nforged.txt";
  directory_.Write(name, "fox\n");
  directory_.Write("tree/broken\x1b\n", std::string("\0", 1));
  directory_.Write("d.jsonl", "{\"id\":\"x\\u009b\",\"f\\u001bield\":\"owl \\u009b31m\"}\n");
  const ProgramResult built = Run({"index", "tree", "--store", "on", "--positions", "on"});
  ASSERT_EQ(built.exit_status, 0) << built.err;
  ASSERT_EQ(Run({"index", "d.jsonl", "--append", "--quiet"}).exit_status, 0);
  std::string shown = built.out + built.err;
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"search", "fox", "--explain"},
        {"search", "owl", "--snippets", "--explain"},
        {"info"},
        {"verify"}}) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    shown += result.out + result.err;
  }
  EXPECT_EQ(shown.find('\x1b'), std::string::npos) << shown;
  EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos) << shown;
  EXPECT_THAT(shown, testing::HasSubstr("  tree/evil\\x1b[2J\\nforged.txt\n"));
  EXPECT_THAT(shown, testing::HasSubstr("tree/broken\\x1b\\n"));
  EXPECT_THAT(shown, testing::HasSubstr("f\\x1bield"));
  EXPECT_EQ(Ids({"search", "fox", "--json"}), std::vector<std::string>{name});
}

TEST_F(CommandLine, ATierThatDoesNotExistIsAnError) {
  directory_.Write("tree/a.txt", "fox\n");
  ExpectOneLineError(Run({"index", "tree", "--tier", "gold"}), 2, "gold");
  EXPECT_EQ(NewestManifest(directory_ / "pmdex-index"), "");
  for (const char* tier : {"auto", "uncompressed"}) {
    EXPECT_EQ(Run({"index", "tree", "--overwrite", "--tier", tier, "--quiet"}).exit_status, 0);
    EXPECT_EQ(RunJson({"info", "--json"})["segments"][0]["tier"], "uncompressed");
  }
}

TEST_F(CommandLine, MissingThingsLeaveWithOne) {
  ExpectOneLineError(Run({"search", "fox"}), 1, "no index in pmdex-index");
  ExpectOneLineError(Run({"info", "--index", "nowhere"}), 1, "nowhere");
  ExpectOneLineError(Run({"verify"}), 1, "no index");
  ExpectOneLineError(Run({"index", "no-such-input"}), 1, "no-such-input");
  ExpectOneLineError(Run({"index", "--append", "."}), 1, "leave out --append");
  EXPECT_EQ(NewestManifest(directory_ / "pmdex-index"), "");
}

TEST_F(CommandLine, IndexesATreeAndFindsItsDocuments) {
  BuildTree();
  EXPECT_EQ(Ids({"search", "brown", "--json"}),
            (std::vector<std::string>{"tree/b.txt", "tree/a.txt"}));
  EXPECT_EQ(Ids({"search", "quick AND NOT fox", "--json"}),
            (std::vector<std::string>{"tree/b.txt"}));
  EXPECT_EQ(Ids({"search", "\"lazy dog\"", "--json"}), (std::vector<std::string>{"tree/a.txt"}));
  EXPECT_EQ(Ids({"search", "path:*sub*", "--json"}), (std::vector<std::string>{"tree/sub/c.txt"}));
  EXPECT_EQ(Ids({"search", "unheard", "--json"}), std::vector<std::string>());
}

TEST_F(CommandLine, SearchJsonHasTheKeysOfTheInterface) {
  BuildTree();
  const json result = RunJson({"search", "quick", "--json", "--count", "-k", "1"});
  EXPECT_EQ(result["query"], "quick");
  EXPECT_EQ(result["total"], (json{{"value", 2}, {"exact", true}}));
  EXPECT_TRUE(result["took_us"].is_number());
  ASSERT_EQ(result["hits"].size(), 1u);
  EXPECT_GT(result["hits"][0]["score"].get<double>(), 0);
  const json counts = RunJson({"search", "quick", "--json", "--count", "-k", "0"});
  EXPECT_EQ(counts["total"]["value"], 2);
  EXPECT_TRUE(counts["hits"].empty());
}

TEST_F(CommandLine, CountsAreExactOnlyWhenAskedForOrFree) {
  BuildTree();
  const auto is_exact = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"search", "quick brown", "--json"});
    return RunJson(flags)["total"]["exact"].get<bool>();
  };
  EXPECT_FALSE(is_exact({}));
  EXPECT_TRUE(is_exact({"--count"}));
  EXPECT_TRUE(is_exact({"--exhaustive"}));
  EXPECT_TRUE(is_exact({"-k", "0"}));
}

TEST_F(CommandLine, SearchesWithTheInstructionsThatItIsTold) {
  BuildTree();
  const json best = RunJson({"search", "quick brown", "--json"});
  for (const SimdLevel level : {SimdLevel::kScalar, SimdLevel::kAvx2, SimdLevel::kAvx512}) {
    const std::string name(ToString(level));
    if (!IsUsable(level)) {
      ExpectOneLineError(Run({"search", "quick", "--simd", name}), 2, name);
      continue;
    }
    const json result = RunJson({"search", "quick brown", "--json", "--simd", name});
    EXPECT_EQ(result["simd"], name);
    EXPECT_EQ(result["hits"], best["hits"]);
  }
  ExpectOneLineError(Run({"search", "quick", "--simd", "mmx"}), 2, "mmx");
}

TEST_F(CommandLine, SaysHowManyMatchesThereAreAtLeast) {
  BuildTree();
  EXPECT_NE(Run({"search", "-k", "1", "quick brown"}).out.find(" or more, "), std::string::npos);
  EXPECT_EQ(Run({"search", "--count", "quick brown"}).out.find(" or more, "), std::string::npos);
}

TEST_F(CommandLine, SaysNothingOfADeadlineThatWasKept) {
  BuildTree();
  const json result = RunJson({"search", "quick brown", "--json", "--deadline-ms", "60000"});
  EXPECT_FALSE(result.contains("timed_out"));
  EXPECT_EQ(result["hits"].size(), 2u);
  ExpectOneLineError(Run({"search", "quick", "--deadline-ms", "0"}), 2, "--deadline-ms");
}

TEST_F(CommandLine, IndexJsonHasTheKeysOfTheInterface) {
  directory_.Write("d.jsonl",
                   "{\"id\":\"1\",\"t\":\"one two\"}\nnot json\n{\"id\":\"1\",\"t\":\"two\"}\n");
  const json report = RunJson({"index", "d.jsonl", "--json"});
  EXPECT_EQ(report["documents"], 2);
  EXPECT_EQ(report["skipped"], 1);
  EXPECT_EQ(report["repeated_ids"], 1);
  EXPECT_EQ(report["bytes_in"], 55);
  for (const char* key : {"tokens", "terms", "postings", "seconds", "mib_per_second", "segments"}) {
    EXPECT_TRUE(report[key].is_number()) << key;
  }
  EXPECT_EQ(report["bytes"]["total"], report["bytes"]["uncompressed"]);
  EXPECT_EQ(report["problems"][0]["first"].size(), 1u);
  for (const char* stage : {"walk", "read", "index", "write", "publish"}) {
    for (const char* key : {"threads", "busy_s", "waited_for_input_s", "waited_for_output_s"}) {
      EXPECT_TRUE(report["stages"][stage][key].is_number()) << stage << " " << key;
    }
  }
  EXPECT_EQ(report["stages"]["read"]["bytes"], 55);
  EXPECT_TRUE(report["stages"]["index"]["mib_per_second"].is_number());
  for (const char* queue : {"files", "blocks", "memtables"}) {
    EXPECT_GE(report["queues"][queue]["max_depth"], 1) << queue;
  }
  EXPECT_TRUE(report["bottleneck"].is_string());
}

TEST_F(CommandLine, IndexTellsLastWhatHeldItUp) {
  directory_.Write("d.txt", "some words\n");
  const ProgramResult result = Run({"index", "d.txt"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const size_t last_line = result.out.rfind('\n', result.out.size() - 2) + 1;
  // There is only a verdict if the build took long enough.
  EXPECT_THAT(result.out.substr(last_line),
              testing::ContainsRegex("^(too short to tell|[a-z]+-bound|balanced): "));
  const ProgramResult again = Run({"index", "d.txt", "--resume"});
  EXPECT_EQ(again.out.find("too short"), std::string::npos) << "nothing ran: " << again.out;
}

TEST_F(CommandLine, ReadsJsonLinesFromStandardInput) {
  const json report = RunJson({"index", "-", "--json"}, "{\"id\":\"x\",\"body\":\"hello\"}\n");
  EXPECT_EQ(report["documents"], 1);
  EXPECT_EQ(Ids({"search", "hello", "--json"}), (std::vector<std::string>{"x"}));
}

TEST_F(CommandLine, AnExistingIndexNeedsAppendOrOverwrite) {
  BuildTree();
  directory_.Write("more/d.txt", "brown owl\n");
  ExpectOneLineError(Run({"index", "more"}), 1, "--append");
  EXPECT_EQ(RunJson({"index", "more", "--append", "--json"})["segments"].get<int>() >= 2, true);
  EXPECT_EQ(RunJson({"search", "brown", "--count", "--json"})["total"]["value"], 3);
  ExpectOneLineError(Run({"index", "more", "--append", "--analyzer", "english"}), 1, "standard");
  EXPECT_EQ(Run({"index", "more", "--overwrite", "--quiet"}).exit_status, 0);
  EXPECT_EQ(RunJson({"search", "brown", "--count", "--json"})["total"]["value"], 1);
}

TEST_F(CommandLine, AQueryThatCannotBeParsedPointsAtTheColumn) {
  BuildTree();
  ExpectOneLineError(Run({"search", "quick AND (brown"}), 2, "column");
  ExpectOneLineError(Run({"search", "\"quick"}), 2, "column 1");
}

TEST_F(CommandLine, RunsAFileOfQueriesInItsOrder) {
  BuildTree();
  directory_.Write("q", "fox\n\nbrown\nnothing\n");
  const ProgramResult result =
      Run({"search", "--queries", "q", "--json", "--threads", "2", "--repeat", "3"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  std::istringstream lines(result.out);
  std::vector<json> documents;
  for (std::string line; std::getline(lines, line);) documents.push_back(json::parse(line));
  ASSERT_EQ(documents.size(), 4u);
  EXPECT_EQ(documents[0]["query"], "fox");
  EXPECT_EQ(documents[1]["query"], "brown");
  EXPECT_EQ(documents[2]["query"], "nothing");
  const json& summary = documents[3]["summary"];
  EXPECT_EQ(summary["queries"], 3);
  for (const char* key : {"mean_us", "p50_us", "p99_us", "max_us", "wall_s"}) {
    EXPECT_TRUE(summary[key].is_number()) << key;
  }
}

TEST_F(CommandLine, ABadLineOfABatchDoesNotStopTheOthers) {
  BuildTree();
  directory_.Write("q", "fox\n(\nbrown\n");
  const ProgramResult result = Run({"search", "--queries", "q", "--json"});
  EXPECT_EQ(result.exit_status, 2);
  std::istringstream lines(result.out);
  std::vector<json> documents;
  for (std::string line; std::getline(lines, line);) documents.push_back(json::parse(line));
  ASSERT_EQ(documents.size(), 4u);
  EXPECT_EQ(documents[1]["error"]["type"], "parse_error");
  EXPECT_EQ(documents[2]["hits"].size(), 2u);
}

TEST_F(CommandLine, ExplainsScoresThatAddUp) {
  BuildTree();
  const json result = RunJson({"search", "brown fox", "--json", "--explain"});
  for (const auto& hit : result["hits"]) {
    EXPECT_NEAR(hit["explanation"]["value"].get<double>(), hit["score"].get<double>(), 1e-5);
  }
  EXPECT_NE(Run({"search", "brown", "--explain"}).out.find("idf"), std::string::npos);
}

TEST_F(CommandLine, ExplainsThePlan) {
  BuildTree();
  const json plan =
      RunJson({"search", "body:brown AND body:fox", "--json", "--explain", "--count"})["plan"];
  EXPECT_EQ(plan["algorithm"], "max_score_windows");
  ASSERT_EQ(plan["clauses"].size(), 2u);
  EXPECT_EQ(plan["clauses"][0]["occur"], "must");
  EXPECT_EQ(plan["clauses"][0]["query"], "body:brown");
  EXPECT_GT(plan["clauses"][0]["estimate"], 0);
  EXPECT_EQ(plan["clauses"][1]["query"], "body:fox");
  EXPECT_EQ(plan["count"], "with_ranking");
  EXPECT_EQ(plan["threads"], 1);
  EXPECT_EQ(plan["segments"], json::array({"lead_list"}));
  EXPECT_EQ(RunJson({"search", "body:fox", "--json", "--explain"})["plan"]["algorithm"],
            "single_term");
  EXPECT_EQ(RunJson({"search", "*", "--json", "--explain", "--exhaustive"})["plan"]["segments"],
            json::array({"exhaustive"}));
  EXPECT_FALSE(RunJson({"search", "body:fox", "--json"}).contains("plan"));
  const std::string text = Run({"search", "body:fox body:brown", "--explain"}).out;
  EXPECT_NE(text.find("plan: max_score_windows, clauses: should body:fox (about "),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("), count: none\n"), std::string::npos) << text;
}

TEST_F(CommandLine, ShowsSnippetsOfStoredText) {
  directory_.Write("tree/a.txt", "The quick brown fox jumps over the lazy dog.\n");
  ASSERT_EQ(Run({"index", "tree", "--store", "on", "--quiet"}).exit_status, 0);
  const json result = RunJson({"search", "body:fox", "--json", "--snippets"});
  EXPECT_NE(result["hits"][0]["snippet"].get<std::string>().find("<em>fox</em>"),
            std::string::npos);
  EXPECT_NE(Run({"search", "body:fox", "--snippets"}).out.find("[fox]"), std::string::npos);
}

TEST_F(CommandLine, InfoTellsWhatTheIndexHolds) {
  BuildTree();
  const json info = RunJson({"info", "--json"});
  EXPECT_EQ(info["documents"], 3);
  EXPECT_EQ(info["analyzer"], "standard");
  EXPECT_EQ(info["settings"]["positions"], "on");
  EXPECT_EQ(info["settings"]["inputs"], "tree");
  EXPECT_EQ(info["fields"]["body"]["type"], "text");
  EXPECT_EQ(info["fields"]["body"]["multi"], false);
  EXPECT_EQ(info["fields"]["body"]["documents"], 3);
  EXPECT_EQ(info["segments"][0]["tier"], "uncompressed");
  EXPECT_NE(Run({"info"}).out.find("documents   3\n"), std::string::npos);
}

TEST_F(CommandLine, FindsWordsOfMoreFieldsThanAnIndexMayHaveHoweverItIsBuilt) {
  std::string lines;
  for (int i = 0; i < 12000; ++i) {
    const std::string number = std::to_string(i);
    lines += "{\"id\":\"d" + number + "\",\"key" + number + "\":\"common own" + number + "\"}\n";
  }
  directory_.Write("in.jsonl", lines);
  json first;
  for (const char* threads : {"1", "4"}) {
    const json report =
        RunJson({"index", "in.jsonl", "--overwrite", "--json", "--threads", threads});
    EXPECT_EQ(report["documents"], 12000);
    EXPECT_EQ(report["skipped"], 0);
    ASSERT_EQ(report["problems"].size(), 1u);
    EXPECT_EQ(report["problems"][0]["kind"], "too many fields");
    EXPECT_EQ(report["problems"][0]["count"], 11000);
    EXPECT_EQ(Ids({"search", "--json", "own11999"}), std::vector<std::string>{"d11999"});
    EXPECT_EQ(Ids({"search", "--json", "key999:own999"}), std::vector<std::string>{"d999"});
    EXPECT_EQ(Ids({"search", "--json", "key1000:own1000"}), std::vector<std::string>{});
    EXPECT_EQ(Ids({"search", "--json", "_other:own1000"}), std::vector<std::string>{"d1000"});
    const json common = RunJson({"search", "--json", "--count", "-k", "12000", "common"});
    EXPECT_EQ(common["total"]["value"], 12000);
    std::map<std::string, double> scores;
    for (const auto& hit : common["hits"]) scores[hit["id"]] = hit["score"];
    EXPECT_EQ(scores.size(), 12000u);
    if (first.is_null()) first = scores;
    EXPECT_TRUE(json(scores) == first) << threads << " threads";
  }
  EXPECT_EQ(RunJson({"info", "--json"})["fields_beyond_limit"],
            (json{{"limit", 1000}, {"field", "_other"}, {"documents", 11000}}));
}

TEST_F(CommandLine, VerifyLeavesWithThreeOnDamageAndNamesThePlace) {
  BuildTree();
  const json sound = RunJson({"verify", "--json"});
  EXPECT_EQ(sound["ok"], true);
  std::string segment;
  for (const auto& entry : std::filesystem::directory_iterator(directory_ / "pmdex-index")) {
    if (entry.path().extension() == ".pmdex") segment = entry.path().string();
  }
  ASSERT_NE(segment, "");
  FILE* file = std::fopen(segment.c_str(), "r+");
  ASSERT_NE(file, nullptr);
  std::fseek(file, 4096, SEEK_SET);
  const int byte = std::fgetc(file);
  std::fseek(file, 4096, SEEK_SET);
  std::fputc(byte ^ 1, file);
  std::fclose(file);
  const ProgramResult damaged = Run({"verify", "--json"});
  EXPECT_EQ(damaged.exit_status, 3);
  const json report = json::parse(damaged.out);
  EXPECT_EQ(report["ok"], false);
  const json& finding = report["findings"][0];
  EXPECT_EQ(finding["file"], std::filesystem::path(segment).filename().string());
  EXPECT_TRUE(finding["section"].is_string());
  EXPECT_TRUE(finding["offset"].is_number());
}

TEST_F(CommandLine, TheEnvironmentNamesTheDefaultStore) {
  BuildTree();
  ProgramOptions options;
  options.directory = "/";
  options.environment = {"PMDEX_INDEX=" + (directory_ / "pmdex-index")};
  const ProgramResult result = RunProgram({PMDEX_BINARY, "search", "fox", "--json"}, options);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["hits"].size(), 1u);
}

TEST_F(CommandLine, DoctorSucceedsWithoutPersistentMemory) {
  const json report = RunJson({"doctor", ".", "--json"});
  EXPECT_TRUE(report["checks"].is_array());
  EXPECT_EQ(Run({"doctor", "."}).exit_status, 0);
  ExpectOneLineError(Run({"doctor", "no-such-path"}), 1, "no-such-path");
}

TEST_F(CommandLine, BadInputIsCountedAndNeverStopsTheRun) {
  directory_.Write("tree/good.txt", "fine\n");
  directory_.Write("tree/binary", std::string("\0\1\2", 3));
  directory_.Write("tree/latin1.txt", "caf\xe9 noir\n");
  std::filesystem::create_symlink("tree", directory_ / "tree/loop");
  const json report = RunJson({"index", "tree", "--json"});
  EXPECT_EQ(report["documents"], 2);
  EXPECT_EQ(report["skipped"], 1);
  EXPECT_EQ(RunJson({"search", "noir", "--json"})["hits"].size(), 1u);
}

}  // namespace command_line_test
}  // namespace pmdex
