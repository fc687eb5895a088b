// Numbers the different keywords of a column in the order in which they come, and keeps their text.
//
// Running out of memory leaves the table as it was, so that a build can end its run and keep what
// it has. (abseil's hash tables do not promise that: a table whose growth fails cannot be
// destroyed.) Open addressing with linear probing. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pmdex {

class KeywordTable {
 public:
  // The number of a keyword: that which it was given before, or the next one. Throws std::bad_alloc
  // and changes nothing if there is no memory. Requires less than 2^32 - 1 keywords.
  uint32_t NumberOf(std::string_view keyword);

  uint32_t size() const { return static_cast<uint32_t>(keywords_.size()); }
  // Valid until the next NumberOf.
  std::string_view keyword(uint32_t number) const;
  size_t memory_bytes() const;

 private:
  struct Keyword {
    uint64_t end;   // in bytes_, where that of the keyword before ends
    uint32_t hash;  // spares most comparisons, and all hashing when the table grows
  };
  void Grow();

  std::vector<char> bytes_;
  std::vector<Keyword> keywords_;  // by number
  std::vector<uint32_t> slots_;    // number + 1; 0: free. A power of two of them, at most half full
};

}  // namespace pmdex
