// What all stages of one run share: parameters, counters, pools of memory, and the queue of blocks.
// Thread-safe, except for the members that are set before the stages start. Outlives the stages.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ingest/formats/field_registry.h"
#include "engine/ingest/logs/log_clock.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/bounded_queue.h"
#include "engine/ingest/pipeline/group_queues.h"
#include "engine/ingest/pipeline/memory_budget.h"
#include "engine/ingest/pipeline/node_groups.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/tuning/tuning.h"
#include "pmem/numa_topology.h"

namespace pmdex {

// What the progress bar shows of a run. The report takes its counts from DoneWork instead, which
// the blocks carry.
struct IngestCounters {
  std::atomic<uint64_t> bytes_done{0};  // read, or skipped because an earlier run read them
  std::atomic<uint64_t> bytes_walked{0};
  std::atomic<bool> walk_done{false};
  std::atomic<bool> size_unknown{false};  // standard input is among the inputs
  std::atomic<uint64_t> documents{0};
  std::atomic<uint64_t> written_documents{0};  // how many of them are in segments
};

struct IngestContext {
  // `nodes` and `stop` are those of IngestOptions.
  explicit IngestContext(const BuildParameters& build_parameters,
                         const std::vector<NumaNode>& nodes = {}, const StopFlag* stop = nullptr);

  const BuildParameters parameters;
  ProblemLog walk_problems;  // every run walks all inputs, so only those of the last run count
  IngestCounters counters;
  StopFlag stopped;  // set when no more input shall be read: the run has failed, or ends early
  NodeGroups groups;
  const std::vector<size_t> indexer_groups;  // the group of each indexer thread
  const std::vector<size_t> reader_groups;   // the group of each reader thread
  // The names that have a field of their own. nullptr: each memtable has a limit of its own. Set
  // before the stages start.
  FieldRegistry* fields = nullptr;
  // What was read of standard input before the stages start.
  std::string input_begin;
  // How long a part of standard input waits until its block is full. Set before the stages start.
  std::chrono::milliseconds longest_wait{60'000};
  // Finds the times of lines. nullptr: lines have no times. Set before the stages start.
  const LogClock* log_clock = nullptr;
  // The NUMA node of the medium that segments are written to, if it has one. Set before the stages
  // start.
  std::optional<int> medium_node;
  // Whether the indexers keep where documents come from (input_runs.h). Set before the stages
  // start.
  bool keeps_input_order = false;
  MemoryBudget decoders;  // of compressed files, together with the buffers that they fill
  BlockPool pool;         // declared before the queue, whose blocks go back to it
  BoundedQueue<BlockPtr, GroupQueues<BlockPtr>> blocks;
};

}  // namespace pmdex
