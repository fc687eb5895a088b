// What pmdex does to the directory of an index, and to what others have in it: it makes an index
// only where nothing else is, removes only what it made, and lets nobody read it who was not asked
// for.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/store/scratch_directory.h"
#include "tests/support/run_program.h"
#include "tests/support/store_state.h"

namespace pmdex {
namespace index_directory_test {

namespace fs = std::filesystem;

using Arguments = std::vector<std::string>;

class IndexDirectory : public testing::Test {
 protected:
  void SetUp() override {
    directory_.Write("docs/a.txt", "a secret\n");
    directory_.Write("docs/b.txt", "another\n");
    // So that another user can come as far as the index.
    ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  }

  ProgramResult Run(Arguments arguments, const std::string& working_directory = "") {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    if (arguments[1] == "index") {
      arguments.insert(arguments.end(), {"--quiet", "--memory", "32M", "--threads", "1"});
    }
    ProgramOptions options;
    options.directory = working_directory.empty() ? directory_.path() : working_directory;
    return RunProgram(arguments, options);
  }
  void MustRun(const Arguments& arguments) {
    const ProgramResult result = Run(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }

  std::string Index() const { return directory_ / "index"; }

  // All that is below the directory: path and kind, size and mode.
  std::map<std::string, std::string> Below(const std::string& path) const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      struct stat facts {};
      EXPECT_EQ(lstat(entry.path().c_str(), &facts), 0);
      found[entry.path().string()] =
          std::to_string(facts.st_mode) + " " + std::to_string(facts.st_size);
    }
    return found;
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
};

TEST_F(IndexDirectory, ThatHoldsOtherThingsIsRefusedAndLeftAsItIs) {
  directory_.Write("p/tuning/thesis.txt", "precious");
  directory_.Write("q/segment-0000000000000001.pmdex", "precious");
  directory_.Write("q/manifest-0000000000000001.tmp", "precious too");
  for (const std::string place : {"p", "q", "."}) {
    const auto before = Below(directory_.path());
    for (const char* how : {"", "--append", "--overwrite", "--resume", "--tune"}) {
      Arguments arguments = {"index", "--index", place, "docs"};
      if (*how != '\0') arguments.emplace_back(how);
      const ProgramResult result = Run(arguments);
      EXPECT_EQ(result.exit_status, 1) << how;
      EXPECT_TRUE(
          result.err.starts_with("pmdex: error: " + place + " is neither empty nor an index"))
          << result.err;
      EXPECT_NE(result.err.find("(hint: "), std::string::npos) << result.err;
    }
    EXPECT_EQ(Below(directory_.path()), before);
  }
}

TEST_F(IndexDirectory, MayBeAFreshFileSystemOrHoldWhatAKilledWriterLeft) {
  fs::create_directories(Index() + "/lost+found");
  fs::create_directories(Index() + "/.pmdex-scratch-abcdef");
  directory_.Write("index/write.lock", "");
  directory_.Write("index/manifest-0000000000000001.tmp", "half a manif");
  directory_.Write("index/segment-0000000000000001.pmdex.tmp", "");
  MustRun({"index", "--index", "index", "docs"});
  EXPECT_EQ(UnlistedFiles(Index()), std::set<std::string>{"lost+found"});
}

TEST_F(IndexDirectory, KeepsWhatOthersHaveInIt) {
  MustRun({"index", "--index", "index", "docs"});
  const std::set<std::string> strangers = {"tuning/thesis.txt",
                                           "segment-backup.pmdex",
                                           "segment-12.pmdex",
                                           "segment-0000000000000002.pmdex",
                                           "segment-0000000000000012.pmdex",
                                           "notes.tmp",
                                           ".pmdex-scratch-abcdef/x",
                                           "manifest-backup"};
  for (const std::string& name : strangers) directory_.Write("index/" + name, "precious");
  MustRun({"index", "--index", "index", "--append", "docs"});
  MustRun({"index", "--index", "index", "--overwrite", "docs"});
  EXPECT_EQ(Run({"index", "--index", "index", "docs"}).exit_status, 1) << "there is one already";
  EXPECT_EQ(Run({"index", "--index", "index", "--append", "nowhere"}).exit_status, 1);
  for (const std::string& name : strangers) {
    EXPECT_EQ(fs::file_size(Index() + "/" + name), 8u) << name;
  }
  EXPECT_EQ(CountOf(Index(), "secret").value(), 1u);
}

TEST_F(IndexDirectory, LosesTheScratchDataOfAKilledWriter) {
  MustRun({"index", "--index", "index", "docs"});
  {
    const auto scratch = ScratchDirectory::Create(Index());
    ASSERT_TRUE(scratch.ok()) << scratch.status();
    fs::create_directories(scratch->path() + "/sample/0");
    fs::copy(scratch->path(), Index() + "/.pmdex-scratch-killed", fs::copy_options::recursive);
  }
  MustRun({"index", "--index", "index", "--append", "docs"});
  EXPECT_EQ(UnlistedFiles(Index()), std::set<std::string>());
}

}  // namespace index_directory_test
}  // namespace pmdex
