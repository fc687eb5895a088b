// What all stages of one run share: limits, counters, and the queue of blocks.
// Thread-safe; outlives the stages.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/bounded_queue.h"
#include "engine/ingest/pipeline/group_queues.h"
#include "engine/ingest/pipeline/memory_budget.h"
#include "engine/ingest/pipeline/node_groups.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/problem_log.h"

namespace pmdex {

// Of a run, for its progress; what the report says travels with the blocks (DoneWork).
struct IngestCounters {
  std::atomic<uint64_t> bytes_done{0};  // read or passed over
  std::atomic<uint64_t> bytes_walked{0};
  std::atomic<bool> walk_done{false};
  std::atomic<bool> size_unknown{false};  // standard input is among the inputs
  std::atomic<uint64_t> documents{0};
};

struct IngestContext {
  // `stop`: IngestOptions::stop.
  explicit IngestContext(const MemoryPlan& memory_plan, const std::vector<NumaNode>& nodes = {},
                         int indexer_threads = 1, int reader_threads = 1,
                         const StopFlag* stop = nullptr);

  const MemoryPlan plan;
  DirectIo direct_io = DirectIo::kAuto;  // set before the stages start
  // Small files that a reader has open before it reads them, at most kMostFilesAhead; the same.
  size_t files_ahead = kMostFilesAhead;
  ProblemLog walk_problems;  // every run walks all inputs: only those of the last one count
  IngestCounters counters;
  StopFlag stopped;  // no more input is read: the run has failed, or is to end early
  NodeGroups groups;
  const std::vector<size_t> indexer_groups;  // of each indexer thread
  const std::vector<size_t> reader_groups;
  // Set before the stages start; nullptr: each memtable has a limit of its own.
  FieldRegistry* fields = nullptr;
  std::optional<int> medium_node;  // that segments are on; set before the stages start
  MemoryBudget decoders;           // of compressed files, with what they read into
  BlockPool pool;                  // before the queue: blocks in it go back to the pool
  BoundedQueue<BlockPtr, GroupQueues<BlockPtr>> blocks;
};

}  // namespace pmdex
