#include "tools/server/http/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr int kBacklog = 4096;

struct AddressInfoDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using AddressInfo = std::unique_ptr<addrinfo, AddressInfoDeleter>;

bool IsLoopbackAddress(const sockaddr* address) {
  if (address->sa_family == AF_UNIX) return true;
  if (address->sa_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(v4->sin_addr.s_addr) >> 24) == 127;
  }
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(address);
  return address->sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

absl::StatusOr<AddressInfo> Resolve(const ListenAddress& address) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(),
                                address.port.c_str(), &hints, &list);
  if (error != 0) {
    return InvalidArgument(absl::StrCat("cannot listen on ", address.host, ":", address.port, ": ",
                                        gai_strerror(error)));
  }
  return AddressInfo(list);
}

// "127.0.0.1:7700" of a bound socket.
std::string NameOfSocket(int fd, bool& is_loopback) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof storage;
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  if (getsockname(fd, address, &size) != 0) return "?";
  is_loopback = IsLoopbackAddress(address);
  if (address->sa_family == AF_UNIX) {
    return absl::StrCat("unix:", reinterpret_cast<const sockaddr_un*>(address)->sun_path);
  }
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getnameinfo(address, size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "?";
  }
  const bool is_v6 = address->sa_family == AF_INET6;
  return absl::StrCat(is_v6 ? "[" : "", host, is_v6 ? "]:" : ":", port);
}

absl::StatusOr<FileDescriptor> ListenOnTcp(const sockaddr* address, socklen_t size,
                                           const std::string& name) {
  FileDescriptor fd(socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoStatus(errno, "socket");
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // connections inherit it
  if (bind(fd.get(), address, size) != 0 || listen(fd.get(), kBacklog) != 0) {
    return ErrnoStatus(errno, absl::StrCat("cannot listen on ", name));
  }
  return fd;
}

// SO_REUSEPORT would let a second server of this user share the port without a word.
absl::Status CheckPortIsFree(const sockaddr* address, socklen_t size, const std::string& name) {
  FileDescriptor fd(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd.get(), address, size) == 0) return absl::OkStatus();
  return ErrnoStatus(errno, absl::StrCat("cannot listen on ", name));
}

bool SomeoneListens(const sockaddr_un& address) {
  FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

absl::StatusOr<FileDescriptor> ListenOnUnix(const std::string& path, uint32_t mode) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return InvalidArgument(absl::StrCat("the path of the socket is too long: ", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size());
  struct stat before = {};
  if (lstat(path.c_str(), &before) == 0 && S_ISSOCK(before.st_mode) && !SomeoneListens(address)) {
    unlink(path.c_str());
  }
  FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoStatus(errno, "socket");
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), mode) != 0 || listen(fd.get(), kBacklog) != 0) {
    return ErrnoStatus(errno, absl::StrCat("cannot listen on unix:", path));
  }
  return fd;
}

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text) {
  ListenAddress address;
  if (text.starts_with("unix:")) {
    address.is_unix = true;
    address.path = std::string(text.substr(5));
    if (address.path.empty()) return InvalidArgument("--listen unix: needs a path");
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon + 1 == text.size() ||
      text.find_first_not_of("0123456789", colon + 1) != text.npos) {
    return InvalidArgument(
        absl::StrCat("--listen ", ToAbsl(text), ": expected ADDRESS:PORT or unix:PATH"));
  }
  int port = 0;
  if (!absl::SimpleAtoi(ToAbsl(text.substr(colon + 1)), &port) || port > 65535) {
    return InvalidArgument(
        absl::StrCat("--listen ", ToAbsl(text), ": a port is a number from 0 to 65535"));
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  address.host = std::string(host);
  address.port = std::string(text.substr(colon + 1));
  return address;
}

bool IsLoopback(const ListenAddress& address) {
  if (address.is_unix) return true;
  const auto list = Resolve(address);
  if (!list.ok()) return false;
  for (const addrinfo* info = list->get(); info != nullptr; info = info->ai_next) {
    if (!IsLoopbackAddress(info->ai_addr)) return false;
  }
  return true;
}

absl::StatusOr<Listener> Listener::Open(const ListenAddress& address, size_t loops,
                                        uint32_t unix_mode) {
  Listener listener;
  if (address.is_unix) {
    PMDEX_ASSIGN_OR_RETURN(FileDescriptor fd, ListenOnUnix(address.path, unix_mode));
    listener.sockets_.push_back(std::move(fd));
    listener.is_shared_ = true;
    listener.unlink_path_ = address.path;
  } else {
    PMDEX_ASSIGN_OR_RETURN(const AddressInfo list, Resolve(address));
    const std::string name = absl::StrCat(address.host, ":", address.port);
    sockaddr_storage bound = {};
    socklen_t size = list->ai_addrlen;
    std::memcpy(&bound, list->ai_addr, size);
    auto* const pointer = reinterpret_cast<sockaddr*>(&bound);
    PMDEX_RETURN_IF_ERROR(CheckPortIsFree(pointer, size, name));
    for (size_t i = 0; i < loops; ++i) {
      PMDEX_ASSIGN_OR_RETURN(FileDescriptor fd, ListenOnTcp(pointer, size, name));
      // The other sockets take the port that the kernel chose for the first.
      if (i == 0) getsockname(fd.get(), pointer, &size);
      listener.sockets_.push_back(std::move(fd));
    }
  }
  listener.name_ = NameOfSocket(listener.sockets_[0].get(), listener.is_loopback_);
  return listener;
}

absl::StatusOr<Listener> Listener::Adopt(FileDescriptor socket) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) {
    return InvalidArgument(absl::StrCat("descriptor ", socket.get(), " is no listening socket"));
  }
  Listener listener;
  listener.name_ = NameOfSocket(socket.get(), listener.is_loopback_);
  listener.sockets_.push_back(std::move(socket));
  listener.is_shared_ = true;
  listener.is_adopted_ = true;
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : sockets_(std::move(other.sockets_)),
      name_(std::move(other.name_)),
      unlink_path_(std::exchange(other.unlink_path_, {})),
      is_shared_(other.is_shared_),
      is_adopted_(other.is_adopted_),
      is_loopback_(other.is_loopback_) {}

Listener::~Listener() {
  if (!unlink_path_.empty()) unlink(unlink_path_.c_str());
}

std::optional<uint32_t> PeerUserOf(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain != AF_UNIX) {
    return std::nullopt;
  }
  ucred peer = {};
  size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace pmdex
