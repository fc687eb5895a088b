#include "query/algorithm/segment_search.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

constexpr size_t kWindowsPerSeed = 16;
constexpr float kAnything = -std::numeric_limits<float>::infinity();

bool HasPhrase(std::span<const FlatClause> flat) {
  return std::any_of(flat.begin(), flat.end(), [](const FlatClause& clause) {
    return clause.occur != Occur::kMustNot &&
           std::any_of(clause.leaves.begin(), clause.leaves.end(),
                       [](const FlatLeaf& leaf) { return leaf.query->kind == BoundKind::kPhrase; });
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<SegmentSearch>> SegmentSearch::Open(const Plan& plan, size_t index,
                                                                   std::span<const FlatClause> flat,
                                                                   const BlockMaxOptions& options,
                                                                   SharedFloor* floor, TopK& top) {
  const Segment& segment = *plan.snapshot->segments()[index];
  std::unique_ptr<SegmentSearch> search(new SegmentSearch(segment, options, floor, top));
  LeafContext leaves{segment, index, *options.kernels, search->context_};
  PMDEX_ASSIGN_OR_RETURN(std::vector<OpenClause> clauses, OpenClauses(flat, leaves));
  PMDEX_RETURN_IF_ERROR(search->context_.damage);
  if (clauses.empty()) return search;
  search->asked_once_ = HasPhrase(flat);
  search->search_ =
      std::make_unique<WindowSearch>(std::move(clauses), plan.snapshot->doc_base(index),
                                     segment.doc_count(), *options.kernels, options.score_all, top);
  return search;
}

void SegmentSearch::Run(uint32_t first, uint32_t last) {
  if (search_ == nullptr) return;
  const std::span<const float> bounds = search_->bounds();
  last = std::min(last, static_cast<uint32_t>(bounds.size()));
  std::vector<uint32_t> seeds;
  if (!options_.score_all && search_->Needed(first) == kAnything) seeds = Seeds(first, last);
  const bool seeded = Seed(seeds);
  for (uint32_t window = first; window < last; ++window) {
    if (bounds[window] < 0) continue;
    if (seeded && std::find(seeds.begin(), seeds.end(), window) != seeds.end()) continue;
    if (IsOver()) return;
    Search(window, kAnything, nullptr);
  }
}

void SegmentSearch::Search(uint32_t window, float asked, WindowBits* given) {
  if (floor_ != nullptr) top_.RaiseFloor(floor_->get());
  search_->Search(window, std::max(asked, search_->Needed(window)), given);
  if (floor_ != nullptr && top_.full()) floor_->Raise(top_.threshold());
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

// Asks for less and less until there are enough documents and none that was not asked for can still
// belong to them. Each window remembers what it has given. Returns whether the seeds need not be
// looked at again.
bool SegmentSearch::Seed(std::span<const uint32_t> seeds) {
  if (seeds.empty()) return true;
  std::vector<WindowBits> given(seeds.size());
  for (const float part : {0.9f, 0.75f, 0.6f, 0.4f, 0.2f, 0.0f}) {
    if (asked_once_ && part > 0) continue;
    const float asked = part > 0 ? part * search_->bounds()[seeds[0]] : kAnything;
    for (size_t i = 0; i < seeds.size(); ++i) {
      if (IsOver()) return false;
      Search(seeds[i], asked, &given[i]);
    }
    if (part == 0 || (top_.full() && top_.threshold() >= asked)) return true;
  }
  return true;
}

bool SegmentSearch::IsOver() {
  timed_out_ = timed_out_ || IsPast(options_.deadline);
  return timed_out_ || !context_.damage.ok();
}

}  // namespace pmdex
