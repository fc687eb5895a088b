// The documents of one segment that have a value among some keys. It answers for one document, for
// a window, which it scans, and for the whole segment, where it reads the order of the values. To
// find the places of the order costs some microseconds, which callers spend where it pays.
// Every function returns kDataLoss for damaged bytes. Immutable; thread-safe. The segment must
// outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "engine/columns/column_view.h"
#include "pmem/status.h"
#include "query/columns/column_keys.h"
#include "query/cursor/cursor.h"
#include "query/cursor/doc_set.h"
#include "query/kernel/kernels.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class ColumnFilter {
 public:
  // keys: not empty. Reads nothing.
  ColumnFilter(const ColumnView& column, ColumnKeys keys)
      : column_(column), keys_(std::move(keys)) {}

  // The places of the order that have these keys: at least as many as documents. Reads a few of
  // them.
  absl::StatusOr<ColumnView::OrderRange> FindOrder() const {
    return column_.FindInOrder(keys_.low, keys_.high);
  }
  // True if there are as many places as documents. Otherwise several values a document, or a
  // pattern, make their number an upper bound.
  bool is_exact() const { return !column_.is_multi() && keys_.members.empty(); }

  absl::StatusOr<bool> Contains(DocId doc) const;
  // Bit i is set if docs[i] matches. Takes 64 documents at most.
  absl::StatusOr<uint64_t> Matching(std::span<const DocId> docs) const;
  // False if the bounds of the window's values show that none of them matches.
  absl::StatusOr<bool> MayHave(uint32_t window) const;
  // Adds the documents of the window to `bits`.
  absl::Status Fill(uint32_t window, const QueryKernels& kernels, WindowBits& bits) const;
  // Removes from `bits` the documents of the window that do not match.
  absl::Status Retain(uint32_t window, const QueryKernels& kernels, WindowBits& bits) const;
  // About what Fill and Retain cost for a document of the window. The unit is a byte of a lane that
  // is scanned.
  uint32_t ScanCost() const;
  // About what Matching costs for each of 64 documents that lie near one another, in that unit.
  uint32_t ListedCost() const;
  // All documents, from the order of values. order: of FindOrder.
  absl::StatusOr<DocSet> ReadOrder(const ColumnView::OrderRange& order, uint32_t doc_count,
                                   CursorContext& context) const;

 private:
  // True if document i has the i-th value of the lane, and no others, and its key alone decides.
  bool reads_lane() const {
    return column_.is_dense() && !column_.is_multi() && keys_.members.empty();
  }
  absl::StatusOr<bool> HasValueIn(const ValueRange& values) const;
  absl::Status AddChecked(uint64_t begin, uint64_t end, uint32_t doc_count, CursorContext& context,
                          DocSet& docs) const;
  void ScanSingle(const WindowValues& values, const QueryKernels& kernels,
                  std::span<uint64_t> matching) const;
  void ScanMulti(const WindowValues& values, std::span<uint64_t> matching) const;

  ColumnView column_;
  ColumnKeys keys_;
};

}  // namespace pmdex
