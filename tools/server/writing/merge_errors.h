// What requests are answered because of a merge, in Elasticsearch's form. Stateless.
#pragma once

#include <string_view>

#include "absl/strings/str_cat.h"

#include "pmem/status.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"

namespace pmdex {

// 503
inline absl::Status MergeStopped(std::string_view name) {
  return ApiError(503, "task_cancelled_exception",
                  absl::StrCat("the merge of the index [", ToAbsl(name),
                               "] was stopped, because the index is removed or the server ends"));
}

// 429, MergeWaiters
inline absl::Status TooManyWait(std::string_view name) {
  return ApiError(429, "es_rejected_execution_exception",
                  absl::StrCat("rejected execution: the index [", ToAbsl(name),
                               "] is being merged, and too many requests wait for that"));
}

}  // namespace pmdex
