// `pmdex delete` and `pmdex index --update` on the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace pmdex {
namespace delete_command_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class DeleteCommand : public testing::Test {
 protected:
  DeleteCommand() {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      text += "{\"id\": \"d" + std::to_string(i) + "\", \"t\": \"common " +
              (i % 2 == 0 ? "even" : "odd") + "\"}\n";
    }
    input_ = root_.Write("in.jsonl", text);
    Expect(0, {"index", input_, "--quiet"});
  }
  ProgramResult Run(Arguments arguments, const std::string& in = "") {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = root_.path();
    options.environment = {"PMDEX_INDEX=" + (root_ / "index")};
    if (!in.empty()) options.input = in;
    return RunProgram(arguments, options);
  }
  ProgramResult Expect(int exit_status, const Arguments& arguments, const std::string& in = "") {
    ProgramResult result = Run(arguments, in);
    EXPECT_EQ(result.exit_status, exit_status) << result.out << result.err;
    return result;
  }
  json RunJson(Arguments arguments, const std::string& in = "") {
    arguments.push_back("--json");
    return json::parse(Expect(0, arguments, in).out, nullptr, false);
  }
  json Info() { return RunJson({"info"}); }

  const TemporaryDirectory root_;
  std::string input_;
};

TEST_F(DeleteCommand, CountsWhatItDeletesAndWhatIsNotThere) {
  EXPECT_EQ(RunJson({"delete", "d1", "d2", "nowhere", "d1"}),
            (json{{"deleted", 2}, {"missing", 1}}));
  EXPECT_EQ(RunJson({"delete", "d1"}), (json{{"deleted", 0}, {"missing", 1}}));
  const json info = Info();
  EXPECT_EQ(info["documents"], 18);
  EXPECT_EQ(info["deleted"], 2);
  EXPECT_EQ(info["segments"][0]["documents"], 18);
  EXPECT_EQ(info["segments"][0]["deleted"], 2);
  Expect(0, {"verify"});
  EXPECT_EQ(Expect(0, {"delete", "d3", "nowhere"}).out, "deleted 1 document; 1 id is not there\n");
  EXPECT_EQ(Expect(0, {"delete", "d4", "--quiet"}).out, "");
}

TEST_F(DeleteCommand, ReadsIdsFromAFileOrStandardInput) {
  const std::string ids = root_.Write("ids", "d0\r\nd1\n\nd2");
  EXPECT_EQ(RunJson({"delete", "--ids", ids})["deleted"], 3);
  EXPECT_EQ(RunJson({"delete", "--ids", "-"}, "d3\nnone\n"),
            (json{{"deleted", 1}, {"missing", 1}}));
  EXPECT_EQ(RunJson({"delete", "--ids", "-", "-z"}, std::string("d4\0d5\0", 6))["deleted"], 2);
  EXPECT_NE(Expect(1, {"delete", "--ids", "nofile"}).err.find("nofile"), std::string::npos);
}

TEST_F(DeleteCommand, DeletesWhatMatchesAQuery) {
  EXPECT_EQ(RunJson({"delete", "--query", "t:even"}), (json{{"deleted", 10}, {"missing", 0}}));
  EXPECT_EQ(Info()["documents"], 10);
  EXPECT_EQ(RunJson({"delete", "--query", "t:even"})["deleted"], 0) << "deleted already";
  EXPECT_EQ(RunJson({"delete", "--query", "*"})["deleted"], 10);
  EXPECT_EQ(Info()["documents"], 0);
  Expect(0, {"verify"});
}

TEST_F(DeleteCommand, RefusesWhatItDoesNotUnderstand) {
  const json before = Info();
  for (const Arguments& wrong :
       {Arguments{"delete"}, Arguments{"delete", "a", "--query", "b"},
        Arguments{"delete", "a", "--ids", "f"}, Arguments{"delete", "a", "-z"},
        Arguments{"delete", "--query", "(a"}}) {
    Expect(2, wrong);
  }
  Expect(1, {"delete", "a", "--index", root_ / "none"});
  EXPECT_EQ(Info(), before) << "nothing was published";
}

TEST_F(DeleteCommand, KeepsDeletionsWhenSegmentsChangeTheirTier) {
  Expect(0, {"delete", "d7"});
  Expect(0, {"tier", "demote", "--all"});
  EXPECT_EQ(Info()["deleted"], 1);
  EXPECT_EQ(RunJson({"delete", "d7"})["missing"], 1);
  EXPECT_EQ(RunJson({"delete", "d8"})["deleted"], 1);
  Expect(0, {"tier", "promote", "--all"});
  EXPECT_EQ(Info()["documents"], 18);
  Expect(0, {"verify"});
}

TEST_F(DeleteCommand, ReportsALostFileOfLiveDocuments) {
  Expect(0, {"delete", "d7"});
  for (const auto& entry : std::filesystem::directory_iterator(root_ / "index")) {
    if (!entry.path().filename().string().starts_with("live-")) continue;
    std::filesystem::resize_file(entry.path(), 10);
  }
  EXPECT_EQ(Run({"verify"}).exit_status, 3);
  EXPECT_EQ(Run({"info"}).exit_status, 1);
  EXPECT_EQ(Run({"search", "common"}).exit_status, 1) << "a partial answer";
  EXPECT_EQ(Run({"delete", "d8"}).exit_status, 1);
}

TEST_F(DeleteCommand, UpdatesReplaceDocumentsAndAreCounted) {
  const std::string more =
      root_.Write("more.jsonl",
                  "{\"id\": \"d1\", \"t\": \"first\"}\n{\"id\": \"n\", \"t\": \"new\"}\n"
                  "{\"id\": \"d1\", \"t\": \"second\"}\n");
  const json kept = RunJson({"index", more, "--append"});
  EXPECT_EQ(kept["updated"], 0);
  EXPECT_EQ(kept["repeated_ids"], 2);
  const json updated = RunJson({"index", more, "--append", "--update"});
  EXPECT_EQ(updated["updated"], 5) << "three of d1, one of n, one within the build";
  EXPECT_EQ(updated["repeated_ids"], 0);
  EXPECT_EQ(Info()["documents"], 21);
  const json again = RunJson({"index", more, "--append", "--update", "--resume"});
  EXPECT_EQ(again["updated"], 5) << "the build is finished";
  EXPECT_EQ(Info()["documents"], 21);
  EXPECT_EQ(RunJson({"delete", "d1"})["deleted"], 1);
  Expect(0, {"verify"});
}

}  // namespace delete_command_test
}  // namespace pmdex
