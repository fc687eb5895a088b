// The order of documents by recursive graph bisection, for merges: documents that share terms
// become neighbours, so that bounds of blocks are tighter and compressed lists smaller. What this
// function returns is an order as MergeInputOptions takes it. Belongs to one thread; the sources
// may be searched meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "pmem/status.h"

namespace pmdex {

struct GraphOrderOptions {
  // 24 bytes a document, 32 a term and 4 a posting. What does not fit is left out: terms of few
  // documents first.
  uint64_t memory_bytes = uint64_t{1} << 30;
  // Asked often, by two threads at the same time; may be empty.
  std::function<bool()> stop = {};
  // As BisectionOptions::progress.
  std::function<void(double done)> progress = {};
};

// Documents with the same id keep their order. Returns kCancelled once stop returns true,
// kInvalidArgument if there are too many documents, kResourceExhausted if memory_bytes is less than
// the documents take, and kDataLoss if a source is damaged. Requires at least one source.
absl::StatusOr<std::vector<DocId>> OrderByGraph(std::span<const MergeSource> sources,
                                                const GraphOrderOptions& options);

}  // namespace pmdex
