// Why a build took as long as it did: what each stage did and waited for, how full the queues
// between them were, and which stage held up the others.
//
//   walk -> files -> read -> blocks -> index -> memtables -> write -> publish
//
// All times are sums over the threads of a stage. The busy time of a stage is the time that it did
// not wait for another stage. Busy threads compute, read, sync, or wait for a CPU; cpu_seconds is
// the part that they compute. Plain values.
#pragma once

#include <cstdint>
#include <string>

#include "engine/ingest/pipeline/queue_meter.h"

namespace pmdex {

struct StageReport {
  int threads = 0;
  uint64_t bytes = 0;  // read and index: bytes of input; write: bytes of segments
  uint64_t items = 0;  // walk: files; read: blocks; index: documents; write: segments;
                       // publish: manifests
  double lifetime_seconds = 0;
  double cpu_seconds = 0;
  double input_wait_seconds = 0;   // for the stage before
  double output_wait_seconds = 0;  // for the stage behind

  double busy_seconds() const;
  // What the stage would do per second if none of its threads ever waited; 0 if unknown.
  double mib_per_second() const;
};

struct PipelineReport {
  double seconds = 0;  // from the start of the first thread to the end of the last; 0: none ran
  int threads_not_started = 0;  // how many threads the system refused to start
  StageReport walk;
  StageReport read;
  StageReport index;
  StageReport write;    // freezes memtables and writes their segments
  StageReport publish;  // writes manifests: done by the writers, one at a time
  QueueReport files;
  QueueReport blocks;
  QueueReport memtables;
};

// "indexer-bound: readers waited 81 %": names the stage that was busy for the largest part of the
// run, and says how long its neighbours waited for it. "balanced: ..." if no stage stands out, "too
// short to tell: ..." for a run of less than a tenth of a second.
std::string DescribeBottleneck(const PipelineReport& report);

}  // namespace pmdex
