// Writes the head of an answer. Pure but for the date, which each thread computes once a second.
// Thread-safe.
#pragma once

#include <string>

#include "tools/server/http/http_message.h"

namespace pmdex {

// kNone: an answer to HEAD that does not know the length of the body that GET would have.
enum class ResponseFraming { kLength, kChunked, kUntilClose, kNone };

struct ResponseStyle {
  ResponseFraming framing = ResponseFraming::kLength;
  bool keep_alive = true;
  bool is_http_1_0 = false;
};

// "Not Found"; "Status" for a status that the server does not use.
const char* ReasonPhrase(int status);

// Appends the status line and the headers, with the empty line at their end. Characters that would
// end a header are left out of its value.
void AppendResponseHead(const HttpResponse& response, const ResponseStyle& style, std::string& out);

// Appends one chunk. An empty piece ends the body.
void AppendChunk(const std::string& piece, std::string& out);

}  // namespace pmdex
