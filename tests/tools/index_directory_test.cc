// What pmdex does to the directory of an index and to foreign files in it. It must create an index
// only where nothing else is, remove only files that it made, and give other users no access that
// nobody asked for.
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
    // Lets another user reach the index.
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

  // Everything below the directory, with path, kind, size and mode.
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

  std::set<mode_t> ModesOfFiles() const {
    std::set<mode_t> modes;
    for (const auto& entry : fs::directory_iterator(Index())) modes.insert(ModeOf(entry.path()));
    return modes;
  }
  static mode_t ModeOf(const std::string& path) {
    struct stat facts {};
    EXPECT_EQ(stat(path.c_str(), &facts), 0) << path;
    return facts.st_mode & 07777;
  }

  const TemporaryDirectory directory_{FastTemporaryParent()};
};

TEST_F(IndexDirectory, ThatHoldsOtherThingsIsRefusedAndLeftAsItIs) {
  directory_.Write("p/tuning/thesis.txt", "precious");
  directory_.Write("q/segment-0000000000000001.pmdex", "precious");
  directory_.Write("q/manifest-0000000000000001.tmp", "precious too");
  for (const std::string place : {"p", "q", "."}) {
    const auto before = Below(directory_.path());
    for (const char* how : {"", "--append", "--overwrite", "--resume", "--tune", "--mode=0666"}) {
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

TEST_F(IndexDirectory, IsNotMadeForAnInputThatIsMissing) {
  for (const char* flag : {"--overwrite", "--resume", "--json"}) {
    const ProgramResult result = Run({"index", "--index", "index", "docs", "missing", flag});
    EXPECT_EQ(result.exit_status, 1) << flag;
    EXPECT_NE(result.err.find("missing: No such file or directory"), std::string::npos)
        << result.err;
    EXPECT_FALSE(fs::exists(Index())) << flag;
  }
}

TEST_F(IndexDirectory, IsNoFile) {
  for (const char* flag : {"--overwrite", "--append", "--json"}) {
    const ProgramResult result = Run({"index", "--index", "docs/a.txt", "docs", flag});
    EXPECT_EQ(result.exit_status, 1) << flag;
    EXPECT_NE(result.err.find("Not a directory (hint: --index takes a directory"),
              std::string::npos)
        << result.err;
  }
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

TEST_F(IndexDirectory, IsForItsUserAloneUnlessAskedOtherwise) {
  const mode_t before = umask(0);
  MustRun({"index", "--index", "index", "docs"});
  umask(before);
  EXPECT_EQ(ModeOf(Index()), 0700u);
  EXPECT_EQ(ModesOfFiles(), std::set<mode_t>{0600});
  for (const auto& [mode, files, directories] :
       {std::tuple("0644", 0644u, 0755u), std::tuple("660", 0660u, 0770u)}) {
    const std::string index = directory_ / mode;
    MustRun({"index", "--index", index, "docs", "--mode", mode});
    EXPECT_EQ(ModeOf(index), directories);
    for (const auto& entry : fs::directory_iterator(index)) {
      EXPECT_EQ(ModeOf(entry.path()), files) << entry.path();
    }
  }
  for (const char* mode : {"0400", "0700", "2600", "rw", "06 00", "0600x", "-600", "99"}) {
    const ProgramResult result =
        Run({"index", "--index", "other", "docs", std::string("--mode=") + mode});
    EXPECT_EQ(result.exit_status, 2) << mode << result.err;
  }
  EXPECT_FALSE(fs::exists(directory_ / "other/write.lock"));
}

TEST_F(IndexDirectory, PassesItsModeOnAndTakesANewOneAsAWhole) {
  MustRun({"index", "--index", "index", "docs", "--mode", "0640"});
  const mode_t before = umask(077);
  MustRun({"index", "--index", "index", "--append", "docs"});
  umask(before);
  EXPECT_EQ(ModesOfFiles(), std::set<mode_t>{0640}) << "new files are as the old ones";
  MustRun({"index", "--index", "index", "--append", "docs", "--mode", "0600"});
  EXPECT_EQ(ModesOfFiles(), std::set<mode_t>{0600}) << "old files are as the new ones";
  EXPECT_EQ(ModeOf(Index()), 0700u);
  MustRun({"index", "--index", "index", "--overwrite", "docs", "--mode", "0644"});
  EXPECT_EQ(ModesOfFiles(), std::set<mode_t>{0644});
  EXPECT_EQ(ModeOf(Index()), 0755u);
}

// Runs the program as a user who owns no file of the test.
class AsNobody : public IndexDirectory {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    IndexDirectory::SetUp();
    // The binary may be in a folder that this user cannot enter.
    program_ = directory_ / "pmdex";
    fs::copy_file(PMDEX_BINARY, program_);
    ASSERT_EQ(chmod(program_.c_str(), 0755), 0);
  }
  ProgramResult RunAsNobody(const Arguments& arguments) {
    Arguments all = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                     program_};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram(all);
  }

  std::string program_;
};

TEST_F(AsNobody, AnIndexShowsNothingByDefault) {
  MustRun({"index", "--index", "index", "docs", "--store", "on"});
  const ProgramResult closed = RunAsNobody({"search", "--index", Index(), "--snippets", "secret"});
  EXPECT_EQ(closed.exit_status, 1) << closed.err;
  EXPECT_EQ(closed.out.find("secret"), std::string::npos) << closed.out;
  // The files themselves keep other users out, too, and not only the directory.
  ASSERT_EQ(chmod(Index().c_str(), 0755), 0);
  const ProgramResult open = RunAsNobody({"search", "--index", Index(), "--snippets", "secret"});
  EXPECT_EQ(open.exit_status, 1) << open.err;
  EXPECT_EQ(open.out.find("secret"), std::string::npos) << open.out;
}

TEST_F(IndexDirectory, InfoShowsWhereRelativeInputsWereAsText) {
  MustRun({"index", "--index", "index", "docs"});
  const std::string where = directory_.path() + " (docs)";
  const ProgramResult text = Run({"info", "--index", "index"});
  EXPECT_NE(text.out.find("input_directories " + where), std::string::npos) << text.out;
  const ProgramResult json = Run({"info", "--index", "index", "--json"});
  EXPECT_NE(json.out.find("\"input_directories\":\"" + where + "\""), std::string::npos)
      << json.out;
}

TEST_F(AsNobody, ReadingAnOpenIndexNeedsNoPermissionToWrite) {
  MustRun({"index", "--index", "index", "docs", "--store", "on", "--mode", "0644"});
  const auto before = Below(Index());
  const ProgramResult found = RunAsNobody({"search", "--index", Index(), "--snippets", "secret"});
  EXPECT_EQ(found.exit_status, 0) << found.err;
  EXPECT_NE(found.out.find("secret"), std::string::npos) << found.out;
  EXPECT_EQ(RunAsNobody({"info", "--index", Index()}).exit_status, 0);
  EXPECT_EQ(RunAsNobody({"verify", "--index", Index()}).exit_status, 0);
  EXPECT_EQ(RunAsNobody({"index", "--index", Index(), "--append", program_}).exit_status, 1);
  EXPECT_EQ(Below(Index()), before);
}

TEST_F(AsNobody, AnIndexOfItsOwnStaysItsOwnWhenRootAppends) {
  ASSERT_EQ(chmod((directory_ / "docs").c_str(), 0755), 0);
  const std::string place = directory_ / "place";
  fs::create_directory(place);
  ASSERT_EQ(chown(place.c_str(), 65534, 65534), 0);
  const std::string index = place + "/index";
  const ProgramResult made =
      RunAsNobody({"index", "--index", index, "--memory", "32M", directory_ / "docs"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  MustRun({"index", "--index", index, "--append", "docs"});
  const ProgramResult found = RunAsNobody({"search", "--index", index, "--count", "secret"});
  EXPECT_EQ(found.exit_status, 0) << found.err;
  EXPECT_TRUE(found.out.starts_with("2 matches")) << found.out;
}

TEST_F(IndexDirectory, IsReadFromAReadOnlyMount) {
  const Arguments in_own_mounts = {"/usr/bin/unshare", "-m", "/bin/sh", "-c"};
  const auto run = [&](const std::string& script) {
    Arguments arguments = in_own_mounts;
    arguments.push_back(script);
    return RunProgram(arguments);
  };
  const std::string mount =
      "mount --bind " + Index() + " " + Index() + " && mount -o remount,bind,ro " + Index();
  MustRun({"index", "--index", "index", "docs"});
  const ProgramResult mounted = run(mount);
  if (mounted.exit_status != 0) GTEST_SKIP() << "cannot mount: " << mounted.err;
  for (const std::string command : {"search secret", "info", "verify"}) {
    const ProgramResult result =
        run(mount + " && " + PMDEX_BINARY + " " + command + " --index " + Index());
    EXPECT_EQ(result.exit_status, 0) << command << ": " << result.err;
    EXPECT_EQ(result.err, "");
  }
  const ProgramResult refused =
      run(mount + " && " + PMDEX_BINARY + " index --append --index " + Index() + " " + Index());
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.err.find("Read-only file system"), std::string::npos) << refused.err;
}

}  // namespace index_directory_test
}  // namespace pmdex
