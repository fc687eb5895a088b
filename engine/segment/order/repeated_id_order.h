// Keeps documents with the same id in their order when a merge gives documents another order. Of
// documents with the same id the last one is the latest, which look-ups by id find. Thread-safe: no
// state.
#pragma once

#include <span>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "pmem/status.h"

namespace pmdex {

// Among the places in `order` of documents with the same id, exchanges these documents so that they
// ascend. order: as MergeInputOptions::order. Hashes ids to 64 bits; two ids with the same hash
// count as one, which changes nothing but the places of their documents. Takes 12 bytes of memory
// for each document. Returns kDataLoss if a source is damaged.
absl::StatusOr<std::vector<DocId>> KeepOrderOfRepeatedIds(std::span<const MergeSource> sources,
                                                          std::vector<DocId> order);

}  // namespace pmdex
