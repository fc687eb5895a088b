#include "query/algorithm/lead_search.h"

#include <algorithm>
#include <bit>

namespace pmdex {

std::optional<size_t> LeadSearch::LeadOf(std::span<const OpenClause> clauses) {
  std::optional<size_t> lead;
  for (size_t i = 0; i < clauses.size(); ++i) {
    const OpenClause& clause = clauses[i];
    if (!clause.IsOneRequiredLeaf() || clause.leaves[0]->AsSparseTerm() == nullptr) continue;
    if (!lead.has_value() || clause.Cost() < clauses[*lead].Cost()) lead = i;
  }
  return lead;
}

LeadSearch::LeadSearch(std::vector<OpenClause> clauses, size_t lead, uint64_t doc_base,
                       const QueryKernels& kernels, TopK& top, CursorContext* context)
    : clauses_(std::move(clauses)),
      doc_base_(doc_base),
      kernels_(kernels),
      top_(top),
      context_(context),
      lead_(clauses_[lead].leaves[0]->AsSparseTerm()),
      batch_(clauses_) {
  uint32_t row = 0;
  for (size_t i = 0; i < clauses_.size(); ++i) {
    if (clauses_[i].occur == Occur::kMustNot) continue;
    const bool decides = clauses_[i].IsOneRequiredLeaf();
    for (const auto& leaf : clauses_[i].leaves) {
      if (i == lead) {
        lead_row_ = row++;
      } else {
        others_.push_back({leaf.get(), row++, decides, leaf->SegmentBound()});
        others_bound_ += others_.back().bound;
        if (decides && leaf->MemberBits() != nullptr) members_.push_back(leaf->MemberBits());
      }
    }
  }
  // First those that can send a document away, rarest first; then those that can add most.
  std::sort(others_.begin(), others_.end(), [](const Other& a, const Other& b) {
    if (a.decides != b.decides) return a.decides;
    if (a.decides && a.leaf->Cost() != b.leaf->Cost()) return a.leaf->Cost() < b.leaf->Cost();
    return a.bound != b.bound ? a.bound > b.bound : a.row < b.row;
  });
  bound_ = (lead_->SegmentBound() + others_bound_) * static_cast<float>(1 + 2 * batch_.slack());
  found_.reserve(kBlockPostings);
  seen_.resize(lead_->list().df / 64 + 1);
}

std::optional<uint64_t> LeadSearch::KeepMatches() {
  size_t deciding = 0;
  for (const OpenClause& clause : clauses_) {
    if (clause.occur == Occur::kMustNot) return std::nullopt;
    deciding += clause.occur == Occur::kMust ? 1 : 0;
  }
  const PostingListView& list = lead_->list();
  if (members_.size() + 1 != deciding || !lead_->AreInOrder({list.docids, list.df})) {
    return std::nullopt;
  }
  uint64_t matches = 0;
  for (uint32_t first = 0; first < list.df; first += 64) {
    if (IsOver(16)) return std::nullopt;
    const uint32_t count = std::min<uint32_t>(64, list.df - first);
    uint64_t mask = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const DocId doc = list.docids[first + i];
      uint64_t is_member = 1;
      for (const uint64_t* bits : members_) is_member &= bits[doc / 64] >> (doc % 64);
      mask |= is_member << i;
    }
    matches += static_cast<uint64_t>(std::popcount(mask));
    seen_[first / 64] |= ~mask;
  }
  members_.clear();  // they have nothing more to say
  return matches;
}

std::pair<uint32_t, uint32_t> LeadSearch::Postings(uint32_t first_window,
                                                   uint32_t last_window) const {
  const PostingListView& list = lead_->list();
  const auto from = [&](uint32_t window) {
    const uint64_t doc = uint64_t{window} * kWindowDocs;
    const DocId* end = list.docids + list.df;
    return static_cast<uint32_t>(std::lower_bound(list.docids, end, doc) - list.docids);
  };
  return {from(first_window), from(last_window)};
}

void LeadSearch::SetTable(float needed) {
  needed_ = needed;
  kernels_.least_freqs(lead_->scorer(), WithoutOthers(needed, others_bound_, batch_.slack()),
                       table_);
}

void LeadSearch::Search(uint32_t begin, uint32_t end, float asked) {
  if (begin == end) return;
  const PostingListView& list = lead_->list();
  batch_.Clear();
  SetTable(std::max(asked, Needed(list.docids[begin])));
  const uint32_t first = begin / kBlockPostings;
  const uint32_t last = (end - 1) / kBlockPostings;
  constexpr uint32_t kAtOnce = 64;
  for (uint32_t block = first; block <= last; block += kAtOnce) {
    const uint32_t count = std::min(kAtOnce, last - block + 1);
    uint64_t passing = ~uint64_t{0} >> (64 - count);
    if (!list.block_bounds.empty()) {
      kernels_.filter_blocks(list.block_bounds.data() + block, count, table_, &passing);
    }
    for (; passing != 0 && !IsOver(16); passing &= passing - 1) {
      SearchBlock(block + static_cast<uint32_t>(std::countr_zero(passing)), begin, end);
    }
  }
  Offer();
}

// The postings of the block that are among [begin, end) and were no candidates yet.
void LeadSearch::SearchBlock(uint32_t block, uint32_t begin, uint32_t end) {
  const PostingListView& list = lead_->list();
  const uint32_t first = block * kBlockPostings;
  const uint32_t count = std::min(kBlockPostings, list.df - first);
  std::array<uint64_t, kBlockPostings / 64> mask;
  mask.fill(~uint64_t{0} >> (list.is_inline ? 64 - count : 0));
  if (!list.is_inline) {
    kernels_.filter_postings(list.freqs + first, list.codes + first, count, table_, mask.data());
  }
  found_.clear();
  for (uint32_t word = 0; word < (count + 63) / 64; ++word) {
    uint64_t& seen = seen_[first / 64 + word];
    for (uint64_t left = mask[word] & ~seen; left != 0; left &= left - 1) {
      const uint32_t posting = first + word * 64 + static_cast<uint32_t>(std::countr_zero(left));
      if (posting < begin || posting >= end) continue;
      seen |= left & (~left + 1);
      found_.push_back(posting);
    }
  }
  if (!found_.empty()) OfferFound();
}

// Most documents are not in the other required lists: bits say so before anything else is read.
void LeadSearch::OfferFound() {
  std::array<DocId, kBlockPostings> docs;
  size_t count = found_.size();
  for (size_t i = 0; i < count; ++i) docs[i] = lead_->list().docids[found_[i]];
  if (!lead_->AreInOrder({docs.data(), count})) return;
  for (const uint64_t* bits : members_) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
      docs[kept] = docs[i];
      found_[kept] = found_[i];
      kept += bits[docs[i] / 64] >> (docs[i] % 64) & 1;
    }
    count = kept;
  }
  for (size_t i = 0; i < count; ++i) {
    postings_[batch_.size()] = found_[i];
    batch_.Add(docs[i]);
    if (batch_.full()) Offer();
  }
}

void LeadSearch::Offer() {
  if (batch_.size() == 0) return;
  const float needed = Needed(batch_.docs().front());
  double possible = others_bound_;
  lead_->ScorePostings({postings_.data(), batch_.size()}, batch_.ScoresOf(lead_row_));
  batch_.Take(lead_row_, needed, possible);
  for (const Other& other : others_) {
    if (batch_.size() == 0 || IsOver(64)) break;
    possible = std::max(0.0, possible - other.bound);
    batch_.Ask(other.row, *other.leaf, needed, possible);
  }
  if (IsOver(64)) return batch_.Clear();
  batch_.Finish(needed, clauses_);
  scored_ += batch_.size();
  batch_.AddTo(top_, doc_base_);
  batch_.Clear();
  // A table for more lets fewer pass.
  constexpr float kWorthATable = 1.03f;
  const float now = Needed(0);
  if (now > needed_ * kWorthATable || (needed_ <= 0 && now > 0)) SetTable(now);
}

}  // namespace pmdex
