// Refuses bodies of other types than JSON by the header Content-Type, as Elasticsearch does. Forms
// of web pages cannot send such a type, and scripts cannot send it to another site unless that site
// allows it. Pure; thread-safe.
#pragma once

#include <optional>

#include "tools/server/elasticsearch/api_call.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

// The answer (400) to a request whose header is no media type or comes twice; nullopt for others.
std::optional<ApiAnswer> RefuseContentTypeHeader(const HttpRequest& request);

// The answer (406) to a request that has a body without a type, or of a type other than
// application/json, application/x-ndjson, application/* and those of the clients of Elasticsearch
// and OpenSearch, whatever their parameters are; nullopt for others. Requires that
// RefuseContentTypeHeader has no answer to it.
std::optional<ApiAnswer> RefuseContentType(const HttpRequest& request);

}  // namespace pmdex
