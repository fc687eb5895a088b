#include "tools/server/http/response_head.h"

#include <array>
#include <charconv>
#include <ctime>
#include <string_view>

namespace pmdex {
namespace {

// RFC 9110, section 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string_view DateNow() {
  thread_local std::time_t second = 0;
  thread_local std::array<char, 40> text = {};
  thread_local size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    std::tm utc = {};
    gmtime_r(&now, &utc);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    second = now;
  }
  return {text.data(), size};
}

void AppendDecimal(size_t value, std::string& out, int base = 10) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base);
  out.append(digits.data(), end.ptr);
}

void AppendHeader(std::string_view name, std::string_view value, std::string& out) {
  out += name;
  out += ": ";
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') out += c;
  }
  out += "\r\n";
}

}  // namespace

const char* ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

void AppendResponseHead(const HttpResponse& response, const ResponseStyle& style,
                        std::string& out) {
  out += style.is_http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  AppendDecimal(static_cast<size_t>(response.status), out);
  out += ' ';
  out += ReasonPhrase(response.status);
  out += "\r\n";
  AppendHeader("Date", DateNow(), out);
  if (!response.content_type.empty()) AppendHeader("Content-Type", response.content_type, out);
  for (const auto& [name, value] : response.headers) AppendHeader(name, value, out);
  if (style.framing == ResponseFraming::kLength) {
    out += "Content-Length: ";
    AppendDecimal(response.body.size(), out);
    out += "\r\n";
  } else if (style.framing == ResponseFraming::kChunked) {
    out += "Transfer-Encoding: chunked\r\n";
  }
  if (!style.keep_alive) {
    out += "Connection: close\r\n";
  } else if (style.is_http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

void AppendChunk(const std::string& piece, std::string& out) {
  AppendDecimal(piece.size(), out, 16);
  out += "\r\n";
  out += piece;
  out += "\r\n";
}

}  // namespace pmdex
