#include "query/algorithm/list_search.h"

#include <algorithm>
#include <array>

#include "query/algorithm/leaf/term_postings.h"
#include "query/algorithm/postings/common_docs.h"

namespace pmdex {

ListSearch::ListSearch(const RankingContext& context) : context_(context) {
  const std::span<const ScoringLeaf> leaves = context_.query.scoring_leaves();
  uint64_t longest = 0;
  std::vector<float> bounds;
  for (uint32_t i = 0; i < leaves.size(); ++i) {
    bounds.push_back(leaves[i].leaf->SegmentBound());
    TermPostings* const term = leaves[i].leaf->term_postings();
    if (!leaves[i].is_clause || term == nullptr || !term->has_docids()) continue;
    long_lists_.push_back(i);
    longest = std::max<uint64_t>(longest, term->list().df);
  }
  std::stable_sort(long_lists_.begin(), long_lists_.end(), [this](uint32_t a, uint32_t b) {
    return Postings(a).list().df < Postings(b).list().df;
  });
  constexpr uint64_t kTimesShorter = 8;
  auto first_long = long_lists_.begin();
  while (Postings(*first_long).list().df * kTimesShorter <= longest) ++first_long;
  if (long_lists_.size() == 1) ++first_long;
  short_lists_.assign(long_lists_.begin(), first_long);
  long_lists_.erase(long_lists_.begin(), first_long);
  for (const uint32_t i : short_lists_) bounds[i] = 0;
  bound_beside_short_ = context_.query.score_sum().Of(bounds);
  for (const uint32_t i : long_lists_) bounds[i] = 0;
  bound_beside_lists_ = context_.query.score_sum().Of(bounds);
  short_leads_.reserve(short_lists_.size());
  for (size_t n = 0; n < short_lists_.size(); ++n) {
    const std::span<const uint32_t> before(short_lists_.data(), n);
    AddLead(short_lists_[n], before, PostingsInLists(short_lists_[n], before), short_leads_);
  }
}

std::span<LeadSearch> ListSearch::LongLeads() {
  if (!long_leads_.empty() || long_lists_.empty()) return long_leads_;
  std::vector<const PostingListView*> lists;
  for (const uint32_t leaf : long_lists_) lists.push_back(&Postings(leaf).list());
  std::vector<SharedDocs> shared = FindSharedDocs(lists, context_.segment.cursor);
  if (shared.empty()) return long_leads_;
  for (size_t n = 0; n < lists.size(); ++n) {
    const std::vector<uint64_t> found = PostingsInLists(long_lists_[n], short_lists_);
    for (size_t i = 0; i < found.size(); ++i) {
      shared[n].not_first[i] |= found[i];
      shared[n].not_alone[i] |= found[i];
    }
  }
  long_leads_.reserve(2 * lists.size());
  for (size_t n = 0; n < lists.size(); ++n) {
    if (shared[n].is_first_empty) continue;
    AddLead(long_lists_[n], short_lists_, shared[n].not_first, long_leads_);
  }
  for (size_t n = 0; n < lists.size(); ++n) {
    std::vector<uint32_t> absent = short_lists_;
    for (const uint32_t leaf : long_lists_) {
      if (leaf != long_lists_[n]) absent.push_back(leaf);
    }
    AddLead(long_lists_[n], absent, shared[n].not_alone, long_leads_);
  }
  return long_leads_;
}

TermPostings& ListSearch::Postings(uint32_t leaf) const {
  return *context_.query.scoring_leaves()[leaf].leaf->term_postings();
}

// The leaf's postings whose documents are in one of the lists, a bit for each; empty if `lists` is.
std::vector<uint64_t> ListSearch::PostingsInLists(uint32_t leaf,
                                                  std::span<const uint32_t> lists) const {
  std::vector<uint64_t> found;
  if (lists.empty()) return found;
  found.resize(Postings(leaf).list().df / 64 + 1);
  for (const uint32_t other : lists) {
    const PostingListView& list = Postings(other).list();
    list.Load(0, list.df);
    for (uint32_t i = 0; i < list.df; i += Leaf::kBatch) {
      const std::span<const DocId> docs(list.docids + i,
                                        std::min<uint32_t>(Leaf::kBatch, list.df - i));
      std::array<uint32_t, Leaf::kBatch> postings;
      if (context_.segment.cursor.IsOver(Leaf::kBatch) || !Postings(other).AreInOrder(docs)) break;
      Postings(leaf).windows().FindAll(docs, postings);
      for (size_t d = 0; d < docs.size(); ++d) {
        if (postings[d] == PostingWindows::kNoPosting) continue;
        found[postings[d] / 64] |= uint64_t{1} << (postings[d] % 64);
      }
    }
  }
  return found;
}

void ListSearch::AddLead(uint32_t leaf, std::span<const uint32_t> absent,
                         std::span<const uint64_t> excluded, Leads& leads) const {
  leads.emplace_back(context_, leaf, absent).Exclude(excluded);
}

uint64_t ListSearch::scored() const {
  uint64_t scored = 0;
  for (const LeadSearch& lead : short_leads_) scored += lead.scored();
  for (const LeadSearch& lead : long_leads_) scored += lead.scored();
  return scored;
}

}  // namespace pmdex
