#include "query/algorithm/leaf/column_leaf.h"

#include <algorithm>

namespace pmdex {
namespace {

// To scan so many values costs as much as to add one document of the order to a set.
constexpr uint64_t kScannedPerRead = 16;

}  // namespace

const ColumnView::OrderRange& ColumnLeaf::Order() const {
  if (!order_.has_value()) order_ = ValueOr(filter_.FindOrder(), ColumnView::OrderRange());
  return *order_;
}

bool ColumnLeaf::IsRead() {
  if (docs_.has_value()) return true;
  if (scanned_docs_ < ValueBound() * kScannedPerRead) return false;
  absl::StatusOr<DocSet> docs = filter_.ReadOrder(Order(), doc_count(), context_.cursor);
  if (!docs.ok()) {
    context_.cursor.ReportDamage(docs.status());
    docs_.emplace(doc_count());
    docs_->Finish();
    return true;
  }
  docs_.emplace(*std::move(docs));
  return true;
}

uint32_t ColumnLeaf::WindowEstimate(uint32_t window) {
  if (!ValueOr(filter_.MayHave(window), false)) return 0;
  return static_cast<uint32_t>(
      std::min<uint64_t>(Estimate() * kWindowDocs / std::max(1u, doc_count()) + 1, kWindowDocs));
}

uint32_t ColumnLeaf::FirstWindowFrom(uint32_t window) {
  const uint32_t windows = WindowCount(doc_count());
  if (window < windows && IsRead()) {
    size_t hint = 0;
    const DocId first = docs_->FirstFrom(window * kWindowDocs, hint);
    return first == kEndOfDocs ? windows : first / kWindowDocs;
  }
  while (window < windows && !context_.cursor.IsOver(1) &&
         !ValueOr(filter_.MayHave(window), false)) {
    ++window;
  }
  return window;
}

void ColumnLeaf::Fill(uint32_t window, WindowBits& bits) {
  if (window >= WindowCount(doc_count())) return;
  if (IsRead()) return docs_->Fill(window, bits);
  scanned_docs_ += DocsIn(window);
  const absl::Status filled = filter_.Fill(window, context_.kernels, bits);
  if (!filled.ok()) context_.cursor.ReportDamage(filled);
}

uint64_t ColumnLeaf::Matching(std::span<const DocId> docs) {
  if (docs_.has_value()) return ConstantLeaf::Matching(docs);
  return ValueOr(filter_.Matching(docs), uint64_t{0});
}

bool ColumnLeaf::Contains(DocId doc) {
  if (!docs_.has_value()) return ValueOr(filter_.Contains(doc), false);
  size_t hint = 0;
  return docs_->FirstFrom(doc, hint) == doc;
}

}  // namespace pmdex
