// The positions of a block of postings on its way into a segment: those of one posting after those
// of the other. While all of them are below kPositionPage they have two bytes each, as in the
// section kPositions, so a writer copies them as they are. Few documents are so long that theirs
// are wide: then they have four bytes each. Belongs to one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/format.h"
#include "pmem/check.h"

namespace pmdex {

class BlockPositions {
 public:
  // Makes it empty, and not wide.
  void Clear() {
    size_ = 0;
    is_wide_ = false;
  }

  size_t size() const { return size_; }
  bool is_wide() const { return is_wide_; }
  // The positions as a segment has them. Requires that they are not wide.
  std::span<const uint16_t> entries() const {
    PMDEX_DCHECK(!is_wide_);
    return std::span(entries_).first(size_);
  }
  // The positions. Requires that they are wide.
  std::span<const uint32_t> wide() const {
    PMDEX_DCHECK(is_wide_);
    return std::span(wide_).first(size_);
  }
  // Requires i < size().
  uint32_t operator[](size_t i) const { return is_wide_ ? wide_[i] : entries_[i]; }

  void Append(std::span<const uint32_t> positions);
  // Appends positions that a segment has: no entry may be a page mark.
  void AppendEntries(std::span<const uint16_t> entries);

  // Room behind the positions for so many more, whose content is unspecified. Valid until the next
  // call of a function that is not const. Requires that the positions are not wide.
  uint16_t* Room(size_t count) {
    PMDEX_DCHECK(!is_wide_);
    if (entries_.size() < size_ + count) Extend(count);
    return entries_.data() + size_;
  }
  // The same after the positions were made wide.
  uint32_t* WideRoom(size_t count);
  // Takes the first `count` elements of the room, which the caller has filled.
  void Grow(size_t count) { size_ += count; }

 private:
  void Extend(size_t count);
  void Widen();

  // The elements behind size_ are room. Of the two vectors one is in use.
  std::vector<uint16_t> entries_;
  std::vector<uint32_t> wide_;
  size_t size_ = 0;
  bool is_wide_ = false;
};

}  // namespace pmdex
