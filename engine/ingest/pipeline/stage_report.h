// Why a build took as long as it did: what each stage did and waited for, how full the queues
// between them were, and which stage held up the others.
//
//   walk -> files -> read -> blocks -> index -> memtables -> write -> publish
//
// All times are sums over the threads of a stage. What a stage did not wait for is its busy time:
// computing, but also reading, syncing, and waiting for a CPU; cpu_seconds tells these apart.
// Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "engine/ingest/pipeline/queue_meter.h"

namespace pmdex {

struct StageReport {
  int threads = 0;
  uint64_t bytes = 0;  // read: handed over, index: the same, write: of segments
  uint64_t items = 0;  // walk: files, read: blocks, index: documents, write: segments,
                       // publish: manifests
  double lifetime_seconds = 0;
  double cpu_seconds = 0;
  double input_wait_seconds = 0;   // for the stage before
  double output_wait_seconds = 0;  // for the stage behind

  double busy_seconds() const;
  // What the stage does in a second of all its threads when it never waits; 0 when unknown.
  double mib_per_second() const;
};

struct PipelineReport {
  double seconds = 0;  // from the first thread's start to the last one's end; 0: nothing ran
  int threads_not_started = 0;  // that the system refused; the others did their work
  StageReport walk;
  StageReport read;
  StageReport index;
  StageReport write;    // freeze a memtable, write its segment
  StageReport publish;  // a part of the writers' work; one thread at a time
  QueueReport files;
  QueueReport blocks;
  QueueReport memtables;
};

// "indexer-bound: readers waited 81 %": the stage that was busy for the largest part of the run,
// and how long its neighbours waited for it. "balanced: ..." when no stage stands out, "too short
// to tell: ..." for a run of less than a tenth of a second.
std::string DescribeBottleneck(const PipelineReport& report);

}  // namespace pmdex
