#include "tools/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "absl/strings/str_cat.h"

#include "pmem/file_descriptor.h"

extern char** environ;

namespace pmdex {
namespace {

using ChildClock = std::chrono::steady_clock;

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

absl::StatusOr<Pipe> OpenPipe() {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return ErrnoStatus(errno, "pipe to a child process");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// The file actions of posix_spawn, freed at the end.
class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

absl::StatusOr<pid_t> Spawn(const std::vector<std::string>& arguments, const std::string& directory,
                            const Pipe& out, const Pipe& err) {
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), out.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), err.write_end.get(), STDERR_FILENO);
  if (!directory.empty()) {
    posix_spawn_file_actions_addchdir_np(actions.get(), directory.c_str());
  }
  std::vector<char*> words;
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, words[0], actions.get(), /*attrp=*/nullptr, words.data(), environ);
  if (error != 0) return ErrnoStatus(error, absl::StrCat("cannot run ", arguments[0]));
  return pid;
}

// Appends what the descriptor has, and closes it at its end.
void ReadSome(FileDescriptor& fd, std::string& text) {
  std::array<char, 16384> buffer;
  const ssize_t count = read(fd.get(), buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) fd.Reset();
}

int MillisecondsUntil(const std::optional<ChildClock::time_point>& end) {
  if (!end.has_value()) return -1;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(*end - ChildClock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(std::min<int64_t>(left + 1, 1'000'000));
}

bool IsOver(const std::optional<ChildClock::time_point>& end) {
  return end.has_value() && ChildClock::now() >= *end;
}

// What became of a child until its output ended.
enum class ChildEnd { kClosedOutput, kTooSlow, kPrintedTooMuch };

// Reads both pipes until the child has closed them, or has used up its time or its output.
ChildEnd ReadOutput(FileDescriptor& out, FileDescriptor& err, ChildResult& result,
                    const std::optional<ChildClock::time_point>& end,
                    const std::optional<size_t>& output_limit) {
  while (out.valid() || err.valid()) {
    if (IsOver(end)) return ChildEnd::kTooSlow;
    std::array<pollfd, 2> fds = {pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0}};
    const int ready = poll(fds.data(), fds.size(), MillisecondsUntil(end));
    if (ready < 0 && errno != EINTR) return ChildEnd::kClosedOutput;
    if (ready <= 0) continue;
    if (fds[0].revents != 0) ReadSome(out, result.out);
    if (fds[1].revents != 0) ReadSome(err, result.messages);
    if (output_limit.has_value() && result.out.size() + result.messages.size() > *output_limit) {
      return ChildEnd::kPrintedTooMuch;
    }
  }
  return ChildEnd::kClosedOutput;
}

// Returns nothing if the time is over before the child has ended, which can go on without output.
std::optional<int> WaitFor(pid_t pid, const std::optional<ChildClock::time_point>& end) {
  int state = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &state, end.has_value() ? WNOHANG : 0);
    if (ended == pid) return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    if (ended < 0 && errno != EINTR) return 127;
    if (IsOver(end)) return std::nullopt;
    if (ended == 0) poll(/*fds=*/nullptr, 0, /*timeout=*/2);
  }
}

}  // namespace

absl::StatusOr<ChildResult> RunChild(const std::vector<std::string>& arguments,
                                     const ChildOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(Pipe out, OpenPipe());
  PMDEX_ASSIGN_OR_RETURN(Pipe err, OpenPipe());
  std::optional<ChildClock::time_point> end;
  if (options.time_limit.has_value()) end = ChildClock::now() + *options.time_limit;
  PMDEX_ASSIGN_OR_RETURN(const pid_t pid, Spawn(arguments, options.directory, out, err));
  out.write_end.Reset();
  err.write_end.Reset();
  ChildResult result;
  ChildEnd child = ReadOutput(out.read_end, err.read_end, result, end, options.output_limit);
  std::optional<int> exit_status;
  if (child == ChildEnd::kClosedOutput) {
    exit_status = WaitFor(pid, end);
    if (!exit_status.has_value()) child = ChildEnd::kTooSlow;
  }
  if (!exit_status.has_value()) {
    kill(pid, SIGKILL);
    exit_status = WaitFor(pid, /*end=*/std::nullopt);
  }
  result.exit_status = exit_status.value_or(127);
  if (child == ChildEnd::kTooSlow) {
    return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                      absl::StrCat(arguments[0], " took longer than ", options.time_limit->count(),
                                   " s and was ended"));
  }
  if (child == ChildEnd::kPrintedTooMuch) {
    return MakeStatus(absl::StatusCode::kResourceExhausted,
                      absl::StrCat(arguments[0], " printed more than ", *options.output_limit,
                                   " bytes and was ended"));
  }
  return result;
}

}  // namespace pmdex
