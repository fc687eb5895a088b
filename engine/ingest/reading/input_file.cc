#include "engine/ingest/reading/input_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/columns/date_text.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/reading/decompressor.h"
#include "pmem/exhaustion.h"

namespace pmdex {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds::rep kPollMilliseconds = 100;

ProblemKind KindOfOpenError(int error, bool walked) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ProblemKind::kVanishedFile;
    case ELOOP:  // with O_NOFOLLOW: a link took the place of the file that the walk saw
      return walked ? ProblemKind::kVanishedFile : ProblemKind::kSymlinkLoop;
    case ENXIO:
    case ENODEV:
      return ProblemKind::kSpecialFile;
    default:
      return ProblemKind::kUnreadableFile;
  }
}

int64_t MtimeOf(const struct stat& facts) {
  return facts.st_mtim.tv_sec * kNanosecondsPerSecond + facts.st_mtim.tv_nsec;
}

int64_t Now() {
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * kNanosecondsPerSecond + now.tv_nsec;
}

// Whether there is something to read, or an end, before the run stops and before `end`.
bool WaitReadable(int fd, const StopFlag& stopped, SteadyTime end = SteadyTime::max()) {
  pollfd request = {fd, POLLIN, 0};
  while (!stopped.IsSet()) {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= end) return false;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now).count();
    const int ready = poll(&request, 1, static_cast<int>(std::min(left, kPollMilliseconds)));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
  return false;
}

}  // namespace

bool IsNamedJsonLines(std::string_view path) {
  const std::string_view name = NameOfText(path);
  return name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

absl::StatusOr<std::optional<OpenedFile>> OpenInput(const InputFile& file, ProblemLog& problems) {
  OpenedFile opened;
  if (file.path == kStandardInput && !file.walked) {
    opened.fd = STDIN_FILENO;
    struct stat facts;
    const bool is_file = fstat(opened.fd, &facts) == 0 && S_ISREG(facts.st_mode);
    opened.mtime = is_file ? MtimeOf(facts) : Now();
    return std::optional<OpenedFile>(std::move(opened));
  }
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (file.walked ? O_NOFOLLOW : 0);
  opened.owned = FileDescriptor(open(file.path.c_str(), flags));
  if (!opened.owned.valid()) {
    const int error = errno;
    if (IsExhaustion(error)) return ExhaustionStatus(error, file.path);
    problems.Add(KindOfOpenError(error, file.walked), file.path, std::strerror(error));
    return std::optional<OpenedFile>();
  }
  opened.fd = opened.owned.get();
  struct stat facts;
  if (fstat(opened.fd, &facts) != 0) {
    const int error = errno;
    if (IsExhaustion(error)) return ExhaustionStatus(error, file.path);
    problems.Add(ProblemKind::kUnreadableFile, file.path, std::strerror(error));
    return std::optional<OpenedFile>();
  }
  if (!S_ISREG(facts.st_mode)) {
    problems.Add(ProblemKind::kSpecialFile, file.path, "no longer a regular file");
    return std::optional<OpenedFile>();
  }
  opened.size_bytes = static_cast<uint64_t>(facts.st_size);
  opened.mtime = MtimeOf(facts);
  return std::optional<OpenedFile>(std::move(opened));
}

int64_t ReadSome(int fd, char* bytes, size_t size_bytes, const StopFlag& stopped) {
  for (;;) {
    if (fd == STDIN_FILENO && !WaitReadable(fd, stopped)) return 0;
    const ssize_t got = read(fd, bytes, std::min<size_t>(size_bytes, 1 << 30));
    const bool again = got < 0 && (errno == EINTR || (errno == EAGAIN && fd == STDIN_FILENO));
    if (!again) return got;
  }
}

int64_t ReadFully(int fd, char* bytes, size_t size_bytes, const StopFlag& stopped) {
  size_t done = 0;
  while (done < size_bytes) {
    const int64_t got = ReadSome(fd, bytes + done, size_bytes - done, stopped);
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return static_cast<int64_t>(done);
}

int64_t ReadUntilPause(char* bytes, size_t filled, size_t size_bytes, const StopFlag& stopped,
                       std::chrono::milliseconds longest_wait, bool& is_paused) {
  const SteadyTime never = SteadyTime::max();
  size_t done = filled;
  bool has_line = std::memchr(bytes, '\n', done) != nullptr;
  SteadyTime end = done > 0 ? std::chrono::steady_clock::now() + longest_wait : never;
  is_paused = false;
  while (done < size_bytes) {
    if (!WaitReadable(STDIN_FILENO, stopped, has_line ? end : never)) {
      is_paused = !stopped.IsSet();
      break;
    }
    const int64_t got = ReadSome(STDIN_FILENO, bytes + done, size_bytes - done, stopped);
    if (got < 0) return -1;
    if (got == 0) break;
    const auto more = static_cast<size_t>(got);
    has_line = has_line || std::memchr(bytes + done, '\n', more) != nullptr;
    done += more;
    if (end == never) end = std::chrono::steady_clock::now() + longest_wait;
  }
  return static_cast<int64_t>(done);
}

bool LooksBinary(std::string_view beginning) {
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff")) return true;
  beginning = beginning.substr(0, kBinaryProbeBytes);
  return !beginning.empty() && std::memchr(beginning.data(), 0, beginning.size()) != nullptr;
}

size_t ByteOrderMarkBytes(std::string_view beginning) {
  return beginning.starts_with("\xef\xbb\xbf") ? 3 : 0;
}

}  // namespace pmdex
