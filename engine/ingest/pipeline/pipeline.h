// Runs the threads of a build: one walks, some read, some index, and some write. A bounded queue
// stands between each stage and the next. The first error stops all threads; running out of memory
// in a thread is such an error. If the system does not start some of the threads, the others do
// their work, as long as each stage has one.
#pragma once

#include <functional>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/pipeline/stage_report.h"
#include "engine/ingest/resume/checkpointer.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// The thread that calls RunPipeline calls the tick about every 100 ms while the other threads work.
using PipelineTick = std::function<void()>;

// Indexes what the build has not done before, and writes all segments. The checkpointer keeps the
// work that is not committed yet; the caller publishes it. All threads have ended on return. The
// report tells what they did. Returns kCancelled if context.stopped was set from outside before all
// input was read; what was read until then is written and kept.
absl::StatusOr<PipelineReport> RunPipeline(const IngestOptions& options, IngestContext& context,
                                           Checkpointer& checkpointer, IndexWriter& writer,
                                           const PipelineTick& tick);

}  // namespace pmdex
