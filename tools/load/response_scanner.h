// Finds the end of an answer in the bytes of a connection, with as little work as it can, so that
// the load generator costs little. It keeps the status and drops the rest. For one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pmdex {

class ResponseScanner {
 public:
  // Takes all bytes; an answer must not be followed by another one. Returns true if the answer has
  // ended. is_broken() is true if the bytes are no answer of HTTP/1.
  bool Scan(std::string_view bytes);
  bool is_broken() const { return is_broken_; }
  int status() const { return status_; }
  bool keeps_open() const { return keeps_open_; }
  // Waits for the next answer. has_body: false if it is the answer to HEAD.
  void Reset(bool has_body = true) {
    *this = ResponseScanner();
    has_body_ = has_body;
  }

 private:
  void ReadHead(std::string_view head);
  bool ScanBody(std::string_view bytes);

  std::string head_;
  bool has_body_ = true;
  bool has_head_ = false;
  bool is_chunked_ = false;
  bool is_broken_ = false;
  bool keeps_open_ = true;
  int status_ = 0;
  size_t left_bytes_ = 0;
  std::string tail_;  // chunked: the last bytes
};

}  // namespace pmdex
