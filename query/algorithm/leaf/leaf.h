// A leaf of a flat query in one segment, window by window: the documents of a term, a phrase or a
// pattern, and what they are worth. Calls are a window's or a candidate's worth of work, never a
// posting's; the loops behind them are the kernels.
//
// Belongs to one thread. What is wrong with mapped bytes goes to the context that it was opened
// with. Once that says that time is over, answers mean nothing.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/cursor/cursor.h"
#include "query/expansion/shared_expansions.h"
#include "query/kernel/kernels.h"
#include "query/kernel/window_bits.h"
#include "query/planning/query_binder.h"

namespace pmdex {

class TermLeaf;

class Leaf {
 public:
  // Answers of ScoreDocs that are no score; those are never negative.
  static constexpr float kNoMatch = -1;
  static constexpr float kTooLow = -2;

  static constexpr uint32_t kBatch = 64;  // documents that are scored at once
  using BatchLane = std::array<float, kBatch>;

  virtual ~Leaf() = default;

  // At most about so many documents; orders clauses, promises nothing.
  virtual uint64_t Cost() const = 0;
  // Of the window: the same, for less than the price of looking at them.
  virtual uint32_t WindowCost(uint32_t window) = 0;
  // The first window from `window` on that may have documents of the leaf.
  virtual uint32_t FirstWindowFrom(uint32_t window) = 0;

  // Adds the documents of the window.
  virtual void Fill(uint32_t window, WindowBits& bits) = 0;
  // Takes out all documents that are not the leaf's.
  virtual void Retain(uint32_t window, WindowBits& bits);

  // Computes the bounds of all windows; needed before Bound, FillPassing and AddScores.
  virtual void PrepareBounds() = 0;
  // No document of the window scores higher; 0 exactly if the window certainly has none.
  virtual float Bound(uint32_t window) const = 0;
  // Adds all documents of the window that score at least `needed`, perhaps others of the window.
  virtual void FillPassing(uint32_t window, float needed, WindowBits& bits) = 0;
  // Adds to sums[d], for every document d of the window (from 0), no less than its score, and to
  // others no less than nothing.
  virtual void AddScores(uint32_t window, WindowSums& sums);
  // For each of `docs`, one to kBatch in ascending order: its score, kNoMatch, or, perhaps,
  // kTooLow when the score is below what is needed of it. What is behind the last score is
  // undefined. No bounds need to be prepared.
  virtual void ScoreDocs(std::span<const DocId> docs, const BatchLane& needed,
                         BatchLane& scores) = 0;
  // Whether ScoreDocs costs much less for documents of the window that was filled last.
  virtual bool KnowsOneWindow() const { return false; }
  // No document of the segment scores higher; no bounds need to be prepared.
  virtual float SegmentBound() const = 0;
  // Of the segment, bit d: document d is the leaf's; nullptr where there are no such bits.
  virtual const uint64_t* MemberBits() const { return nullptr; }
  virtual TermLeaf* AsTerm() { return nullptr; }
  // The leaf itself when it is a term of few documents, whose postings may lead a LeadSearch.
  virtual TermLeaf* AsSparseTerm() { return nullptr; }
};

// What leaves of one segment share while a query runs.
struct LeafContext {
  const Segment& segment;
  size_t segment_index = 0;
  const QueryKernels& kernels;
  CursorContext& cursor;
  SharedExpansions& expansions;
};

// The leaf of a bound query, whatever it is but kNone; nullptr when the segment has nothing of it,
// and when the context says that time is over.
absl::StatusOr<std::unique_ptr<Leaf>> OpenLeaf(const BoundQuery& query, LeafContext& context);

}  // namespace pmdex
