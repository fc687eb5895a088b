// A blocking client of HTTP for tests of the server. It sends bytes as they are given, so that a
// test can send what no proper client would.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "pmem/file_descriptor.h"

namespace pmdex {

struct ClientAnswer {
  int status = 0;
  std::string head;  // in lower case
  std::string body;  // without chunk framing
};

class HttpClient {
 public:
  // address: as Listener::name() has it, on 127.0.0.1 or "unix:PATH".
  explicit HttpClient(const std::string& address) {
    if (address.starts_with("unix:")) {
      sockaddr_un to = {};
      to.sun_family = AF_UNIX;
      std::memcpy(to.sun_path, address.c_str() + 5, address.size() - 5);
      Connect(reinterpret_cast<const sockaddr*>(&to), sizeof to);
    } else {
      sockaddr_in to = {};
      to.sin_family = AF_INET;
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      to.sin_port = htons(static_cast<uint16_t>(std::atoi(&address[address.rfind(':') + 1])));
      Connect(reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
  }

  bool is_connected() const { return is_connected_; }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;  // the server may close before it has read everything
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void EndSending() { shutdown(socket_.get(), SHUT_WR); }
  void Close() { socket_ = FileDescriptor(); }

  // The next answer, or nullopt if the server has closed before its end.
  std::optional<ClientAnswer> Receive(bool has_body = true) {
    ClientAnswer answer;
    while (input_.find("\r\n\r\n") == input_.npos) {
      if (!ReceiveMore()) return std::nullopt;
    }
    answer.head = Take(input_.find("\r\n\r\n") + 4);
    std::transform(answer.head.begin(), answer.head.end(), answer.head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    answer.status = std::atoi(&answer.head[answer.head.find(' ')]);
    if (!has_body || answer.status == 100) return answer;
    const size_t length = answer.head.find("content-length: ");
    if (length == answer.head.npos) {
      if (!ReceiveChunks(answer.body)) return std::nullopt;
      return answer;
    }
    const size_t size = std::strtoull(&answer.head[length + 16], nullptr, 10);
    while (input_.size() < size) {
      if (!ReceiveMore()) return std::nullopt;
    }
    answer.body = Take(size);
    return answer;
  }

  std::optional<ClientAnswer> Ask(std::string_view request) {
    Send(request);
    return Receive();
  }
  std::optional<ClientAnswer> Get(const std::string& target, const std::string& headers = "") {
    return Ask("GET " + target + " HTTP/1.1\r\nHost: test\r\n" + headers + "\r\n");
  }
  std::optional<ClientAnswer> Post(const std::string& target, const std::string& body) {
    return Ask("POST " + target +
               " HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  // Everything that comes until the server closes.
  std::string ReceiveRest() {
    while (ReceiveMore()) {
    }
    return Take(input_.size());
  }

 private:
  void Connect(const sockaddr* address, socklen_t size) {
    socket_ = FileDescriptor(socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    is_connected_ = connect(socket_.get(), address, size) == 0;
    // A test whose answer never comes fails instead of standing still.
    const timeval patience = {120, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }

  bool ReceiveMore() {
    char buffer[65536];
    const ssize_t size = recv(socket_.get(), buffer, sizeof buffer, 0);
    if (size <= 0) return false;
    input_.append(buffer, static_cast<size_t>(size));
    return true;
  }

  std::string Take(size_t size) {
    std::string taken = input_.substr(0, size);
    input_.erase(0, size);
    return taken;
  }

  bool ReceiveChunks(std::string& body) {
    while (true) {
      while (input_.find("\r\n") == input_.npos) {
        if (!ReceiveMore()) return false;
      }
      const size_t size = std::strtoull(Take(input_.find("\r\n") + 2).c_str(), nullptr, 16);
      while (input_.size() < size + 2) {
        if (!ReceiveMore()) return false;
      }
      body += Take(size);
      Take(2);
      if (size == 0) return true;
    }
  }

  FileDescriptor socket_;
  bool is_connected_ = false;
  std::string input_;
};

}  // namespace pmdex
