// The sockets on which the server listens: TCP addresses, Unix sockets, and sockets that the
// service manager has opened before. Each event loop has a TCP socket of its own for the same
// address (SO_REUSEPORT), so that the kernel divides connections among the loops.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

struct ListenAddress {
  bool is_unix = false;
  std::string host;  // TCP: a numeric address or a name, "::1" without brackets
  std::string port;
  std::string path;  // Unix
};

// "127.0.0.1:7700", "[::1]:7700", ":7700" (every address), "unix:PATH". kInvalidArgument otherwise.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text);

// True if only this machine can reach the address.
bool IsLoopback(const ListenAddress& address);

// A set of sockets that listen on one address. Movable; for one thread.
// The user of the process at the other end of a connection; nullopt unless it is a Unix socket.
std::optional<uint32_t> PeerUserOf(int socket);

class Listener {
 public:
  // Who may connect to a Unix socket.
  static constexpr uint32_t kForGroup = 0660;
  static constexpr uint32_t kForAll = 0666;

  // Opens one socket for each loop. A TCP port of 0 is chosen by the kernel. A Unix socket that no
  // process listens on any more is replaced. unix_mode: of its file.
  static absl::StatusOr<Listener> Open(const ListenAddress& address, size_t loops,
                                       uint32_t unix_mode = kForGroup);
  // Takes a socket that listens already. All loops share it.
  static absl::StatusOr<Listener> Adopt(FileDescriptor socket);
  // Removes the file of a Unix socket that Open made.
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;

  int socket(size_t loop) const { return sockets_[loop % sockets_.size()].get(); }
  bool is_shared() const { return is_shared_; }      // among the loops
  bool is_adopted() const { return is_adopted_; }    // another program opened it
  const std::string& name() const { return name_; }  // "127.0.0.1:7700", "unix:PATH"
  bool is_loopback() const { return is_loopback_; }

 private:
  Listener() = default;

  std::vector<FileDescriptor> sockets_;
  std::string name_;
  std::string unlink_path_;
  bool is_shared_ = false;
  bool is_adopted_ = false;
  bool is_loopback_ = false;
};

}  // namespace pmdex
