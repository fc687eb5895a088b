// POST /documents and DELETE /documents/ID of the server's own API. What is answered is durable and
// is found by searches. Thread-safe.
#pragma once

#include <string>

#include "tools/server/http/http_service.h"
#include "tools/server/server_metrics.h"
#include "tools/server/writing/byte_budget.h"
#include "tools/server/writing/writable_indexes.h"

namespace pmdex {

class DocumentApi {
 public:
  // Both outlive the API. writing: nullptr if nothing is written.
  DocumentApi(ServerMetrics& metrics, WritableIndexes* writing)
      : metrics_(metrics), writing_(writing) {}

  // index: the name of the index. id: of the path; empty for /documents.
  ServeOutcome Serve(HttpRequest request, std::string index, std::string id) const;

 private:
  HttpResponse Add(const HttpRequest& request, const std::string& index) const;
  HttpResponse Delete(const std::string& index, const std::string& id) const;

  ServerMetrics& metrics_;
  WritableIndexes* const writing_;
  mutable ByteBudget bytes_{uint64_t{256} << 20};  // of bodies that are not answered
};

}  // namespace pmdex
