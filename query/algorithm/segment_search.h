// The pruned search of one segment where scores are sums: it asks the planner for the algorithm,
// windows, a lead list or whole lists, and runs it. It decides the order of the windows and when to
// stop.
//
// One thread uses a SegmentSearch. Several threads may search ranges of the same segment, each with
// its own SegmentSearch, and share a minimum score.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pmem/status.h"
#include "query/algorithm/counting.h"
#include "query/algorithm/lead_search.h"
#include "query/algorithm/leaf/segment_context.h"
#include "query/algorithm/list_search.h"
#include "query/algorithm/scoring/filtered_term_search.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/algorithm/scoring/ranking_context.h"
#include "query/algorithm/search_context.h"
#include "query/algorithm/shared_min_score.h"
#include "query/algorithm/window_search.h"
#include "query/planning/search_plan.h"
#include "query/result/top_k.h"

namespace pmdex {

class SegmentSearch {
 public:
  // search: its plan is for Algorithm::kMaxScoreWindows. shared: nullptr if no other thread
  // searches for the query. All arguments must outlive the object, which does not move.
  SegmentSearch(const SearchContext& search, size_t segment, SharedMinScore* shared, TopK& top)
      : search_(search), context_(SegmentContextOf(search, segment)), shared_(shared), top_(top) {}
  SegmentSearch(const SegmentSearch&) = delete;
  SegmentSearch& operator=(const SegmentSearch&) = delete;

  // Opens the clauses; call it once, before all else. kDataLoss if they cannot be opened.
  absl::Status Open();
  // Searches the windows [first, last), or to the last window of the segment. Until there are k
  // documents it takes the windows with the greatest upper bounds first, then the rest in order.
  // Ends early at the deadline and at damage.
  void Run(uint32_t first, uint32_t last);
  // Finds out which documents have all required terms, where that is all that decides which ones
  // match, so that Run scores no others. Call it before Run if at all, and only if Run is for all
  // windows. counts: Count will follow. If not, does nothing where no document of the segment can
  // enter the top k.
  void FindCommonDocs(bool counts);
  // How many documents of the segment match. Beyond `limit` it may stop. Call it after Run of all
  // windows. Reports damage like Run.
  MatchCount Count(uint64_t limit = UINT64_MAX);

  Algorithm algorithm() const { return plan_.algorithm; }  // kNone: nothing can match here
  uint64_t scored() const;                                 // documents that got a score, each once
  bool timed_out() const { return timed_out_; }
  const absl::Status& damage() const { return context_.cursor.damage; }

 private:
  bool HasNothingCompetitive(const RankingContext& ranking) const;
  void Start();
  std::vector<uint32_t> BestWindows(uint32_t first, uint32_t last) const;
  void StartWindows(const RankingContext& ranking);
  void RunWindows(uint32_t first, uint32_t last);
  void RunLead(LeadSearch& lead, uint32_t first, uint32_t last);
  bool RunLists(uint32_t first, uint32_t last);
  bool RunFiltered(uint32_t first, uint32_t last);
  void Forget(const TopK& before);
  RankingContext Ranking();
  void SearchWindow(uint32_t window);
  void ShareMinScore();
  bool IsOver();

  const SearchContext& search_;
  SegmentContext context_;
  SharedMinScore* shared_;
  TopK& top_;
  std::optional<OpenQuery> query_;
  SegmentSearchPlan plan_;
  // One of them, as plan_.algorithm says; windows_ beside lists_ where competitive documents may be
  // in none of the lists, and filtered_ before windows_ where it promises to be enough. None if it
  // is kNone, if opening timed out, or if no document of the segment can enter the top k.
  std::optional<WindowSearch> windows_;
  std::optional<LeadSearch> lead_;
  std::optional<ListSearch> lists_;
  std::optional<FilteredTermSearch> filtered_;
  std::optional<uint64_t> matches_;  // by FindCommonDocs
  bool is_full_at_start_ = false;    // top_ had k documents before this segment
  bool timed_out_ = false;
};

}  // namespace pmdex
