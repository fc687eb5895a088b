#include "engine/ingest/reading/reader.h"

#include <utility>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/reading/block_reader.h"
#include "engine/ingest/reading/file_reader.h"

namespace pmdex {

bool ReadScheduledFiles(IngestContext& context, FileSchedule& schedule, ReaderWork& work) {
  FileReader whole_files(context, work);
  BlockReader records(context, work, &schedule);
  for (;;) {
    ReadTask task = schedule.Next();
    if (task.file.has_value() && task.file->format == InputFormat::kFiles) {
      if (!whole_files.Read(*std::move(task.file))) return false;
      schedule.FileIsRead();
      continue;
    }
    // Everything else hands over what is done with blocks of its own: not before the documents that
    // were read earlier.
    if (!whole_files.Finish()) return false;
    if (task.file.has_value()) {
      if (!records.Read(*task.file)) return false;
      schedule.FileIsRead();
    } else if (task.shared != nullptr) {
      if (!task.shared->Work(work)) return false;
      schedule.Withdraw(task.shared.get());
    } else if (!schedule.AwaitMore()) {
      return !context.stopped.IsSet();
    }
  }
}

}  // namespace pmdex
