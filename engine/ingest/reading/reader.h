// What a reader thread runs.
#pragma once

#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/file_schedule.h"
#include "engine/ingest/reading/reader_work.h"

namespace pmdex {

// Takes files from the schedule until there are no more, and reads each with the reader of its
// format. Helps other readers while there is no file. Returns false if the run stops. Afterwards
// `work` holds what was done and not handed over with a block.
bool ReadScheduledFiles(IngestContext& context, FileSchedule& schedule, ReaderWork& work);

}  // namespace pmdex
