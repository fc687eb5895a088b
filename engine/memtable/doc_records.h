// The documents of a memtable in the order they came: their ids and lengths. Ids of neighbours
// mostly begin alike (a path and a line, a counter), so a record holds what its id adds to the one
// before, and each of some begins anew.
//
// Part of a memtable: not thread-safe, reading included; the arena outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/memtable/arena.h"
#include "engine/segment/format.h"

namespace pmdex {

class DocRecords {
 public:
  static constexpr size_t kMaxIdBytes = 65535;

  explicit DocRecords(Arena& arena) : arena_(arena) {}

  // Requires at most kMaxIdBytes. The new document has no tokens.
  void Add(std::string_view id);
  void SetLastTokenCount(uint32_t token_count) { RecordOf(size() - 1).token_count = token_count; }
  void RemoveLast();

  uint32_t size() const { return static_cast<uint32_t>(handles_.size()); }
  uint32_t token_count(DocId doc) const { return RecordOf(doc).token_count; }
  // Valid until the next call; one document after the other costs least.
  std::string_view id(DocId doc) const;
  const void* AddressOf(DocId doc) const { return &RecordOf(doc); }
  // Without what lies in the arena.
  size_t memory_bytes() const { return handles_.capacity() * sizeof(Arena::Handle); }

 private:
  static constexpr DocId kDocsPerId = 32;  // one of so many documents holds its whole id

  struct Record {  // and the bytes that are added
    uint32_t token_count;
    uint16_t shared_bytes;  // with the id before
    uint16_t added_bytes;
  };
  static_assert(sizeof(Record) == Arena::kUnitBytes);

  const Record& RecordOf(DocId doc) const {
    return *reinterpret_cast<const Record*>(arena_.At(handles_[doc]));
  }
  Record& RecordOf(DocId doc) { return *reinterpret_cast<Record*>(arena_.At(handles_[doc])); }

  Arena& arena_;
  std::vector<Arena::Handle> handles_;
  std::string last_id_;
  mutable std::string read_id_;  // of the document before next_read_
  mutable DocId next_read_ = 0;
};

}  // namespace pmdex
