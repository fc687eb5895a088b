#include "tests/support/run_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "pmem/check.h"

namespace pmdex {
namespace {

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void Redirect(const std::string& path, int flags, int descriptor) {
  const int file = open(path.c_str(), flags, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  close(file);
}

[[noreturn]] void BecomeProgram(const std::vector<std::string>& arguments,
                                const ProgramOptions& options, const TemporaryDirectory& pipes) {
  Redirect(pipes / "in", O_RDONLY, STDIN_FILENO);
  Redirect(pipes / "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  Redirect(pipes / "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(126);
  for (const std::string& variable : options.environment) {
    putenv(const_cast<char*>(variable.c_str()));
  }
  if (options.modes_count && geteuid() == 0) {
    // What root gets back at exec is bounded by this set.
    if (prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE) != 0) _exit(126);
    if (prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH) != 0) _exit(126);
  }
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (options.prepare) options.prepare();
  execv(argv[0], argv.data());
  _exit(127);
}

// Starts the program without a copy of the test's page tables, which takes ten milliseconds and
// more for a large process. For options that need no code in the child.
pid_t Spawn(const std::vector<std::string>& arguments, const ProgramOptions& options,
            const TemporaryDirectory& pipes) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> variables;  // getenv() takes the first one of a name
  for (const std::string& added : options.environment) {
    variables.push_back(const_cast<char*>(added.c_str()));
  }
  for (char** given = environ; *given != nullptr; ++given) {
    const std::string_view name =
        std::string_view(*given).substr(0, std::string_view(*given).find('=') + 1);
    const bool is_replaced =
        std::any_of(options.environment.begin(), options.environment.end(),
                    [&](const std::string& added) { return added.starts_with(name); });
    if (!is_replaced) variables.push_back(*given);
  }
  variables.push_back(nullptr);
  constexpr int kWritten = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  PMDEX_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  const auto redirect = [&actions](const std::string& path, int flags, int descriptor) {
    PMDEX_CHECK(posix_spawn_file_actions_addopen(&actions, descriptor, path.c_str(), flags, 0600) ==
                0);
  };
  redirect(pipes / "in", O_RDONLY, STDIN_FILENO);
  redirect(pipes / "out", kWritten, STDOUT_FILENO);
  redirect(pipes / "err", kWritten, STDERR_FILENO);
  if (!options.directory.empty()) {
    PMDEX_CHECK(posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str()) == 0);
  }
  pid_t child = -1;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  const TemporaryDirectory pipes;
  pipes.Write("in", options.input);
  const bool needs_code = options.prepare != nullptr || options.modes_count;
  const pid_t child = needs_code ? fork() : Spawn(arguments, options, pipes);
  ProgramResult result;
  result.exit_status = 127;  // as of a child that could not become the program
  if (child < 0) return result;
  if (child == 0) BecomeProgram(arguments, options, pipes);
  int status = 0;
  struct rusage usage {};
  PMDEX_CHECK(wait4(child, &status, 0, &usage) == child);
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = ReadWhole(pipes / "out");
  result.err = ReadWhole(pipes / "err");
  result.max_rss_kib = usage.ru_maxrss;
  return result;
}

std::string FastTemporaryParent() {
  const bool chosen = std::getenv("TEST_TMPDIR") != nullptr;
  return !chosen && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir();
}

bool RunAndKill(const std::vector<std::string>& arguments, std::chrono::microseconds moment) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  PMDEX_CHECK(posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) == 0);
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  PMDEX_CHECK(handle >= 0);
  pollfd ended = {handle, POLLIN, 0};
  const timespec limit = {moment.count() / 1'000'000, moment.count() % 1'000'000 * 1000};
  if (ppoll(&ended, 1, &limit, nullptr) == 0) kill(child, SIGKILL);
  close(handle);
  int status = 0;
  PMDEX_CHECK(waitpid(child, &status, 0) == child);
  if (WIFEXITED(status)) {
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return true;
  }
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  return false;
}

TemporaryDirectory::TemporaryDirectory() : TemporaryDirectory(testing::TempDir()) {}

TemporaryDirectory::TemporaryDirectory(const std::string& parent) {
  std::string pattern = std::filesystem::canonical(parent).string() + "/pmdex-XXXXXX";
  PMDEX_CHECK(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::Write(const std::string& name, const std::string& content) const {
  const std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path.string();
}

}  // namespace pmdex
