#include "engine/segment/live_counts.h"

#include <array>
#include <memory>

namespace pmdex {
namespace {

constexpr int kSlotBits = 11;
static_assert(LiveCounts::kSlots == size_t{1} << kSlotBits);

// Where the count of a list is, and what tells it from other lists there.
struct SlotName {
  size_t slot;
  uint64_t tag;  // not 0. Lists so far behind that it does not fit 32 bits have no place in a table
};

SlotName NameOf(uint64_t postings_offset) {
  // Offsets are often multiples of 64. No other offset has the same bits.
  const uint64_t bits = postings_offset ^ postings_offset >> 6;
  return {bits & (LiveCounts::kSlots - 1), (bits >> kSlotBits) + 1};
}

}  // namespace

// A slot is 0, or has the tag of a list above its count.
struct LiveCounts::Table {
  const uint64_t segment_id;
  std::array<std::atomic<uint64_t>, kSlots> slots{};
};

LiveCounts::~LiveCounts() {
  delete table_.load(std::memory_order_acquire);
}

std::optional<uint32_t> LiveCounts::Find(uint64_t segment_id, uint64_t postings_offset) const {
  const Table* const table = table_.load(std::memory_order_acquire);
  if (table == nullptr || table->segment_id != segment_id) return std::nullopt;
  const SlotName name = NameOf(postings_offset);
  const uint64_t slot = table->slots[name.slot].load(std::memory_order_relaxed);
  if (slot >> 32 != name.tag) return std::nullopt;
  return static_cast<uint32_t>(slot);
}

void LiveCounts::Keep(uint64_t segment_id, uint64_t postings_offset, uint32_t live_count) {
  const SlotName name = NameOf(postings_offset);
  if (name.tag > UINT32_MAX) return;
  Table* table = table_.load(std::memory_order_acquire);
  if (table == nullptr) {
    std::unique_ptr<Table> made(new Table{segment_id});
    if (table_.compare_exchange_strong(table, made.get(), std::memory_order_acq_rel)) {
      table = made.release();
    }
  }
  if (table->segment_id != segment_id) return;
  table->slots[name.slot].store(name.tag << 32 | live_count, std::memory_order_relaxed);
}

}  // namespace pmdex
