// Tests `pmdex union`, `intersect`, `difference` and `split` on the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/store/index_writer.h"
#include "engine/store/manifest.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace set_commands_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class SetCommands : public testing::Test {
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
  // Documents "begin" ... "end - 1" with the text "NAME all".
  void Build(const std::string& name, int begin, int end, const Arguments& flags = {}) {
    std::string text;
    for (int i = begin; i < end; ++i) {
      text += json{{"id", std::to_string(i)}, {"t", name + " all"}}.dump() + "\n";
    }
    Arguments arguments = {"index", root_.Write(name + ".jsonl", text), "--index", name, "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const ProgramResult result = Run(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  std::vector<std::string> Ids(const std::string& index, const std::string& query) {
    std::vector<std::string> ids;
    const json answer = RunJson({"search", query, "-k", "1000", "--index", index});
    for (const json& hit : answer["hits"]) ids.push_back(hit["id"]);
    return ids;
  }

  const TemporaryDirectory root_;
};

TEST_F(SetCommands, KeepTheDocumentOfTheFirstIndex) {
  Build("a", 0, 30);
  Build("b", 20, 50);
  const json report = RunJson({"union", "a", "b", "--index", "both"});
  EXPECT_EQ(report["documents"], 50);
  EXPECT_EQ(report["segments"], 1);
  EXPECT_TRUE(report["seconds"].is_number());
  EXPECT_EQ(Ids("both", "a").size(), 30u);
  EXPECT_EQ(Ids("both", "b").size(), 20u);
  EXPECT_EQ(Run({"verify", "--index", "both"}).exit_status, 0);
}

TEST_F(SetCommands, IntersectAndSubtractByIds) {
  Build("a", 0, 30);
  Build("b", 20, 50);
  EXPECT_EQ(RunJson({"intersect", "a", "b", "--index", "common"})["documents"], 10);
  EXPECT_EQ(Ids("common", "a").front(), "20");
  EXPECT_EQ(RunJson({"difference", "a", "b", "--index", "rest"})["documents"], 20);
  EXPECT_EQ(Ids("rest", "all").front(), "0");
  EXPECT_EQ(RunJson({"difference", "a", "a", "--index", "none"})["documents"], 0);
  EXPECT_TRUE(Ids("none", "all").empty());
}

TEST_F(SetCommands, JoinTheirPartsToTheSameIndex) {
  Build("a", 0, 31, {"--store", "on"});
  EXPECT_EQ(RunJson({"split", "a", "--parts", "2", "--index", "parts"})["documents"], 31);
  EXPECT_EQ(Ids("parts/0", "all").size(), 16u);
  EXPECT_EQ(Ids("parts/1", "all").size(), 15u);
  EXPECT_EQ(RunJson({"union", "parts/0", "parts/1", "--index", "again"})["documents"], 31);
  EXPECT_EQ(Ids("again", "all"), Ids("a", "all"));
}

// The properties of the manifest with these names, as the program keeps them.
std::vector<std::string> PropertiesOf(const std::string& path) {
  const auto directory = OpenFileDirectory(path, {});
  EXPECT_TRUE(directory.ok()) << directory.status();
  const auto manifest = LoadNewestManifest(**directory, nullptr);
  EXPECT_TRUE(manifest.ok()) << manifest.status();
  std::vector<std::string> values;
  for (const char* name : {"server_definition", "file_roots", "format"}) {
    const auto found = manifest->properties.find(name);
    values.push_back(found == manifest->properties.end() ? "none" : found->second);
  }
  return values;
}

TEST_F(SetCommands, KeepWhatAServerAndTheWalkSaidOfTheDocuments) {
  for (const char* name : {"a", "b", "other"}) {
    root_.Write(std::string("tree-") + name + "/x", "words");
    ASSERT_EQ(Run({"index", std::string("tree-") + name, "--index", name, "--quiet"}).exit_status,
              0);
    const auto directory = OpenFileDirectory(root_ / name, {});
    ASSERT_TRUE(directory.ok()) << directory.status();
    auto writer = IndexWriter::Open(**directory, OpenMode::kAppend, IndexSettings());
    ASSERT_TRUE(writer.ok()) << writer.status();
    (*writer)->SetProperty("server_definition", name[0] == 'o' ? "{\"x\":1}" : "{}");
    ASSERT_TRUE((*writer)->Publish().ok());
  }
  using Values = std::vector<std::string>;
  const auto roots = [](const std::string& text) { return text + std::string(1, '\0'); };
  ASSERT_EQ(PropertiesOf(root_ / "a"), (Values{"{}", roots("tree-a"), "auto"}));
  RunJson({"union", "a", "b", "--index", "both"});
  EXPECT_EQ(PropertiesOf(root_ / "both"),
            (Values{"{}", roots("tree-a") + roots("tree-b"), "auto"}));
  RunJson({"union", "a", "other", "--index", "mixed"});
  EXPECT_EQ(PropertiesOf(root_ / "mixed"),
            (Values{"none", roots("tree-a") + roots("tree-other"), "auto"}));
  RunJson({"difference", "a", "other", "--index", "rest"});
  EXPECT_EQ(PropertiesOf(root_ / "rest"), PropertiesOf(root_ / "a")) << "all documents are a's";
  RunJson({"intersect", "a", "other", "--index", "common"});
  EXPECT_EQ(PropertiesOf(root_ / "common"), PropertiesOf(root_ / "a"));
  RunJson({"split", "other", "--parts", "2", "--index", "parts"});
  EXPECT_EQ(PropertiesOf(root_ / "parts/1"), PropertiesOf(root_ / "other"));
}

TEST_F(SetCommands, RefuseWhatCannotBeDone) {
  Build("a", 0, 3);
  Build("plain", 3, 6, {"--positions", "off"});
  const ProgramResult differ = Run({"union", "a", "plain", "--index", "out"});
  EXPECT_NE(differ.exit_status, 0);
  EXPECT_NE(differ.err.find("--positions"), std::string::npos) << differ.err;
  EXPECT_EQ(Run({"union", "a", "a", "--index", "a"}).exit_status, 1);
  EXPECT_EQ(Run({"union", "a", "missing", "--index", "out"}).exit_status, 1);
  EXPECT_EQ(Run({"union", "a", "--index", "out"}).exit_status, 2);
  EXPECT_EQ(Run({"split", "a", "--parts", "0", "--index", "out"}).exit_status, 2);
  EXPECT_EQ(Run({"union", "a", "a"}).exit_status, 2);
}

}  // namespace set_commands_test
}  // namespace pmdex
