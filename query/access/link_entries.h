// Which documents of an index are symbolic links, by the keyword `type` of an index of entries.
// Thread-safe: no state.
#pragma once

#include <cstdint>

#include "engine/segment/segment.h"
#include "engine/store/snapshot.h"

namespace pmdex {

// False also if the column is damaged.
bool IsLinkEntry(const Segment& segment, DocId doc);
// doc: a number as in Hit::doc.
bool IsLinkEntry(const Snapshot& snapshot, uint64_t doc);

}  // namespace pmdex
