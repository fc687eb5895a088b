#include "tools/server/service_manager.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "absl/strings/numbers.h"

namespace pmdex {
namespace {

constexpr int kFirstActivated = 3;
constexpr int kMostActivated = 64;

std::optional<int64_t> NumberInEnvironment(const char* name) {
  const char* const text = std::getenv(name);
  int64_t number = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

// True if the variable of this name is missing or has the number of this process.
bool IsForThisProcess(const char* name) {
  const auto pid = NumberInEnvironment(name);
  return !pid.has_value() || *pid == getpid();
}

}  // namespace

absl::StatusOr<std::vector<FileDescriptor>> TakeActivatedSockets() {
  std::vector<FileDescriptor> sockets;
  const auto count = NumberInEnvironment("LISTEN_FDS");
  const bool is_ours =
      count.has_value() && std::getenv("LISTEN_PID") != nullptr && IsForThisProcess("LISTEN_PID");
  unsetenv("LISTEN_FDS");
  unsetenv("LISTEN_PID");
  unsetenv("LISTEN_FDNAMES");
  if (!is_ours) return sockets;
  if (*count < 0 || *count > kMostActivated) return InvalidArgument("LISTEN_FDS is out of range");
  for (int fd = kFirstActivated; fd < kFirstActivated + *count; ++fd) {
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0 ||
        fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
      return ErrnoStatus(errno, "a socket of LISTEN_FDS");
    }
    sockets.emplace_back(fd);
  }
  return sockets;
}

void NotifyServiceManager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || (path[0] != '/' && path[0] != '@')) return;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const size_t size = std::strlen(path);
  if (size >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, path, size);
  if (path[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const FileDescriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  (void)!sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
                reinterpret_cast<const sockaddr*>(&address), length);
}

std::optional<std::chrono::microseconds> WatchdogInterval() {
  const auto interval = NumberInEnvironment("WATCHDOG_USEC");
  if (!interval.has_value() || *interval <= 0 || !IsForThisProcess("WATCHDOG_PID")) {
    return std::nullopt;
  }
  return std::chrono::microseconds(*interval);
}

}  // namespace pmdex
