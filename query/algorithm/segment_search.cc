#include "query/algorithm/segment_search.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

constexpr size_t kWindowsPerSeed = 16;
constexpr float kAnything = -std::numeric_limits<float>::infinity();

}  // namespace

absl::StatusOr<std::unique_ptr<SegmentSearch>> SegmentSearch::Open(const Plan& plan, size_t index,
                                                                   std::span<const FlatClause> flat,
                                                                   const BlockMaxOptions& options,
                                                                   SharedFloor* floor, TopK& top) {
  const Segment& segment = *plan.snapshot->segments()[index];
  std::unique_ptr<SegmentSearch> search(new SegmentSearch(segment, options, floor, top));
  LeafContext leaves{segment, index, *options.kernels, search->context_, *plan.expansions};
  PMDEX_ASSIGN_OR_RETURN(std::vector<OpenClause> clauses, OpenClauses(flat, leaves));
  PMDEX_RETURN_IF_ERROR(search->context_.damage);
  search->timed_out_ = search->context_.timed_out;
  if (clauses.empty() || search->timed_out_) return search;
  const uint64_t doc_base = plan.snapshot->doc_base(index);
  const auto lead = options.score_all ? std::nullopt : LeadSearch::LeadOf(clauses);
  if (lead.has_value()) {
    search->lead_ = std::make_unique<LeadSearch>(std::move(clauses), *lead, doc_base,
                                                 *options.kernels, top, &search->context_);
    return search;
  }
  search->search_ = std::make_unique<WindowSearch>(std::move(clauses), doc_base, search->context_,
                                                   *options.kernels, options.score_all, top);
  search->timed_out_ = search->context_.timed_out;
  if (search->timed_out_) search->search_.reset();  // it has no bounds
  return search;
}

void SegmentSearch::Run(uint32_t first, uint32_t last) {
  if (lead_ != nullptr) return RunLead(first, last);
  if (search_ == nullptr) return;
  const std::span<const float> bounds = search_->bounds();
  last = std::min(last, static_cast<uint32_t>(bounds.size()));
  std::vector<uint32_t> seeds;
  if (!options_.score_all && search_->Needed(first) == kAnything) seeds = Seeds(first, last);
  for (const uint32_t window : seeds) {
    if (IsOver()) return;
    Search(window);
    search_->Finish();
  }
  for (uint32_t window = first; window < last && !IsOver(); ++window) {
    if (bounds[window] < 0 || std::find(seeds.begin(), seeds.end(), window) != seeds.end()) {
      continue;
    }
    Search(window);
  }
  search_->Finish();
  timed_out_ = timed_out_ || context_.timed_out;
  ShareFloor();
}

void SegmentSearch::FindMatches() {
  if (lead_ != nullptr) matches_ = lead_->KeepMatches();
}

// With what Run has opened and found out about the lists.
MatchCount SegmentSearch::Count() {
  if (matches_.has_value()) return {*matches_, false};
  if (lead_ != nullptr) return CountOpen(lead_->clauses(), context_, options_.deadline);
  if (search_ != nullptr) return CountOpen(search_->clauses(), context_, options_.deadline);
  return {};
}

// Asks for less and less, until there are enough documents and none that was not asked for can
// still belong to them.
void SegmentSearch::RunLead(uint32_t first, uint32_t last) {
  constexpr uint32_t kAtOnce = 64 * kBlockPostings;  // between looks at the deadline
  const auto [begin, end] = lead_->Postings(first, last);
  for (const float part : {0.9f, 0.75f, 0.6f, 0.4f, 0.2f, 0.0f}) {
    const float asked = part > 0 ? part * lead_->bound() : kAnything;
    for (uint32_t from = begin; from < end; from += std::min(kAtOnce, end - from)) {
      if (IsOver()) return;
      ShareFloor();
      lead_->Search(from, from + std::min(kAtOnce, end - from), asked);
      ShareFloor();
    }
    timed_out_ = timed_out_ || context_.timed_out;
    if (timed_out_) return;
    top_.Tighten();
    if (top_.full() && top_.threshold() >= asked) return;
  }
}

void SegmentSearch::Search(uint32_t window) {
  ShareFloor();
  search_->Search(window, search_->Needed(window));
  ShareFloor();
}

// Learns from the other threads what it takes, and tells them.
void SegmentSearch::ShareFloor() {
  if (floor_ == nullptr) return;
  if (top_.full()) floor_->Raise(top_.threshold());
  top_.RaiseFloor(floor_->get());
}

// Some windows of the greatest bounds, more for more documents.
std::vector<uint32_t> SegmentSearch::Seeds(uint32_t first, uint32_t last) const {
  const std::span<const float> bounds = search_->bounds();
  std::vector<uint32_t> windows;
  for (uint32_t i = first; i < last; ++i) {
    if (bounds[i] >= 0) windows.push_back(i);
  }
  const size_t most = std::min<size_t>(4 + options_.k / 64, 32);
  const size_t count = std::min(most, (windows.size() + kWindowsPerSeed - 1) / kWindowsPerSeed);
  std::partial_sort(windows.begin(), windows.begin() + static_cast<ptrdiff_t>(count), windows.end(),
                    [&](uint32_t a, uint32_t b) {
                      return bounds[a] != bounds[b] ? bounds[a] > bounds[b] : a < b;
                    });
  windows.resize(count);
  return windows;
}

bool SegmentSearch::IsOver() {
  timed_out_ = timed_out_ || context_.timed_out || IsPast(options_.deadline);
  return timed_out_ || !context_.damage.ok();
}

}  // namespace pmdex
