// A request to the server and its answer, apart from the connection that carries them. Both APIs of
// the server take the one and return the other, and so need no connection in tests. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmdex {

struct HttpRequest {
  std::string method;             // in upper case: GET
  std::vector<std::string> path;  // the parts between the slashes, percent-decoded
  std::vector<std::pair<std::string, std::string>> parameters;  // of the URL, decoded, in order
  std::vector<std::pair<std::string, std::string>> headers;     // names in lower case, in order
  std::string body;  // without chunk framing; without compression if coded_limit is 0
  // Not 0: the body still has its Content-Encoding, because to take it off takes long (DecodeBody).
  // Without it, it may have so many bytes.
  uint64_t coded_limit = 0;
  // The user that the request is made for; nullopt for who may see everything. No client says it:
  // the server sets it once it knows.
  std::optional<uint32_t> user = std::nullopt;

  // The value of the first header with this name in lower case.
  std::optional<std::string_view> Header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (key == name) return value;
    }
    return std::nullopt;
  }
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;  // others than type and length
  std::string body;  // of an answer to HEAD only the length is sent, and no length if it is empty
  // If set, `body` is only the beginning, and each call returns the next piece, at last an empty
  // one. It is called on the thread of the connection, whenever the client has taken the piece
  // before, so that a large answer is never in memory as a whole.
  std::function<std::string()> next_piece;
};

}  // namespace pmdex
