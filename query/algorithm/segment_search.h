// One segment in a pruned search (pruned_search.h): its windows, or the postings of a rare term; in
// which order, and until when. Belongs to one thread; several may search ranges of the same
// segment, each with its own, and tell one another by a SharedFloor what it takes to be among the
// best.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pmem/status.h"
#include "query/algorithm/counting.h"
#include "query/algorithm/lead_search.h"
#include "query/algorithm/pruned_search.h"
#include "query/algorithm/window_search.h"

namespace pmdex {

// A score that k documents reach already, found by any of the threads. Thread-safe.
class SharedFloor {
 public:
  float get() const { return score_.load(std::memory_order_relaxed); }
  void Raise(float score) {
    float now = get();
    while (score > now && !score_.compare_exchange_weak(now, score, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<float> score_ = -std::numeric_limits<float>::infinity();
};

class SegmentSearch {
 public:
  // Everything but the plan's snapshot must outlive it. floor: nullptr for a thread alone.
  // kDataLoss when the clauses cannot be opened.
  static absl::StatusOr<std::unique_ptr<SegmentSearch>> Open(const Plan& plan, size_t segment,
                                                             std::span<const FlatClause> flat,
                                                             const BlockMaxOptions& options,
                                                             SharedFloor* floor, TopK& top);
  SegmentSearch(const SegmentSearch&) = delete;
  SegmentSearch& operator=(const SegmentSearch&) = delete;

  // Windows [first, last), or up to the last one there is: the most promising first, until there
  // are k documents; then in order. Ends early at the deadline and at damage.
  void Run(uint32_t first, uint32_t last);
  // Before Run, when Count will be asked: where what matches is quickly known it becomes known now,
  // and Run is spared the documents that do not.
  void FindMatches();
  // How many documents of the segment match. After Run of all windows; damage as there.
  MatchCount Count();

  uint64_t scored() const {
    return (search_ == nullptr ? 0 : search_->scored()) + (lead_ == nullptr ? 0 : lead_->scored());
  }
  bool timed_out() const { return timed_out_; }
  const absl::Status& damage() const { return context_.damage; }

 private:
  SegmentSearch(const Segment& segment, const BlockMaxOptions& options, SharedFloor* floor,
                TopK& top)
      : context_{segment.doc_count(), segment.file_name(), absl::OkStatus(), options.deadline},
        options_(options),
        floor_(floor),
        top_(top) {}

  std::vector<uint32_t> Seeds(uint32_t first, uint32_t last) const;
  void RunLead(uint32_t first, uint32_t last);
  void Search(uint32_t window);
  void ShareFloor();
  bool IsOver();

  CursorContext context_;
  const BlockMaxOptions& options_;
  SharedFloor* floor_;
  TopK& top_;
  // By windows, or along the postings of a rare term; neither: nothing matches in this segment.
  std::unique_ptr<WindowSearch> search_;
  std::unique_ptr<LeadSearch> lead_;
  std::optional<uint64_t> matches_;  // by FindMatches
  bool timed_out_ = false;
};

}  // namespace pmdex
