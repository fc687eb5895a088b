// A leaf of the documents whose value of a field lies in a range; all score the same. A window that
// another clause leaves over is scanned alone. Once the scans have cost as much as it would cost to
// read the documents of the range from the order of values, the leaf reads them and scans no more.
// So the work is at most twice that of the better way, without a guess of what other clauses leave.
// Single documents are looked up in the column alone, without a look at the order, and so are the
// few documents that others leave in a window, and the documents of a list that a count follows.
//
// One thread uses a leaf, as all leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "query/algorithm/leaf/constant_leaf.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/columns/column_filter.h"

namespace pmdex {

class ColumnLeaf final : public ConstantLeaf {
 public:
  // The context must outlive the leaf.
  ColumnLeaf(ColumnFilter filter, float score, SegmentContext& context)
      : ConstantLeaf(score, context.segment.doc_count()),
        filter_(std::move(filter)),
        context_(context) {}

  uint64_t Estimate() const override { return std::min<uint64_t>(ValueBound(), doc_count()); }
  bool EstimateReads() const override { return true; }
  // The order of values has those of the range side by side.
  std::optional<uint64_t> KnownCount() const override {
    return filter_.is_exact() ? std::optional(ValueBound()) : std::nullopt;
  }
  uint32_t WindowEstimate(uint32_t window) override;
  uint32_t FirstWindowFrom(uint32_t window) override;
  void Fill(uint32_t window, WindowBits& bits) override;
  void Retain(uint32_t window, WindowBits& bits) override;
  uint64_t Matching(std::span<const DocId> docs) override;
  ColumnLeaf* column_leaf() override { return this; }

  // True if RetainListed of so many documents costs less than to go through the windows of the
  // documents, or through those of the leaf if it has fewer.
  bool PaysToLookUp(uint64_t docs) const;
  // Clears bit i of `members` if the leaf does not have docs[i]. Stops early once the context has
  // timed out. Requires that the documents ascend and exist, and a bit for each of them.
  void RetainListed(std::span<const DocId> docs, std::span<uint64_t> members);

 private:
  bool Contains(DocId doc) override;
  uint64_t ScanCostOf(uint32_t window) const {
    return uint64_t{DocsIn(window)} * filter_.ScanCost();
  }
  void LookUp(uint32_t window, WindowBits& bits);
  // The documents of one window that match.
  struct ScannedWindow {
    uint32_t window = 0xffffffff;
    WindowBits bits;
  };
  bool MayHaveBetween(DocId first, DocId last) const;
  uint64_t MatchingScanned(std::span<const DocId> docs, ScannedWindow& scanned);
  const ColumnView::OrderRange& Order() const;
  // Values of the range: at least as many as documents.
  uint64_t ValueBound() const { return Order().end - Order().begin; }
  // Reads the order of values if the scans so far have cost as much. True if docs_ is there.
  bool IsRead();
  // The value of a result; reports its error and returns `otherwise` if it has none.
  template <typename T>
  T ValueOr(absl::StatusOr<T> result, T otherwise) const {
    if (result.ok()) return *std::move(result);
    context_.cursor.ReportDamage(result.status());
    return otherwise;
  }

  const ColumnFilter filter_;
  SegmentContext& context_;
  mutable std::optional<ColumnView::OrderRange> order_;  // nullopt: not found yet
  std::optional<DocSet> docs_;
  uint64_t cost_ = 0;  // of all scans and of looking up what they left, as by ScanCost
};

}  // namespace pmdex
