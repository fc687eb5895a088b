#include "tools/load/load_requests.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/http/request_target.h"

namespace pmdex {
namespace {

// The length of the method and the space behind it; 0 if the line does not begin with a method and
// a path.
size_t MethodLength(std::string_view line) {
  for (const std::string_view method : {"GET", "POST", "PUT", "DELETE", "HEAD"}) {
    if (line.starts_with(method) && line.substr(method.size()).starts_with(" /")) {
      return method.size() + 1;
    }
  }
  return 0;
}

std::string LoadRequest(std::string_view line, const LoadTarget& target,
                        const std::string& headers) {
  const size_t method = MethodLength(line);
  std::string query_line;
  if (method == 0) query_line = absl::StrCat("GET /search?q=", PercentEncode(line));
  const std::string_view whole = method == 0 ? std::string_view(query_line) : line;
  const size_t begin = method == 0 ? 4 : method;
  const size_t space = whole.find(' ', begin);
  const std::string_view path = whole.substr(begin, space - begin);
  const std::string_view body = space == whole.npos ? "" : whole.substr(space + 1);
  std::string request = absl::StrCat(
      ToAbsl(whole.substr(0, begin)), target.prefix, ToAbsl(path),
      " HTTP/1.1\r\nHost: ", target.is_unix ? "localhost" : target.host, "\r\n", headers);
  if (space != whole.npos) {
    absl::StrAppend(&request, "Content-Type: application/json\r\nContent-Length: ", body.size(),
                    "\r\n");
  }
  absl::StrAppend(&request, "\r\n", ToAbsl(body));
  return request;
}

}  // namespace

absl::StatusOr<LoadTarget> ParseLoadTarget(std::string_view url) {
  LoadTarget target;
  if (url.starts_with("unix:")) {
    target.is_unix = true;
    target.host = std::string(url.substr(5));
    return target;
  }
  if (url.starts_with("http://")) url.remove_prefix(7);
  const size_t slash = url.find('/');
  std::string_view authority = url.substr(0, slash);
  if (slash != url.npos) target.prefix = std::string(url.substr(slash));
  while (target.prefix.ends_with('/')) target.prefix.pop_back();
  const size_t colon = authority.rfind(':');
  if (authority.empty() || url.find("://") != url.npos || colon + 1 == authority.size()) {
    return InvalidArgument(
        absl::StrCat("'", ToAbsl(url), "': expected http://HOST:PORT or unix:PATH"));
  }
  target.host = std::string(authority.substr(0, colon));
  target.port = colon == authority.npos ? "80" : std::string(authority.substr(colon + 1));
  return target;
}

absl::StatusOr<std::vector<std::string>> MakeLoadRequests(std::string_view text,
                                                          const LoadTarget& target,
                                                          const std::vector<std::string>& headers) {
  std::string lines_of_headers;
  for (const std::string& header : headers) {
    const size_t colon = header.find(':');
    if (colon == 0 || colon == header.npos ||
        header.find_first_of(std::string_view("\r\n\0", 3)) != header.npos) {
      return InvalidArgument(absl::StrCat("--header '", header, "': expected NAME: VALUE"));
    }
    absl::StrAppend(&lines_of_headers, header, "\r\n");
  }
  std::vector<std::string> requests;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = ToStd(absl::StripAsciiWhitespace(ToAbsl(text.substr(0, end))));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (!line.empty()) requests.push_back(LoadRequest(line, target, lines_of_headers));
  }
  if (requests.empty()) return InvalidArgument("the file of requests is empty");
  return requests;
}

}  // namespace pmdex
