#include "query/columns/column_filter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace pmdex {

absl::StatusOr<bool> ColumnFilter::HasValueIn(const ValueRange& values) const {
  for (uint32_t i = 0; i < values.count; ++i) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, column_.KeyAt(uint64_t{values.first} + i));
    if (keys_.Has(key)) return true;
  }
  return false;
}

absl::StatusOr<bool> ColumnFilter::Contains(DocId doc) const {
  if (column_.is_dense() && !column_.is_multi()) {
    PMDEX_ASSIGN_OR_RETURN(const uint64_t key, column_.KeyAt(doc));
    return keys_.Has(key);
  }
  PMDEX_ASSIGN_OR_RETURN(const ValueRange values, column_.ValuesOf(doc));
  return HasValueIn(values);
}

absl::StatusOr<uint64_t> ColumnFilter::Matching(std::span<const DocId> docs) const {
  uint64_t matching = 0;
  if (!reads_lane()) {
    for (size_t i = 0; i < docs.size(); ++i) {
      PMDEX_ASSIGN_OR_RETURN(const bool contains, Contains(docs[i]));
      matching |= uint64_t{contains} << i;
    }
    return matching;
  }
  std::array<uint64_t, 64> keys;
  PMDEX_RETURN_IF_ERROR(column_.KeysAt(docs, {keys.data(), docs.size()}));
  const uint64_t width = keys_.high - keys_.low;
  for (size_t i = 0; i < docs.size(); ++i) {
    matching |= uint64_t{keys[i] - keys_.low <= width} << i;
  }
  return matching;
}

absl::StatusOr<bool> ColumnFilter::MayHave(uint32_t window) const {
  PMDEX_ASSIGN_OR_RETURN(const ColumnZone zone, column_.Zone(window));
  return zone.least <= keys_.high && zone.greatest >= keys_.low;
}

// Sets bit i of `matching` if the i-th document with a value in the window matches.
void ColumnFilter::ScanSingle(const WindowValues& values, const QueryKernels& kernels,
                              std::span<uint64_t> matching) const {
  const uint64_t least = column_.least();
  const uint64_t greatest_stored = ~uint64_t{0} >> (64 - 8 * column_.value_bytes());
  RangeScan scan{values.lane, column_.value_bytes(), values.value_count, keys_.low - least,
                 std::min(keys_.high - least, greatest_stored)};
  if (scan.low > scan.high) return;
  kernels.scan_range(scan, matching.data());
  if (keys_.members.empty()) return;
  for (uint32_t i = 0; i < values.value_count; ++i) {
    const uint64_t bit = uint64_t{1} << (i % 64);
    if ((matching[i / 64] & bit) != 0 && !keys_.Has(column_.KeyIn(values.lane, i))) {
      matching[i / 64] &= ~bit;
    }
  }
}

void ColumnFilter::ScanMulti(const WindowValues& values, std::span<uint64_t> matching) const {
  for (uint32_t i = 0; i < values.doc_count; ++i) {
    // In a damaged file starts may not ascend, or may lie outside of the window's values.
    const uint32_t begin = std::max(values.starts[i], values.first_value) - values.first_value;
    const uint32_t end =
        std::min(std::max(values.starts[i + 1], values.first_value) - values.first_value,
                 values.value_count);
    for (uint32_t value = begin; value < end; ++value) {
      if (!keys_.Has(column_.KeyIn(values.lane, value))) continue;
      matching[i / 64] |= uint64_t{1} << (i % 64);
      break;
    }
  }
}

absl::Status ColumnFilter::Fill(uint32_t window, const QueryKernels& kernels,
                                WindowBits& bits) const {
  PMDEX_ASSIGN_OR_RETURN(const ColumnZone zone, column_.Zone(window));
  if (zone.least > keys_.high || zone.greatest < keys_.low) return absl::OkStatus();
  PMDEX_ASSIGN_OR_RETURN(const WindowValues values, column_.Window(window));
  std::array<uint64_t, kWindowWords + 1> matching{};
  if (column_.is_multi()) {
    ScanMulti(values, matching);
  } else {
    ScanSingle(values, kernels, matching);
  }
  if (values.presence == nullptr) {
    for (size_t i = 0; i < kWindowWords; ++i) bits.words[i] |= matching[i];
    return absl::OkStatus();
  }
  WindowBits present;
  std::copy_n(values.presence, std::min<size_t>(values.presence_words, kWindowWords),
              present.words.begin());
  kernels.deposit(present.words.data(), matching.data(), bits);
  return absl::OkStatus();
}

absl::Status ColumnFilter::Retain(uint32_t window, const QueryKernels& kernels,
                                  WindowBits& bits) const {
  WindowBits docs;
  if (!column_.is_dense() || column_.is_multi()) {
    PMDEX_RETURN_IF_ERROR(Fill(window, kernels, docs));
    bits.And(docs);
    return absl::OkStatus();
  }
  PMDEX_ASSIGN_OR_RETURN(const ColumnZone zone, column_.Zone(window));
  if (zone.least <= keys_.high && zone.greatest >= keys_.low) {
    PMDEX_ASSIGN_OR_RETURN(const WindowValues values, column_.Window(window));
    ScanSingle(values, kernels, docs.words);
  }
  bits.And(docs);
  return absl::OkStatus();
}

uint32_t ColumnFilter::ScanCost() const {
  constexpr uint32_t kOfSeveralValues = 64;  // which no kernel scans
  return column_.is_multi() ? kOfSeveralValues : column_.value_bytes();
}

uint32_t ColumnFilter::ListedCost() const {
  constexpr uint32_t kFromLane = 50;
  constexpr uint32_t kOtherwise = 1300;
  return reads_lane() ? kFromLane : kOtherwise;
}

// Adds the documents at [begin, end) of the order that match.
absl::Status ColumnFilter::AddChecked(uint64_t begin, uint64_t end, uint32_t doc_count,
                                      CursorContext& context, DocSet& docs) const {
  PMDEX_ASSIGN_OR_RETURN(const std::span<const DocId> some, column_.DocsInOrder(begin, end));
  std::vector<DocId> matching;
  for (const DocId doc : some) {
    if (doc >= doc_count) return column_.Damage(0, "the order has a document that there is not");
    PMDEX_ASSIGN_OR_RETURN(const bool contains, Contains(doc));
    if (contains) matching.push_back(doc);
  }
  DocumentsView view;
  view.df = static_cast<uint32_t>(matching.size());
  view.docids = matching.data();
  docs.Add(view, context);
  return absl::OkStatus();
}

absl::StatusOr<DocSet> ColumnFilter::ReadOrder(const ColumnView::OrderRange& order,
                                               uint32_t doc_count, CursorContext& context) const {
  constexpr uint64_t kAtOnce = 1 << 16;
  constexpr uint64_t kWorkPerDoc = 16;  // documents for which a unit of work stands
  DocSet docs(doc_count);
  const bool check_all = !keys_.members.empty();
  const uint64_t certain_begin = check_all ? order.end : order.certain_begin;
  const uint64_t certain_end = check_all ? order.end : order.certain_end;
  PMDEX_RETURN_IF_ERROR(AddChecked(order.begin, certain_begin, doc_count, context, docs));
  for (uint64_t at = certain_begin; at < certain_end; at += kAtOnce) {
    if (context.IsOver(kAtOnce / kWorkPerDoc)) break;
    PMDEX_ASSIGN_OR_RETURN(const auto some,
                           column_.DocsInOrder(at, std::min(at + kAtOnce, certain_end)));
    DocumentsView view;
    view.df = static_cast<uint32_t>(some.size());
    view.docids = some.data();
    docs.Add(view, context);
  }
  PMDEX_RETURN_IF_ERROR(AddChecked(certain_end, order.end, doc_count, context, docs));
  docs.Finish();
  return docs;
}

}  // namespace pmdex
