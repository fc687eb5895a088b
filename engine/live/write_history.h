// What a LiveIndex hands to the next one of the same process, which opens the index after another
// writer has changed it, such as a merge: documents that nobody wrote keep their sequences. Nothing
// of it is on the medium. Plain value.
#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"

#include "engine/live/write_condition.h"

namespace pmdex {

struct WriteHistory {
  // The index has all writes in this generation. Whoever changes the index while it holds the
  // writer lock, and replaces no document, sets the number of the generation that it publishes.
  uint64_t generation = 0;
  uint64_t next = 0;     // the number of the next write
  WriteSequence opened;  // of the documents that are not below; its term is that of all
  absl::flat_hash_map<std::string, uint64_t> numbers;  // of writes, by the id of their document

  // False: others may have written since.
  bool IsOf(uint64_t newest_generation, uint64_t last_term) const {
    return generation == newest_generation && opened.term == last_term;
  }
};

}  // namespace pmdex
