#include "query/algorithm/lead_search.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "query/algorithm/postings/common_docs.h"

namespace pmdex {
namespace {

// Bit i is set if begin <= first + i < end.
uint64_t BitsOfRange(uint32_t first, uint32_t begin, uint32_t end) {
  const uint32_t low = begin > first ? begin - first : 0;
  const uint32_t high = end > first ? end - first : 0;
  const uint64_t from_low = low < 64 ? ~uint64_t{0} << low : 0;
  const uint64_t below_high = high < 64 ? (uint64_t{1} << high) - 1 : ~uint64_t{0};
  return from_low & below_high;
}

}  // namespace

LeadSearch::LeadSearch(const RankingContext& context, uint32_t lead,
                       std::span<const uint32_t> absent)
    : context_(context),
      lead_(context.query.scoring_leaves()[lead].leaf->term_postings()),
      lead_leaf_(lead),
      batch_(context.query) {
  AddOthers(absent);
  AddProhibited();
  bound_ = context_.query.score_sum().Of(bounds_);
  candidates_ = lead_->list().df;
  seen_.resize(candidates_ / 64 + 1);
}

// First the leaves that can exclude a document, the rarest first; then those with the greatest
// upper bound.
void LeadSearch::AddOthers(std::span<const uint32_t> absent) {
  const std::span<const ScoringLeaf> leaves = context_.query.scoring_leaves();
  for (uint32_t i = 0; i < leaves.size(); ++i) {
    const bool is_absent = std::find(absent.begin(), absent.end(), i) != absent.end();
    bounds_.push_back(is_absent ? 0 : leaves[i].leaf->SegmentBound());
    alone_bounds_.push_back(bounds_[i]);
    batch_.SetBound(i, bounds_[i]);
    if (is_absent || i == lead_leaf_) continue;
    Leaf* leaf = leaves[i].leaf;
    const std::optional<float> constant = leaf->ConstantScore();
    if (leaves[i].is_required && constant.has_value()) {
      filters_.push_back({leaf, i, *constant});
      continue;
    }
    others_.push_back({leaf, i, leaves[i].is_required, bounds_[i]});
    if (!leaves[i].is_required && leaf->MemberBits() != nullptr) {
      partners_.push_back({leaf->MemberBits()});
      alone_bounds_[i] = 0;
    }
    if (!leaves[i].is_required) continue;
    if (leaf->MemberBits() != nullptr) {
      members_.push_back({leaf->MemberBits()});
    } else if (leaf->term_postings() != nullptr) {
      docid_lists_.push_back(&leaf->term_postings()->windows());
    }
  }
  std::sort(others_.begin(), others_.end(), [](const Other& a, const Other& b) {
    if (a.is_required != b.is_required) return a.is_required;
    if (a.is_required && a.leaf->Estimate() != b.leaf->Estimate()) {
      return a.leaf->Estimate() < b.leaf->Estimate();
    }
    return a.bound != b.bound ? a.bound > b.bound : a.number < b.number;
  });
  const LiveDocs* const live_docs = context_.segment.cursor.live_docs;
  if (live_docs != nullptr) members_.push_back({live_docs->words().data()});
}

void LeadSearch::AddProhibited() {
  for (const OpenClause& clause : context_.query.clauses()) {
    if (clause.occur != Occur::kMustNot) continue;
    for (const auto& leaf : clause.leaves) {
      if (leaf->MemberBits() != nullptr) members_.push_back({leaf->MemberBits(), true});
    }
  }
}

void LeadSearch::Exclude(std::span<const uint64_t> postings) {
  const size_t words = std::min(seen_.size(), postings.size());
  for (size_t i = 0; i < words; ++i) seen_[i] |= postings[i];
}

// Excludes the documents that one of the lists does not have, and the deleted ones if `deleted`
// says so: candidates are checked again, but a count is not. False if the context has timed out.
bool LeadSearch::ExcludeBy(std::span<PostingWindows* const> lists, Deleted deleted) {
  CursorContext& cursor = context_.segment.cursor;
  std::vector<uint64_t> members(seen_.size(), ~uint64_t{0});
  for (PostingWindows* const other : lists) {
    if (!KeepFoundDocs(lead_->list(), *other, cursor, members)) return false;
  }
  if (deleted == Deleted::kGo && !KeepLiveDocs(lead_->list(), cursor, members)) return false;
  for (uint64_t& word : members) word = ~word;
  Exclude(members);
  return true;
}

std::optional<uint64_t> LeadSearch::CountCommonDocs() {
  if (context_.query.minimum_should_match() != 0) return std::nullopt;
  absl::InlinedVector<PostingWindows*, 2> lists;
  for (const OpenClause& clause : context_.query.clauses()) {
    if (clause.occur == Occur::kMustNot) return std::nullopt;
    if (!IsRequired(clause.occur)) continue;
    TermPostings* const term = clause.leaves[0]->term_postings();
    if (!clause.IsOneRequiredLeaf() || term == nullptr) return std::nullopt;
    if (term == lead_) continue;
    lists.push_back(&term->windows());
  }
  std::sort(lists.begin(), lists.end(), [](const PostingWindows* a, const PostingWindows* b) {
    if (a->is_bitset() != b->is_bitset()) return a->is_bitset();
    return a->list().df < b->list().df;
  });
  const PostingListView& list = lead_->list();
  list.Load(0, list.df);
  if (lists.empty() || !lead_->AreInOrder({list.docids, list.df}) ||
      !ExcludeBy(lists, Deleted::kGo)) {
    return std::nullopt;
  }
  docid_lists_.clear();  // seen_ excludes deleted documents and those without these terms now
  members_.clear();
  uint64_t matches = list.df;
  for (uint32_t i = 0; i < list.df / 64; ++i) {
    matches -= static_cast<uint64_t>(std::popcount(seen_[i]));
  }
  const uint64_t last = (uint64_t{1} << (list.df % 64)) - 1;
  matches -= static_cast<uint64_t>(std::popcount(seen_[list.df / 64] & last));
  candidates_ = matches;
  return matches;
}

// Bit i is set if all filters have docs[i]. docs: 1 to Leaf::kBatch.
uint64_t LeadSearch::MatchingFilters(std::span<const DocId> docs) {
  uint64_t matching = ~uint64_t{0} >> (64 - docs.size());
  for (const Filter& filter : filters_) matching &= filter.leaf->Matching(docs);
  return matching;
}

void LeadSearch::FilterShortLead() {
  const PostingListView& list = lead_->list();
  if (filters_.empty() || filters_done_ || list.df > kBlockPostings) return;
  list.Load(0, list.df);
  const std::span<const DocId> docs(list.docids, list.df);
  if (!lead_->AreInOrder(docs)) return;
  filters_done_ = true;
  candidates_ = 0;
  for (uint32_t first = 0; first < list.df && !IsOver(Leaf::kBatch); first += Leaf::kBatch) {
    const uint64_t some = std::min<uint64_t>(Leaf::kBatch, list.df - first);
    uint64_t& seen = seen_[first / 64];
    seen |= ~MatchingFilters(docs.subspan(first, some));
    candidates_ += static_cast<uint64_t>(std::popcount(~seen));
  }
}

// Where few documents have all required terms, the minimum competitive score stays low and every
// posting of the lead becomes a candidate. Reading the other lists whole then costs less than to go
// on with look-ups.
void LeadSearch::ExcludeAfterManyLookUps() {
  if (docid_lists_.empty()) return;
  const auto pays_not = [this](const PostingWindows* windows) {
    return !PaysToReadWhole(windows->list(), lead_->list().df);
  };
  docid_lists_.erase(std::remove_if(docid_lists_.begin(), docid_lists_.end(), pays_not),
                     docid_lists_.end());
  uint64_t postings = lead_->list().df;
  for (const PostingWindows* windows : docid_lists_) postings += windows->list().df;
  constexpr uint64_t kPostingsPerLookUp = 32;  // that are read while one document is looked up
  if (looked_up_ * kPostingsPerLookUp < postings) return;
  ExcludeBy(docid_lists_, Deleted::kStay);
  docid_lists_.clear();
}

std::pair<uint32_t, uint32_t> LeadSearch::Postings(uint32_t first_window,
                                                   uint32_t last_window) const {
  const PostingListView& list = lead_->list();
  const auto from = [&](uint32_t window) {
    if (window == 0) return uint32_t{0};
    const uint64_t doc = uint64_t{window} * kWindowDocs;
    if (doc >= list.doc_count) return list.df;
    list.Load(0, list.df);
    const DocId* end = list.docids + list.df;
    return static_cast<uint32_t>(std::lower_bound(list.docids, end, doc) - list.docids);
  };
  return {from(first_window), from(last_window)};
}

void LeadSearch::MakeTable(float min_score) {
  table_min_score_ = min_score;
  const float least = context_.query.score_sum().LeastScore(lead_leaf_, bounds_, min_score);
  all_pass_ = least <= 0;
  if (!all_pass_) context_.segment.kernels.least_freqs(lead_->scorer(), least, table_);
  needs_partner_ = false;
  if (partners_.empty()) return;
  const float alone = context_.query.score_sum().LeastScore(lead_leaf_, alone_bounds_, min_score);
  needs_partner_ = alone > 0;
  if (needs_partner_) context_.segment.kernels.least_freqs(lead_->scorer(), alone, alone_table_);
}

// A new table lets fewer postings pass. It pays once the minimum competitive score has risen by
// this factor, or no longer rises: then many documents may have just this score. The documents to
// come are later than `doc`.
void LeadSearch::RenewTable(DocId doc) {
  constexpr float kWorthATable = 1.03f;
  const float now = context_.MinCompetitiveScore(doc);
  const bool stays = now == std::exchange(last_min_score_, now);
  if (now > 0 && now > table_min_score_ * (stays ? 1 : kWorthATable)) MakeTable(now);
}

void LeadSearch::Search(uint32_t begin, uint32_t end, float min_score) {
  if (begin == end || candidates_ == 0) return;
  const PostingListView& list = lead_->list();
  batch_.Clear();
  list.Load(begin, begin + 1);
  // To score one batch costs less than a table that leaves some of it out.
  all_pass_ = std::min<uint64_t>(end - begin, candidates_) <= CandidateBatch::kMost;
  needs_partner_ = false;
  if (!all_pass_) MakeTable(std::max(min_score, context_.MinCompetitiveScore(list.docids[begin])));
  const uint32_t first = begin / kBlockPostings;
  const uint32_t last = (end - 1) / kBlockPostings;
  constexpr uint32_t kBlocksAtOnce = 64;
  for (uint32_t block = first; block <= last; block += kBlocksAtOnce) {
    const uint32_t count = std::min(kBlocksAtOnce, last - block + 1);
    uint64_t passing = ~uint64_t{0} >> (64 - count);
    if (!all_pass_ && !list.block_bounds.empty()) {
      context_.segment.kernels.filter_blocks(list.block_bounds.data() + block, count, table_,
                                             &passing);
    }
    for (; passing != 0 && !IsOver(16); passing &= passing - 1) {
      SearchBlock(block + static_cast<uint32_t>(std::countr_zero(passing)), begin, end);
    }
  }
  ScoreQueued();
}

// Makes candidates of the block's postings in [begin, end) that pass and were none before.
void LeadSearch::SearchBlock(uint32_t block, uint32_t begin, uint32_t end) {
  const PostingListView& list = lead_->list();
  const uint32_t first = block * kBlockPostings;
  const uint32_t count = std::min(kBlockPostings, list.df - first);
  list.Load(first, first + count);
  BlockMask mask;
  for (uint32_t word = 0; word < mask.size(); ++word) {
    const uint32_t left = count - std::min(count, word * 64);
    mask[word] = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
  }
  if (!all_pass_ && !list.is_inline) {
    context_.segment.kernels.filter_postings(list.freqs + first, list.codes + first, count, table_,
                                             mask.data());
  }
  const bool needs_partner = needs_partner_ && !list.is_inline;
  BlockMask passing = mask;
  if (needs_partner) {
    context_.segment.kernels.filter_postings(list.freqs + first, list.codes + first, count,
                                             alone_table_, passing.data());
  }
  found_.resize(kBlockPostings);
  uint32_t* const found = found_.data();
  size_t found_count = 0;
  for (uint32_t word = 0; word < (count + 63) / 64; ++word) {
    const uint32_t word_first = first + word * 64;
    uint64_t& seen = seen_[first / 64 + word];
    uint64_t left = mask[word] & ~seen;
    if (needs_partner) left = KeepWithPartner(word_first, left, passing[word]);
    left &= BitsOfRange(word_first, begin, end);
    seen |= left;
    for (; left != 0; left &= left - 1) {
      found[found_count++] = word_first + static_cast<uint32_t>(std::countr_zero(left));
    }
  }
  found_.resize(found_count);
  if (found_count != 0) QueueFound();
}

// The candidates among the 64 postings from `first` on without those that need a partner and have
// none. `passing` are the postings that need none.
uint64_t LeadSearch::KeepWithPartner(uint32_t first, uint64_t candidates, uint64_t passing) const {
  constexpr int kWorthALook = 8;  // to score so few candidates costs less
  if (std::popcount(candidates & ~passing) < kWorthALook) return candidates;
  const PostingListView& list = lead_->list();
  const uint32_t count = std::min<uint32_t>(64, list.df - first);
  const DocId last = context_.segment.cursor.doc_count - 1;
  const DocId* const docids = list.docids + first;
  for (const DocBits& partner : partners_) {
    uint64_t members = 0;
    for (uint32_t i = 0; i < count; ++i) {
      members |= uint64_t{partner.Passes(std::min(docids[i], last))} << i;
    }
    passing |= members;
  }
  return candidates & passing;
}

// Most documents lack one of the other required terms. Their membership bits show that before
// anything else is read. The bits of live documents show which ones are deleted.
void LeadSearch::QueueFound() {
  std::array<DocId, kBlockPostings> docs;
  size_t count = found_.size();
  for (size_t i = 0; i < count; ++i) docs[i] = lead_->list().docids[found_[i]];
  // FilterShortLead has seen all of them.
  if (!filters_done_ && !lead_->AreInOrder({docs.data(), count})) return;
  for (const DocBits& bits : members_) {
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
      const DocId doc = docs[i];
      docs[kept] = doc;
      found_[kept] = found_[i];
      kept += bits.Passes(doc) ? 1 : 0;
    }
    count = kept;
  }
  const bool asks_filters = !filters_.empty() && !filters_done_;
  if (asks_filters) count = KeepMatching({docs.data(), count});
  for (size_t i = 0; i < count;) {
    const size_t end = i + std::min<size_t>(CandidateBatch::kMost - batch_.size(), count - i);
    std::copy(found_.data() + i, found_.data() + end, postings_.data() + batch_.size());
    for (; i < end; ++i) batch_.Add(docs[i]);
    if (!batch_.full()) continue;
    const DocId first_doc = batch_.docs().front();
    ScoreQueued();
    RenewTable(first_doc);
  }
  // Filters may leave few of many candidates. Not to wait for a full batch then raises the minimum
  // competitive score before more candidates are looked up.
  if (asks_filters && filtered_ >= Leaf::kBatch && batch_.size() != 0 &&
      batch_.size() >= context_.top.room()) {
    const DocId first_doc = batch_.docs().front();
    ScoreQueued();
    RenewTable(first_doc);
  }
  ExcludeAfterManyLookUps();
}

// Drops the candidates of found_, whose documents are `docs`, that a filter excludes. Returns how
// many are left.
size_t LeadSearch::KeepMatching(std::span<DocId> docs) {
  size_t kept = 0;
  for (size_t first = 0; first < docs.size(); first += Leaf::kBatch) {
    const size_t some = std::min<size_t>(Leaf::kBatch, docs.size() - first);
    for (uint64_t left = MatchingFilters(docs.subspan(first, some)); left != 0; left &= left - 1) {
      const size_t i = first + static_cast<size_t>(std::countr_zero(left));
      docs[kept] = docs[i];
      found_[kept++] = found_[i];
    }
  }
  filtered_ += docs.size();
  return kept;
}

void LeadSearch::ScoreQueued() {
  filtered_ = 0;
  if (batch_.size() == 0) return;
  const DocId first_doc = batch_.docs().front();
  const float min_score = context_.MinCompetitiveScore(first_doc);
  for (const Filter& filter : filters_) batch_.TakeConstant(filter.number, filter.score);
  lead_->ScorePostings({postings_.data(), batch_.size()}, batch_.ScoresOf(lead_leaf_));
  batch_.TakeScores(lead_leaf_, min_score);
  looked_up_ += batch_.size();
  for (const Other& other : others_) {
    if (batch_.size() == 0 || IsOver(64)) break;
    batch_.ScoreLeaf(other.number, min_score);
  }
  if (IsOver(64)) return batch_.Clear();
  batch_.Finish(min_score);
  scored_ += batch_.size();
  batch_.AddTo(context_.top, context_.segment.doc_base);
  batch_.Clear();
}

}  // namespace pmdex
