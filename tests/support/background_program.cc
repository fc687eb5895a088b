#include "tests/support/background_program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace pmdex {

BackgroundProgram::BackgroundProgram(const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& environment, int inherited) {
  std::array<int, 2> pipe_ends = {-1, -1};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return;
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    for (const std::string& variable : environment) {
      const size_t equals = variable.find('=');
      setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
      if (variable.starts_with("LISTEN_FDS=")) {
        setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
      }
    }
    dup2(pipe_ends[1], STDERR_FILENO);
    if (inherited == 3) fcntl(3, F_SETFD, 0);  // dup2 would leave it to be closed
    if (inherited >= 0) dup2(inherited, 3);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  stderr_ = FileDescriptor(pipe_ends[0]);
}

BackgroundProgram::~BackgroundProgram() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool BackgroundProgram::ReadMore() {
  std::array<char, 4096> piece;
  const ssize_t count = read(stderr_.get(), piece.data(), piece.size());
  if (count <= 0) return false;
  err_.append(piece.data(), static_cast<size_t>(count));
  return true;
}

std::string BackgroundProgram::AwaitLine(const std::string& text) {
  while (true) {
    for (size_t end = 0; (end = err_.find('\n', seen_)) != err_.npos;) {
      const std::string line = err_.substr(seen_, end - seen_);
      seen_ = end + 1;
      if (line.find(text) != line.npos) return line;
    }
    if (!ReadMore()) return "";
  }
}

void BackgroundProgram::Signal(int signal) const {
  kill(pid_, signal);
}

int BackgroundProgram::AwaitEnd() {
  while (ReadMore()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace pmdex
