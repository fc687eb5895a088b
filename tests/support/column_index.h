// An index of several segments with words and columns, for tests of queries on columns. It keeps
// the values for an oracle.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/store/snapshot.h"
#include "tests/support/random_columns.h"

namespace pmdex {

struct ColumnIndex {
  std::vector<RandomColumn> columns;  // values are indexed by the number of the document
  std::shared_ptr<const Snapshot> snapshot;

  const RandomColumn& column(std::string_view name) const;
};

// Segments of so many documents each. Document i has the word "all" in the field body, "w2" if i is
// even, "w7" if 7 divides i, and "w300" if 300 divides i. `compressed`: of the second tier.
ColumnIndex MakeColumnIndex(uint64_t seed, const std::vector<uint32_t>& doc_counts,
                            bool compressed = false);

}  // namespace pmdex
