#include "tools/server/elasticsearch/api_route.h"

#include <optional>

namespace pmdex {
namespace {

std::vector<std::string_view> PartsOf(std::string_view path) {
  std::vector<std::string_view> parts;
  path.remove_prefix(1);
  while (!path.empty()) {
    const size_t end = path.find('/');
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end == path.npos ? path.size() : end + 1);
  }
  return parts;
}

// The names of indexes begin with no underscore, but _all stands for all of them.
bool IsIndexPart(std::string_view part) {
  return !part.empty() && (!part.starts_with('_') || part == "_all");
}

// The route of the endpoint if it has this path.
std::optional<ApiRoute> Match(const ApiEndpoint& endpoint, const std::vector<std::string>& path) {
  const std::vector<std::string_view> parts = PartsOf(endpoint.path);
  if (parts.size() != path.size()) return std::nullopt;
  ApiRoute route;
  route.endpoint = &endpoint;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == "{index}") {
      if (!IsIndexPart(path[i])) return std::nullopt;
      route.index = path[i];
    } else if (parts[i] == "{id}") {
      route.id = path[i];
    } else if (parts[i] == "{fields}") {
      route.fields = path[i];
    } else if (parts[i] == "{scroll_id}") {
      route.scroll_id = path[i];
    } else if (parts[i] != path[i]) {
      return std::nullopt;
    }
  }
  return route;
}

std::string WithCommas(std::string_view words) {
  std::string out;
  for (const char c : words) out += c == ' ' ? std::string(", ") : std::string(1, c);
  return out;
}

}  // namespace

std::vector<std::string> PathOf(const HttpRequest& request) {
  std::vector<std::string> path = request.path;
  while (!path.empty() && path.back().empty()) path.pop_back();
  return path;
}

std::string UriOf(const HttpRequest& request) {
  std::string uri;
  for (const std::string& part : PathOf(request)) uri += "/" + part;
  return uri.empty() ? "/" : uri;
}

ApiRoute FindRoute(std::string_view method, const std::vector<std::string>& path) {
  ApiRoute result;
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    std::optional<ApiRoute> route = Match(endpoint, path);
    if (!route.has_value()) continue;
    route->path_is_known = true;
    if (HasWord(endpoint.methods, method)) return *std::move(route);
    result.path_is_known = true;
    if (!result.allowed.empty()) result.allowed += ", ";
    result.allowed += WithCommas(endpoint.methods);
  }
  return result;
}

}  // namespace pmdex
