// Stands for the service manager in tests of what a program tells it (sd_notify).
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include "pmem/file_descriptor.h"

namespace pmdex {

// A socket on which a service manager would listen for datagrams.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  // Waits for a datagram.
  std::string Read() {
    char text[512];
    const ssize_t size = recv(fd_.get(), text, sizeof text, 0);
    return size < 0 ? "" : std::string(text, static_cast<size_t>(size));
  }

 private:
  FileDescriptor fd_;
};

}  // namespace pmdex
