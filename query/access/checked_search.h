// A search whose documents are checked when the answer is made (hit_check.h). What a document
// counts for in totals and facets is checked, too.
#pragma once

#include <functional>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/access/hit_check.h"
#include "query/search_result.h"

namespace pmdex {

struct CheckedSearch {
  // Answers the query over a snapshot.
  std::function<absl::StatusOr<SearchResult>(const Snapshot&)> answer;
  // Returns all documents that match as hits, in any order, whatever the query asks for.
  std::function<absl::StatusOr<SearchResult>(const Snapshot&)> find_all;
  // The answer counts or summarizes all matches.
  bool counts_all = false;
};

// Takes documents that may not be shown out of the snapshot, until none is left among the hits. If
// the answer counts all matches, all of them are checked first. Otherwise a total that would count
// matches that were not checked becomes the number of the hits, which is not exact.
absl::StatusOr<SearchResult> RunChecked(const Snapshot& snapshot, const HitCheck& check,
                                        const CheckedSearch& search);

}  // namespace pmdex
