#include "query/algorithm/leaf/column_leaf.h"

#include <algorithm>
#include <array>
#include <bit>

namespace pmdex {
namespace {

// About what it costs to add one document of the order to a set, and to look one up, in the unit of
// ColumnFilter::ScanCost. Measured with columns of 8 bytes by counts of a word and a range.
constexpr uint64_t kReadCost = 48;
constexpr uint64_t kLookUpCost = 400;
// What a window costs that is counted by bits, besides.
constexpr uint64_t kWindowCost = 10000;

}  // namespace

const ColumnView::OrderRange& ColumnLeaf::Order() const {
  if (!order_.has_value()) order_ = ValueOr(filter_.FindOrder(), ColumnView::OrderRange());
  return *order_;
}

bool ColumnLeaf::IsRead() {
  if (docs_.has_value()) return true;
  if (cost_ < ValueBound() * kReadCost) return false;
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
  cost_ += ScanCostOf(window);
  const absl::Status filled = filter_.Fill(window, context_.kernels, bits);
  if (!filled.ok()) context_.cursor.ReportDamage(filled);
}

void ColumnLeaf::Retain(uint32_t window, WindowBits& bits) {
  if (window >= WindowCount(doc_count())) return bits.Clear();
  const uint32_t count = bits.Count();
  if (count == 0) return;
  if (IsRead()) return Leaf::Retain(window, bits);
  if (count <= kBatch && count * kLookUpCost < ScanCostOf(window)) {
    cost_ += count * kLookUpCost;
    return LookUp(window, bits);
  }
  cost_ += ScanCostOf(window);
  const absl::Status retained = filter_.Retain(window, context_.kernels, bits);
  if (!retained.ok()) context_.cursor.ReportDamage(retained);
}

// Keeps those of the window's documents in `bits`, kBatch at most, that match.
void ColumnLeaf::LookUp(uint32_t window, WindowBits& bits) {
  std::array<DocId, kBatch> docs;
  uint32_t n = 0;
  bits.ForEach([&](uint32_t doc) {
    docs[n] = window * kWindowDocs + doc;
    n += docs[n] < doc_count() ? 1 : 0;
    return true;
  });
  bits.Clear();
  if (n == 0) return;
  for (uint64_t left = Matching({docs.data(), n}); left != 0; left &= left - 1) {
    bits.Set(docs[static_cast<size_t>(std::countr_zero(left))] % kWindowDocs);
  }
}

bool ColumnLeaf::PaysToLookUp(uint64_t docs) const {
  constexpr uint32_t kStep = 8;  // windows, of which one is asked
  const uint32_t windows = WindowCount(doc_count());
  const uint64_t values = ValueBound();
  const uint64_t scans = uint64_t{doc_count()} * filter_.ScanCost();
  const uint64_t listed = std::min(docs * filter_.ListedCost(), scans + windows * kWindowCost);
  uint64_t filled = std::min(values * kReadCost, scans);
  if (values >= docs) return listed <= filled + std::min<uint64_t>(docs, windows) * kWindowCost;
  if (filled + values * kWindowCost < listed) return false;
  for (uint32_t window = 0; window < windows && filled < listed; window += kStep) {
    if (ValueOr(filter_.MayHave(window), false)) filled += kStep * kWindowCost;
  }
  return listed <= filled;
}

void ColumnLeaf::RetainListed(std::span<const DocId> docs, std::span<uint64_t> members) {
  ScannedWindow scanned;
  for (size_t at = 0; at < docs.size(); at += kBatch) {
    uint64_t& word = members[at / kBatch];
    if (word == 0) continue;
    const auto batch = docs.subspan(at, std::min<size_t>(docs.size() - at, kBatch));
    if (context_.cursor.IsOver(kBatch)) return;
    const uint64_t span = batch.back() - batch.front();
    if (!MayHaveBetween(batch.front(), batch.back())) {
      word = 0;
    } else if (span * filter_.ScanCost() < batch.size() * filter_.ListedCost()) {
      word &= MatchingScanned(batch, scanned);
    } else {
      word &= Matching(batch);
    }
  }
}

// False if no document of [first, last] matches, as far as a few windows show it.
bool ColumnLeaf::MayHaveBetween(DocId first, DocId last) const {
  constexpr uint32_t kFewWindows = 4;
  const uint32_t end = last / kWindowDocs + 1;
  uint32_t window = first / kWindowDocs;
  if (end - window > kFewWindows) return true;
  while (window < end && !ValueOr(filter_.MayHave(window), false)) ++window;
  return window < end;
}

// As Matching, by scans of the windows of the documents.
uint64_t ColumnLeaf::MatchingScanned(std::span<const DocId> docs, ScannedWindow& scanned) {
  uint64_t matching = 0;
  for (size_t i = 0; i < docs.size(); ++i) {
    const uint32_t window = docs[i] / kWindowDocs;
    if (scanned.window != window) {
      scanned.window = window;
      scanned.bits.Clear();
      Fill(window, scanned.bits);
    }
    const uint32_t doc = docs[i] % kWindowDocs;
    matching |= (scanned.bits.words[doc / 64] >> (doc % 64) & 1) << i;
  }
  return matching;
}

uint64_t ColumnLeaf::Matching(std::span<const DocId> docs) {
  if (docs_.has_value()) return ConstantLeaf::Matching(docs);
  return ValueOr(filter_.Matching(docs), uint64_t{0});
}

bool ColumnLeaf::Contains(DocId doc) {
  if (!docs_.has_value()) return ValueOr(filter_.Contains(doc), false);
  return docs_->Contains(doc);
}

}  // namespace pmdex
