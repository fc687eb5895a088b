// Tests `pmdex copy` on the command line: a backup, and restoring it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/live_documents.h"
#include "tests/support/run_program.h"

namespace pmdex {
namespace copy_command_test {

using nlohmann::json;
using Arguments = std::vector<std::string>;

class CopyCommand : public testing::Test {
 protected:
  CopyCommand() {
    std::string text;
    for (int i = 0; i < 50; ++i) {
      text += json{{"id", std::to_string(i)}, {"t", "word" + std::to_string(i % 7)}}.dump() + "\n";
    }
    input_ = root_.Write("in.jsonl", text);
    EXPECT_EQ(Run({"index", input_, "--index", "index", "--place", "place", "--quiet"}), 0);
    EXPECT_EQ(
        Run({"index", input_, "--index", "index", "--append", "--tier", "compressed", "--quiet"}),
        0);
  }
  ProgramResult RunWhole(Arguments arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    ProgramOptions options;
    options.directory = root_.path();
    return RunProgram(arguments, options);
  }
  int Run(const Arguments& arguments) { return RunWhole(arguments).exit_status; }
  json Hits(const std::string& index) {
    const ProgramResult result =
        RunWhole({"search", "word1 word2", "-k", "100", "--index", index, "--json"});
    return json::parse(result.out, nullptr, false)["hits"];
  }

  const TemporaryDirectory root_;
  std::string input_;
};

TEST_F(CopyCommand, IsAnIndexOfItsOwn) {
  const json before = Hits("index");
  const ProgramResult copied = RunWhole({"copy", "backup", "--index", "index", "--json"});
  ASSERT_EQ(copied.exit_status, 0) << copied.err;
  const json report = json::parse(copied.out);
  EXPECT_EQ(report["documents"], 100);
  EXPECT_EQ(report["segments"], 2);
  std::filesystem::remove_all(root_ / "index");
  std::filesystem::remove_all(root_ / "place");
  EXPECT_EQ(Run({"verify", "--index", "backup"}), 0);
  EXPECT_EQ(Hits("backup"), before);
  ASSERT_EQ(Run({"copy", "index", "--index", "backup"}), 0);  // the way back
  EXPECT_EQ(Hits("index"), before);
  EXPECT_EQ(Run({"index", input_, "--index", "index", "--append", "--quiet"}), 0);
}

TEST_F(CopyCommand, CopiesAnIndexThatAWatchKeeps) {
  root_.Write("tree/a", "word1");
  ASSERT_EQ(Run({"watch", "tree", "--once", "--index", "watched", "--quiet"}), 0);
  EXPECT_EQ(Run({"copy", "backup", "--index", "watched"}), 0);
  EXPECT_EQ(Hits("backup").size(), 1u);
  ASSERT_EQ(Run({"watch", "tree", "--once", "--index", "backup", "--quiet"}), 0);
  EXPECT_EQ(Hits("backup").size(), 1u);
}

// A writer replaces documents, deletes some and merges, one command after the other, and each copy
// that is made meanwhile is one of the states between two commands. Restoring it gives the same.
TEST_F(CopyCommand, IsOneGenerationWhileOthersWrite) {
  constexpr int kIds = 40;
  using Model = std::map<std::string, std::string>;
  std::mutex mutex;
  std::vector<Model> states = {{}};  // the last one may not be durable yet
  std::atomic<bool> stop = false;
  ASSERT_EQ(Run({"index", root_.Write("none.jsonl", ""), "--index", "busy", "--store", "on",
                 "--update", "--quiet"}),
            0);
  const auto change = [&](const Model& after, const Arguments& arguments) {
    {
      const std::lock_guard lock(mutex);
      states.push_back(after);
    }
    EXPECT_EQ(Run(arguments), 0) << arguments.front();
  };
  std::thread writer([&] {
    for (int round = 0; !stop; ++round) {
      Model model = states.back();  // this thread alone changes them
      std::string lines;
      for (int i = round % 3; i < kIds; i += 1 + round % 4) {
        const std::string id = "d" + std::to_string(i);
        model[id] = "version " + std::to_string(round);
        lines += json{{"id", id}, {"t", model[id]}}.dump() + "\n";
      }
      change(model, {"index", root_.Write("more.jsonl", lines), "--index", "busy", "--append",
                     "--update", "--quiet"});
      const std::string gone = model.begin()->first;
      model.erase(gone);
      change(model, {"delete", gone, "--index", "busy"});
      if (round % 2 == 1) change(model, {"merge", "--max-segments", "1", "--index", "busy"});
    }
  });
  const auto read = [&](const std::string& index) {
    const auto directory = OpenFileDirectory(root_ / index, {});
    EXPECT_TRUE(directory.ok()) << directory.status();
    const auto documents = ReadLiveDocuments(**directory);
    EXPECT_TRUE(documents.ok()) << documents.status();
    return documents.ok() ? *documents : Model();
  };
  std::set<Model> copied;
  for (int i = 0; i < Rounds(16); ++i) {
    size_t first = 0;
    {
      const std::lock_guard lock(mutex);
      first = std::max<size_t>(states.size(), 2) - 2;  // durable when the copy begins
    }
    const std::string backup = "backup" + std::to_string(i);
    const std::string restored = "restored" + std::to_string(i);
    EXPECT_EQ(Run({"copy", backup, "--index", "busy"}), 0);
    const Model found = read(backup);
    {
      const std::lock_guard lock(mutex);
      EXPECT_NE(std::find(states.begin() + static_cast<ptrdiff_t>(first), states.end(), found),
                states.end())
          << "copy " << i;
    }
    EXPECT_EQ(Run({"copy", restored, "--index", backup}), 0);
    EXPECT_EQ(Run({"verify", "--index", restored}), 0);
    EXPECT_EQ(read(restored), found);
    copied.insert(found);
  }
  stop = true;
  writer.join();
  EXPECT_TRUE(kIsSanitized || copied.size() > 2) << "the writer hardly ran";
  EXPECT_EQ(read("busy"), states.back());
}

TEST_F(CopyCommand, RefusesToReplaceAnIndex) {
  const json before = Hits("index");
  EXPECT_EQ(Run({"copy", "index", "--index", "index"}), 1);
  EXPECT_EQ(Run({"copy", "backup", "--index", "missing"}), 1);
  EXPECT_EQ(Run({"copy"}), 2);
  EXPECT_EQ(Hits("index"), before);
}

}  // namespace copy_command_test
}  // namespace pmdex
