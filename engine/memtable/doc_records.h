// The documents of a memtable in the order in which they came: their ids and lengths. Ids of
// neighbours mostly begin alike (a path and a line, a counter), so a record holds only the end of
// its id that differs from the id before. Some records hold the whole id.
//
// Part of a memtable. Not thread-safe, not even for reading. The arena outlives it.
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

  // Adds a document without tokens. Requires an id of at most kMaxIdBytes.
  void Add(std::string_view id);
  void SetLastTokenCount(uint32_t token_count) { RecordOf(size() - 1).token_count = token_count; }
  void RemoveLast();

  uint32_t size() const { return static_cast<uint32_t>(handles_.size()); }
  uint32_t token_count(DocId doc) const { return RecordOf(doc).token_count; }
  // Valid until the next call. Fastest for one document after the other.
  std::string_view id(DocId doc) const;
  const void* AddressOf(DocId doc) const { return &RecordOf(doc); }
  // Does not count what lies in the arena.
  size_t memory_bytes() const { return handles_.capacity() * sizeof(Arena::Handle); }

 private:
  static constexpr DocId kDocsPerId = 32;  // one of so many records holds its whole id

  struct Record {  // added_bytes bytes of the id follow
    uint32_t token_count;
    uint16_t shared_bytes;  // how many bytes the id has in common with the id before
    uint16_t added_bytes;   // how many bytes follow these
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
