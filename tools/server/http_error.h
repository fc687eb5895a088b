// Answers that are errors, in the form of pmdex: {"error": {"type", "reason"}, "status"}. Pure;
// thread-safe.
#pragma once

#include <string_view>

#include "pmem/status.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

// The type follows from the status: "bad_request" for 400, "not_found" for 404 and so on. 429 and
// 503 have a Retry-After. The reason is cut where it is long.
HttpResponse ErrorResponse(int status, std::string_view reason);
HttpResponse ErrorResponse(int status, std::string_view type, std::string_view reason);

// The answer to a request that failed so: 400 for a query that cannot be parsed, 503 if the process
// lacks a resource, else 500.
HttpResponse ErrorResponse(const absl::Status& status);

// The answer to a request that no thread began in time: 503.
HttpResponse TooLateResponse();

}  // namespace pmdex
