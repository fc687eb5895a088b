// Orders documents by the terms that they share: recursive graph bisection. A range of documents is
// divided into halves, and documents change sides as long as that brings those with common terms
// together. Then each half is divided in the same manner, down to a few documents.
//
// Sources: Dhulipala et al., "Compressing Graphs and Indexes with Recursive Graph Bisection" (KDD
// 2016). The gain of a move is the logarithm of the ratio of a term's documents on both sides, and
// a pass ends a range that gains little, with a threshold that grows from pass to pass: Mackenzie
// et al., "Tradeoff Options for Bipartite Graph Partitioning" (TKDE 2022). All documents of a range
// are divided anew in each pass by a selection, not a sort, as Lucene's BPIndexReorderer does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/segment/format.h"
#include "engine/segment/order/forward_index.h"
#include "pmem/status.h"

namespace pmdex {

struct BisectionOptions {
  // A range of no more documents is not divided; they keep their order. 0 counts as 1.
  uint32_t least_range = 32;
  // The most passes over a range.
  uint32_t passes = 20;
  size_t threads = 2;
  // Asked before each pass, by all threads; may be empty.
  std::function<bool()> stop = {};
  // Called with the share of the work that is done, from 0 to 1, by one thread at a time; may be
  // empty.
  std::function<void(double done)> progress = {};
};

inline constexpr size_t kMostBisectedDocuments = size_t{1} << 31;

// What BisectDocuments takes besides the index: so much for each document, and so much for each
// term and thread.
inline constexpr uint64_t kBisectionBytesPerDocument = 12;
inline constexpr uint64_t kBisectionBytesPerTerm = 16;

// The documents in the new order: result[i] is the document that comes to place i. The same for any
// number of threads. Returns kCancelled once stop returns true, and kResourceExhausted if memory
// runs out. Requires at most kMostBisectedDocuments, and at least one thread.
absl::StatusOr<std::vector<DocId>> BisectDocuments(const ForwardIndex& index,
                                                   const BisectionOptions& options);

}  // namespace pmdex
