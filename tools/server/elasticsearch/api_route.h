// Finds the endpoint of a request in the table. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

struct ApiRoute {
  const ApiEndpoint* endpoint = nullptr;  // nullptr: none has this path and method
  // The parts that stand for names in braces. They view the path.
  std::string_view index;
  std::string_view id;
  std::string_view fields;
  std::string_view scroll_id;
  bool path_is_known = false;
  std::string allowed;  // without an endpoint: the methods of the path, GET, POST
};

// The parts of the request's path without empty ones at its end.
std::vector<std::string> PathOf(const HttpRequest& request);
// /books/_search
std::string UriOf(const HttpRequest& request);

// The path must outlive the route.
ApiRoute FindRoute(std::string_view method, const std::vector<std::string>& path);

}  // namespace pmdex
