// The query sets that `pmdex compare` runs: those of files, or sets that are made from the terms of
// an index. Thread-safe: no state.
//
// Sets are made by the rules of bench/peers. A frequent word is in at least 4 % of the documents, a
// medium one in 0.4 to 4 %, and a rare one in at least 5 documents, and in at most 0.04 % of them
// or
// 20. Words are 2 to 32 of the characters a-z and 0-9, of the field with most postings. The sets
// are single words of each kind, and AND of two words for each pair of kinds, drawn at random with
// a fixed seed: the same documents give the same sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/status.h"

namespace pmdex {

struct QuerySet {
  std::string name;
  std::vector<std::string> queries;
};

// A set for each file, with its name without folder and extension; repeated names get a number.
absl::StatusOr<std::vector<QuerySet>> ReadQuerySets(const std::vector<std::string>& files);

inline constexpr size_t kMadeQueries = 50;

// Sets of at most `count` different queries. Sets without a query are left out. Returns
// kFailedPrecondition if none is left, and kDataLoss if a dictionary is damaged.
absl::StatusOr<std::vector<QuerySet>> MakeQuerySets(const Snapshot& snapshot,
                                                    size_t count = kMadeQueries);

}  // namespace pmdex
