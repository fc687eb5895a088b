#include "query/algorithm/scoring/filtered_term_search.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace pmdex {
namespace {

// With more, looking them up costs about as much as the bounds of all windows.
constexpr uint64_t kMostRank = 4096;
// So many times the expected number of documents are looked up before the search gives up.
constexpr uint64_t kPatience = 2;

// The greatest frequency and length code that at least `rank` postings reach. Behind the last point
// the score is taken to fall as it does before it, twice as fast to be safe.
float ScoreOfBest(const PostingListView& list, const TermScorer& scorer, uint64_t rank) {
  const BestPoints& best = list.best;
  const auto score_of = [&](size_t kind) {
    return scorer.Score(best.tf[kind], best.length_code[kind]);
  };
  for (size_t kind = 0; kind < kBestPointKinds; ++kind) {
    if (best.tf[kind] == 0) return 0;
    if (kBestPointCounts[kind] >= rank) return score_of(kind);
  }
  constexpr size_t kLast = kBestPointKinds - 1;
  const double steps =
      std::log(static_cast<double>(rank) / kBestPointCounts[kLast]) /
      std::log(static_cast<double>(kBestPointCounts[kLast]) / kBestPointCounts[kLast - 1]);
  const float fall = score_of(kLast - 1) - score_of(kLast);
  return std::max(0.0f, score_of(kLast) - 2 * fall * static_cast<float>(steps));
}

}  // namespace

std::optional<FilteredTermSearch::Plan> FilteredTermSearch::PlanFor(const RankingContext& context) {
  const OpenQuery& query = context.query;
  const std::span<const ScoringLeaf> leaves = query.scoring_leaves();
  if (context.scores_all || query.minimum_should_match() != 0 || leaves.size() < 2 ||
      query.clauses().size() != leaves.size()) {
    return std::nullopt;
  }
  Plan plan;
  const PostingListView* list = nullptr;
  for (uint32_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i].is_required) return std::nullopt;
    const TermPostings* const term = leaves[i].leaf->term_postings();
    if (term == nullptr && leaves[i].leaf->ConstantScore().has_value()) continue;
    if (term == nullptr || term->has_docids() || list != nullptr) return std::nullopt;
    list = &term->list();
    plan.term = i;
  }
  if (list == nullptr || list->block_bounds.empty()) return std::nullopt;
  double passing = 1;  // the part of the documents that pass the filters
  for (uint32_t i = 0; i < leaves.size(); ++i) {
    if (i != plan.term) passing *= static_cast<double>(leaves[i].leaf->Estimate());
    if (i != plan.term) passing /= context.segment.cursor.doc_count;
  }
  const auto wanted = static_cast<double>(context.top.room());
  const double rank = (2 * wanted + 8) / std::max(passing, 1e-9);
  if (rank > kMostRank || rank * 2 > list->df) return std::nullopt;
  plan.rank = static_cast<uint64_t>(rank);
  plan.term_score =
      ScoreOfBest(*list, leaves[plan.term].leaf->term_postings()->scorer(), plan.rank);
  return plan.term_score > 0 ? std::optional(plan) : std::nullopt;
}

FilteredTermSearch::FilteredTermSearch(const RankingContext& context, const Plan& plan)
    : context_(context),
      plan_(plan),
      term_(context.query.scoring_leaves()[plan.term].leaf->term_postings()) {
  for (const ScoringLeaf& leaf : context_.query.scoring_leaves()) {
    const std::optional<float> constant = leaf.leaf->ConstantScore();
    scores_.push_back(constant.value_or(0));
    bounds_.push_back(constant.has_value() ? *constant : leaf.leaf->SegmentBound());
    if (constant.has_value()) filters_.push_back(leaf.leaf);
  }
}

// The score of a document that passes the filters.
float FilteredTermSearch::TotalOf(float term_score) {
  scores_[plan_.term] = term_score;
  return context_.query.score_sum().Of(scores_);
}

void FilteredTermSearch::MakeTable(float min_score) {
  table_min_score_ = min_score;
  const float least = context_.query.score_sum().LeastScore(plan_.term, bounds_, min_score);
  context_.segment.kernels.least_freqs(term_->scorer(), least, table_);
}

// Which of the blocks [first, first + count) pass the table, a bit for each. count: at most 64.
uint64_t FilteredTermSearch::FilterBlocks(uint32_t first, uint32_t count) const {
  uint64_t passing = 0;
  context_.segment.kernels.filter_blocks(term_->list().block_bounds.data() + first, count, table_,
                                         &passing);
  return passing;
}

DocId FilteredTermSearch::FirstDocOf(uint32_t block) const {
  return block == 0 ? 0 : term_->list().block_last_docs[block - 1] + 1;
}

// Where many documents tie, the minimum competitive score rises above the score of all that are
// left, and the search ends.
bool FilteredTermSearch::Run() {
  constexpr uint32_t kGroupBlocks = 64;
  const float bound = context_.query.score_sum().Of(bounds_);
  const float least = std::max(TotalOf(plan_.term_score), context_.MinCompetitiveScore(0));
  MakeTable(least);
  const auto blocks = static_cast<uint32_t>(term_->list().block_bounds.size());
  for (uint32_t first = 0; first < blocks; first += kGroupBlocks) {
    if (IsOver(64)) return false;
    uint64_t passing = FilterBlocks(first, std::min(kGroupBlocks, blocks - first));
    for (; passing != 0; passing &= passing - 1) {
      const uint32_t block = first + static_cast<uint32_t>(std::countr_zero(passing));
      const float now = context_.MinCompetitiveScore(FirstDocOf(block));
      if (now > bound) return true;
      if (looked_up_ > kPatience * plan_.rank + Leaf::kBatch || IsOver(64)) return false;
      if (now > table_min_score_) MakeTable(now);
      PassBlock(block);
    }
  }
  context_.top.Tighten();
  return context_.MinCompetitiveScore(0) >= least;
}

// False if no filter has documents in one of the windows of [first, last].
bool FilteredTermSearch::MayMatch(DocId first, DocId last) {
  const uint32_t window = first / kWindowDocs;
  if (next_window_ <= window) {
    next_window_ = window;
    for (Leaf* const filter : filters_) {
      next_window_ = std::max(next_window_, filter->FirstWindowFrom(window));
    }
  }
  return last / kWindowDocs >= next_window_;
}

void FilteredTermSearch::PassBlock(uint32_t block) {
  const PostingListView& list = term_->list();
  if (!MayMatch(FirstDocOf(block), list.block_last_docs[block])) return;
  const uint32_t first = block * kBlockPostings;
  const uint32_t count = std::min(kBlockPostings, list.df - first);
  list.Load(first, first + count);
  std::array<uint64_t, kBlockPostings / 64> mask{};
  context_.segment.kernels.filter_postings(list.freqs + first, list.codes + first, count, table_,
                                           mask.data());
  if ((mask[0] | mask[1] | mask[2] | mask[3]) == 0) return;
  static_assert(kBlockPostings == 4 * 64);
  walk_.Start(list, block);
  std::array<uint32_t, Leaf::kBatch> postings;
  std::array<DocId, Leaf::kBatch> docs;
  for (uint32_t word = 0; word < mask.size(); ++word) {
    uint32_t n = 0;
    for (uint64_t left = mask[word]; left != 0; left &= left - 1) {
      postings[n] = first + word * 64 + static_cast<uint32_t>(std::countr_zero(left));
      docs[n] = walk_.Doc(postings[n]);
      if (docs[n] >= context_.segment.cursor.doc_count) {
        return context_.segment.cursor.ReportDamage("a bitset has fewer documents than postings");
      }
      ++n;
    }
    if (n != 0) AddMatching({postings.data(), n}, {docs.data(), n});
  }
}

void FilteredTermSearch::AddMatching(std::span<const uint32_t> postings,
                                     std::span<const DocId> docs) {
  looked_up_ += docs.size();
  uint64_t matching = ~uint64_t{0} >> (64 - docs.size());
  for (Leaf* const filter : filters_) {
    if (matching != 0) matching &= filter->Matching(docs);
  }
  const PostingListView& list = term_->list();
  for (; matching != 0; matching &= matching - 1) {
    const auto i = static_cast<size_t>(std::countr_zero(matching));
    if (!context_.segment.cursor.IsLive(docs[i])) continue;
    ++scored_;
    const uint32_t posting = postings[i];
    const float score =
        TotalOf(term_->scorer().Score(static_cast<float>(list.Freq(posting)), list.codes[posting]));
    context_.top.Add({context_.segment.doc_base + docs[i], score});
  }
}

}  // namespace pmdex
