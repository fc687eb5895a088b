// How many documents of a posting list are live, kept from earlier counts: the dictionary knows it
// only where nothing is deleted. A table of fixed size belongs to the live documents of one segment
// (live_docs.h), and a list may take the place of another one there. It is made by the first Keep.
// Thread-safe; no call waits for another one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace pmdex {

class LiveCounts {
 public:
  static constexpr size_t kSlots = 2048;  // of 8 bytes

  LiveCounts() = default;
  ~LiveCounts();
  LiveCounts(const LiveCounts&) = delete;
  LiveCounts& operator=(const LiveCounts&) = delete;

  // segment_id: the table holds counts of the segment that asked to keep the first one, and of no
  // other. postings_offset: LanePostings::postings_offset of the list, which names it.
  std::optional<uint32_t> Find(uint64_t segment_id, uint64_t postings_offset) const;
  void Keep(uint64_t segment_id, uint64_t postings_offset, uint32_t live_count);

 private:
  struct Table;

  std::atomic<Table*> table_ = nullptr;
};

}  // namespace pmdex
