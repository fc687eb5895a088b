// What a writer of a live index (live_index.h) learns of a write, and what it can demand of the
// document that is there. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>

namespace pmdex {

// Which write of an index. Later writes compare greater. No two writes of an index have the same
// sequence, not even if a crash lost the first of them: each LiveIndex has a term of its own.
struct WriteSequence {
  uint64_t term = 0;    // from 1
  uint64_t number = 0;  // goes on from where the last committed term ended
  auto operator<=>(const WriteSequence&) const = default;
};

// When a write is carried out; by default always. At most one of the two may be set.
struct WriteCondition {
  bool absent = false;  // only if there is no document with this id
  // Only if the document with this id was written by this write. If several have the id, the latest
  // one counts.
  std::optional<WriteSequence> at = std::nullopt;
};

struct WriteResult {
  WriteSequence sequence;
  uint64_t removed = 0;  // how many documents with this id were there, and are deleted
};

}  // namespace pmdex
