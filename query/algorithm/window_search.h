// One window at a time of a pruned search (pruned_search.h): from the bounds of the leaves to
// candidates, from candidates to exact scores, into the top k. Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "query/algorithm/scoring/candidate_queue.h"
#include "query/algorithm/scoring/length_filter.h"
#include "query/algorithm/scoring/open_query.h"
#include "query/kernel/window_bits.h"
#include "query/result/top_k.h"

namespace pmdex {

class WindowSearch {
 public:
  // clauses: at least one that is not prohibited. score_all: no document is passed over because
  // its score is too low. Computes the bounds of all windows. Once the context, which must outlive
  // it, says that time is over, nothing more is found; if it does so after this, there are no
  // bounds and nothing may be searched.
  WindowSearch(std::vector<OpenClause> clauses, uint64_t doc_base, CursorContext& context,
               const QueryKernels& kernels, bool score_all, TopK& top);

  std::span<const OpenClause> clauses() const { return clauses_; }
  // What no document of a window exceeds; negative where none can match.
  std::span<const float> bounds() const { return bounds_; }
  // The least score with which a document of the window can still enter the top k.
  float Needed(uint32_t window) const;
  // Finds every document of the window that scores at least `needed`, and perhaps others. The last
  // of them may wait for more to be scored with them. Windows ascend between two calls of Finish.
  void Search(uint32_t window, float needed);
  // Scores what waits: all that was found and is good enough is in the top k then.
  void Finish() { queue_.Finish(); }

  uint64_t scored() const { return queue_.scored(); }  // documents that got a score

 private:
  // A leaf that can add to a score, and where it stands in the window at hand.
  struct Scorer {
    Leaf* leaf = nullptr;
    uint32_t clause = 0;
    float bound = 0;      // in the window
    bool offers = false;  // gave candidates there
  };

  float Without(double needed, double others) const {
    return WithoutOthers(needed, others, queue_.slack());
  }
  bool PrepareBounds();
  void ComputeBounds();
  // Before a leaf is asked about a window.
  bool IsOver() {
    constexpr uint64_t kLeafWork = 64;
    return context_.IsOver(kLeafWork);
  }
  bool EnterWindow(uint32_t window);
  WindowBits Promising(uint32_t window, const WindowBits& candidates);
  void OfferAll(uint32_t window, const WindowBits& candidates, float needed);
  void FillPassing(uint32_t scorer, uint32_t window, float needed, WindowBits& bits);
  void RetainMembers(uint32_t clause, uint32_t window, WindowBits& bits);
  void FillRequired(uint32_t window, float needed, WindowBits& bits);
  void FillOptional(uint32_t window, float needed, WindowBits& bits);
  void ClearSums();
  void SumUp(uint32_t window);
  void DropBySums(uint32_t window, float needed, WindowBits& bits);
  void FillClause(uint32_t clause, uint32_t window, float needed, WindowBits& bits);

  std::vector<OpenClause> clauses_;
  uint64_t doc_base_;
  CursorContext& context_;
  const QueryKernels& kernels_;
  bool score_all_;
  uint64_t member_words_;  // of Leaf::MemberBits
  TopK& top_;
  std::vector<float> bounds_;
  std::vector<Scorer> scorers_;     // in the order of the query
  std::vector<uint32_t> required_;  // clauses; in FillRequired by cost in the window
  std::vector<uint32_t> order_;     // of scorers_: what this window has, by falling bound
  double window_bound_ = 0;         // of the window at hand: bounds of scorers_ together
  bool much_passes_ = false;        // in the window before, whatever the lengths
  bool waits_ = true;               // candidates may, for those of other windows
  CandidateQueue queue_;
  LengthFilter lengths_;
  // Set with sums_: a candidate scores at most its sum and others_.
  bool summed_ = false;
  double others_ = 0;
  std::unique_ptr<WindowSums> sums_;  // made when first needed: many queries never do
};

}  // namespace pmdex
