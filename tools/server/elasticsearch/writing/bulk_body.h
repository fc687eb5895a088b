// The body of _bulk: lines of JSON, an action each and, unless it deletes, a line behind it with
// the document or the body of an update.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"
#include "tools/server/elasticsearch/elasticsearch_limits.h"
#include "tools/server/writing/write_operation.h"

namespace pmdex {

struct BulkItem {           // NOLINT(bugprone-exception-escape): as WriteOperation
  std::string_view action;  // index, create, update, delete
  std::string index;
  WriteOperation operation;
  // An ApiError if the item alone is refused. Its operation must not be carried out.
  absl::Status refusal;
};

// index: that of actions that name none. An ApiError refuses the whole body and names the line.
// Documents are not looked at.
absl::StatusOr<std::vector<BulkItem>> ReadBulkBody(std::string_view body, std::string_view index,
                                                   const ElasticsearchLimits& limits);

}  // namespace pmdex
