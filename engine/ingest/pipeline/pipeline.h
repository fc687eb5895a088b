// The threads of a run: one walks, some read, some index, some write. Each stage waits for the next
// through a bounded queue; the first error stops all of them. Memory that runs out in a thread is
// an error like others. Of threads that the system does not start the others do the work, as long
// as there is one of each stage.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/pipeline/stage_report.h"
#include "engine/ingest/resume/checkpointer.h"
#include "pmem/status.h"

namespace pmdex {

// Called about every 100 ms by the calling thread while the others work.
using PipelineTick = std::function<void()>;

// Walks, reads and indexes to the end what the build has not done before, and writes all segments.
// What the last ones hold is kept by the checkpointer and is for the caller to publish. All threads
// have ended on return. The report is of what they did. kCancelled when context.stopped was set
// from outside before all input was read: what was read until then is written and kept.
absl::StatusOr<PipelineReport> RunPipeline(const IngestOptions& options, IngestContext& context,
                                           Checkpointer& checkpointer, IndexWriter& writer,
                                           const PipelineTick& tick);

}  // namespace pmdex
