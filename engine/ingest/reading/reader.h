// What a reader thread does: takes files from the schedule until there are no more, reads each as
// its format wants it, and helps others in between.
#pragma once

#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/reader_work.h"

namespace pmdex {

// False when the run stops. `work`: afterwards, what no block came after.
bool ReadScheduledFiles(IngestContext& context, FileSchedule& schedule, ReaderWork& work);

}  // namespace pmdex
