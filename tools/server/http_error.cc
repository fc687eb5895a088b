#include "tools/server/http_error.h"

#include <string>

#include "tools/command.h"
#include "tools/json_writer.h"

namespace pmdex {
namespace {

constexpr size_t kMostReasonBytes = 1000;

std::string_view TypeOf(int status) {
  switch (status) {
    case 400:
      return "bad_request";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 405:
      return "method_not_allowed";
    case 408:
      return "request_timeout";
    case 409:
      return "conflict";
    case 413:
      return "body_too_large";
    case 415:
      return "unsupported_media_type";
    case 417:
      return "expectation_failed";
    case 429:
      return "too_many_requests";
    case 431:
      return "headers_too_large";
    case 503:
      return "overloaded";
    case 505:
      return "version_not_supported";
    default:
      return "internal_error";
  }
}

}  // namespace

HttpResponse ErrorResponse(int status, std::string_view type, std::string_view reason) {
  HttpResponse response;
  response.status = status;
  JsonWriter json;
  json.BeginObject().Key("error").BeginObject();
  json.Key("type").String(type);
  json.Key("reason").String(reason.substr(0, kMostReasonBytes));
  json.EndObject().Key("status").Int(status).EndObject();
  response.body = json.result();
  if (status == 429 || status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse ErrorResponse(int status, std::string_view reason) {
  return ErrorResponse(status, TypeOf(status), reason);
}

HttpResponse ErrorResponse(const absl::Status& status) {
  if (absl::IsInvalidArgument(status)) {
    return ErrorResponse(400, "parse_error", WithoutPlace(status));
  }
  if (absl::IsResourceExhausted(status)) return ErrorResponse(503, Message(status));
  return ErrorResponse(500, "search_error", Message(status));
}

HttpResponse TooLateResponse() {
  return ErrorResponse(503, "deadline_exceeded",
                       "the deadline came before a thread was free for the request");
}

}  // namespace pmdex
