// Reads the values of some documents of a window from a column of a segment: one call for many
// documents, in place of a look-up for each. One thread uses a reader; the segment must outlive it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/columns/column_view.h"
#include "pmem/status.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

// The values of a batch of documents, in the order of the documents.
struct BatchValues {
  std::vector<uint64_t> keys;  // column_key.h
  // The index in the batch of the document of each value. Empty: value i is the only one of
  // document i.
  std::vector<uint32_t> positions;

  size_t PositionOf(size_t i) const { return positions.empty() ? i : positions[i]; }
};

class ColumnReader {
 public:
  explicit ColumnReader(const ColumnView& column) : column_(column) {}

  const ColumnView& column() const { return column_; }

  // The following calls are about this window. kDataLoss if bytes that it reads are damaged.
  absl::Status Load(uint32_t window);
  // The least and the greatest key of the window. Requires Load.
  const ColumnZone& zone() const { return zone_; }
  // Replaces `values` by the values of these documents (numbers in the window). Requires Load.
  void Read(std::span<const uint16_t> docs, BatchValues& values) const;
  // Adds 1 to counts[key] for the key of each of these documents that has a value, and leaves out
  // keys that the array does not have. Returns false, and does nothing, if documents of the window
  // may have several values. Requires Load.
  bool CountKeys(std::span<const uint16_t> docs, std::span<uint64_t> counts) const;

 private:
  template <typename Stored>
  void ReadDense(std::span<const uint16_t> docs, std::vector<uint64_t>& keys) const;
  template <typename Stored>
  void CountDense(std::span<const uint16_t> docs, std::span<uint64_t> counts) const;
  // Calls see(i, index, present) for each document docs[i], with the index of its value in the
  // lane. If it has none, present is false and index is that of another value: so no jump depends
  // on the document. Requires IsSparse.
  template <typename See>
  void VisitSparse(std::span<const uint16_t> docs, const See& see) const;
  template <typename Stored>
  void ReadSparse(std::span<const uint16_t> docs, BatchValues& values) const;
  template <typename Stored>
  void CountSparse(std::span<const uint16_t> docs, std::span<uint64_t> counts) const;
  // True if each of these documents has one value, at its number in the lane.
  bool IsDense(std::span<const uint16_t> docs) const {
    return values_.presence == nullptr && values_.starts == nullptr &&
           (docs.empty() || docs.back() < values_.doc_count);
  }
  // True if a document of the window has one value or none.
  bool IsSparse() const { return values_.presence != nullptr && values_.starts == nullptr; }
  // The index of the document among those of the window with a value; SIZE_MAX if it has none.
  size_t RankOf(uint16_t doc) const;

  ColumnView column_;
  uint32_t window_ = UINT32_MAX;
  ColumnZone zone_{};
  WindowValues values_;
  std::array<uint32_t, kWindowWords> ranks_{};  // of the first document of each word of presence
};

}  // namespace pmdex
