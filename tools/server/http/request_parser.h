// Parses the bytes of a connection into requests, strictly: what two programs could read in two
// ways is an error, so that no request can hide in another one behind a proxy. Boost.Beast parses
// heads and chunks; this class finds the end of a head, checks what Beast lets through, and holds
// the limits.
//
// It refuses: lines that do not end in CRLF, folded lines, a length and a transfer coding together,
// a repeated length, a coding other than "chunked", no Host or two, and anything beyond the limits.
// It takes the compression off bodies that are small without it (HttpRequest::coded_limit). For one
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/server/http/http_message.h"

namespace pmdex {

struct HttpLimits {
  size_t header_bytes = size_t{16} << 10;
  size_t header_fields = 100;
  uint64_t body_bytes = uint64_t{16} << 20;  // also after decompression
};

// Why a request is refused. The connection must be closed after the answer, because the end of the
// request is unknown.
struct HttpFailure {
  int status = 400;
  std::string reason;
};

// Takes the Content-Encoding off the body of a request, if it has at most coded_limit bytes without
// it, and sets coded_limit to 0. Returns why the request is refused, if it is.
std::optional<HttpFailure> DecodeBody(HttpRequest& request);

class RequestParser {
 public:
  enum class State {
    kHead,    // of the next request; nothing of it may have come yet
    kBody,    // the head is parsed
    kDone,    // TakeRequest gives the request
    kFailed,  // failure() says why
  };

  explicit RequestParser(const HttpLimits& limits);
  ~RequestParser();
  RequestParser(RequestParser&&) noexcept;
  RequestParser& operator=(RequestParser&&) noexcept;

  // Takes bytes of the connection and returns how many it used. The others must come again, at the
  // front of the next call. Stops at the end of a request.
  size_t Parse(std::string_view bytes);

  State state() const { return state_; }
  const HttpFailure& failure() const { return failure_; }
  // From the end of the head until TakeRequest.
  bool keep_alive() const { return keep_alive_; }
  bool is_http_1_0() const { return is_http_1_0_; }
  // True if the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_; }
  // Of the body, so far.
  size_t body_bytes() const;
  const std::string& target() const { return target_; }  // as it was sent

  // Requires kDone. The parser then waits for the next request.
  HttpRequest TakeRequest();

 private:
  struct Beast;

  size_t ParseHead(std::string_view bytes);
  size_t ParseBody(std::string_view bytes);
  void FinishHead();
  void FinishRequest();
  size_t Fail(int status, std::string reason);

  const HttpLimits* limits_;
  std::unique_ptr<Beast> beast_;  // nullptr before the first byte of a head
  State state_ = State::kHead;
  HttpFailure failure_;
  size_t searched_bytes_ = 0;  // of the head, in which its end is not
  bool keep_alive_ = true;
  bool is_http_1_0_ = false;
  bool expects_continue_ = false;
  std::string target_;
  HttpRequest request_;
};

}  // namespace pmdex
