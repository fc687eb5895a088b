// The best hits in the order of fields. It visits the windows of documents in the order of the best
// values that their zones (column_format.h) allow, and stops when no other window can have a better
// document than the k-th. Inside a window a kernel compares the values with the k-th. Where the
// score is a key, it scores every match instead. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pmem/status.h"
#include "query/algorithm/search_context.h"
#include "query/algorithm/sorted/sort_request.h"
#include "query/result/doc_value.h"
#include "query/result/scored_docs.h"

namespace pmdex {

struct SortedDocs {
  std::vector<ScoredDoc> docs;                // in order
  std::vector<std::vector<DocValue>> values;  // indexed like docs, then like the keys
  uint64_t seen = 0;                          // so many matches were looked at
  bool saw_all = true;                        // these are all matches
  bool timed_out = false;                     // better hits may be missing
};

// Documents that are deleted are no hits. kDataLoss if bytes that it reads are damaged.
absl::StatusOr<SortedDocs> SearchSorted(const SearchContext& search, const SortRequest& request);

}  // namespace pmdex
