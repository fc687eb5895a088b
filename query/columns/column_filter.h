// The documents of one segment that have a value among some keys. It answers for one document, for
// a window, which it scans, and for the whole segment, where it reads the order of the values.
// Every function returns kDataLoss for damaged bytes. Immutable; thread-safe. The segment must
// outlive it.
#pragma once

#include <cstdint>
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
  // keys: not empty. Reads a few places of the order of values.
  static absl::StatusOr<ColumnFilter> Open(const ColumnView& column, ColumnKeys keys);

  // The same for Contains, MayHave and Fill alone, without reading anything.
  static ColumnFilter OfWindows(const ColumnView& column, ColumnKeys keys) {
    return ColumnFilter(column, std::move(keys), {});
  }

  // Values with these keys: at least as many as documents. Exact unless several values a document
  // or a pattern make it an upper bound.
  uint64_t value_bound() const { return order_.end - order_.begin; }
  // True if value_bound() is the number of documents.
  bool is_exact() const { return !column_.is_multi() && keys_.members.empty(); }

  absl::StatusOr<bool> Contains(DocId doc) const;
  // False if the bounds of the window's values show that none of them matches.
  absl::StatusOr<bool> MayHave(uint32_t window) const;
  // Adds the documents of the window to `bits`.
  absl::Status Fill(uint32_t window, const QueryKernels& kernels, WindowBits& bits) const;
  // All documents, from the order of values.
  absl::StatusOr<DocSet> ReadOrder(uint32_t doc_count, CursorContext& context) const;

 private:
  ColumnFilter(const ColumnView& column, ColumnKeys keys, const ColumnView::OrderRange& order)
      : column_(column), keys_(std::move(keys)), order_(order) {}

  absl::StatusOr<bool> HasValueIn(const ValueRange& values) const;
  absl::Status AddChecked(uint64_t begin, uint64_t end, uint32_t doc_count, CursorContext& context,
                          DocSet& docs) const;
  void ScanSingle(const WindowValues& values, const QueryKernels& kernels,
                  std::span<uint64_t> matching) const;
  void ScanMulti(const WindowValues& values, std::span<uint64_t> matching) const;

  ColumnView column_;
  ColumnKeys keys_;
  ColumnView::OrderRange order_;
};

}  // namespace pmdex
