#include "engine/ingest/pipeline/flusher.h"

#include <optional>
#include <utility>

#include "engine/ingest/pipeline/queue_meter.h"
#include "engine/ingest/resume/done_work.h"
#include "engine/segment/segment_input.h"
#include "engine/segment/segment_writer.h"
#include "pmem/freed_memory.h"

namespace pmdex {

absl::Status Flusher::Run() {
  while (std::optional<FullMemtable> full = full_.Pop()) {
    PMDEX_RETURN_IF_ERROR(Write(*std::move(full)));
  }
  return absl::OkStatus();
}

absl::Status Flusher::Write(FullMemtable full) {
  PMDEX_ASSIGN_OR_RETURN(SegmentInput * input, full.memtable->Freeze());
  PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo info, writer_.WriteSegment(*input));
  full.memtable.reset();
  // What malloc keeps of the flush is not this thread's any more when the budget has it back.
  ReturnFreedMemory();
  memory_.Release(full.reserved_bytes);
  {
    MutexLock lock(&mutex_);
    ++totals_.segments;
    totals_.documents += info.doc_count;
    totals_.bytes += info.file_bytes;
  }
  std::optional<DoneWork> work =
      full.portion->SegmentWritten(info.segment_id, std::move(full.runs));
  if (!work.has_value()) return absl::OkStatus();
  if (full.commit) return Commit(*std::move(work));
  checkpointer_.Keep(*std::move(work));
  return absl::OkStatus();
}

absl::Status Flusher::Commit(DoneWork work) {
  const StageClock::time_point start = StageClock::now();
  absl::Status status = checkpointer_.Commit(std::move(work));
  MutexLock lock(&mutex_);
  totals_.commit_seconds += std::chrono::duration<double>(StageClock::now() - start).count();
  return status;
}

void Flusher::Cancel() {
  memory_.Cancel();
  full_.Cancel();
}

Flusher::Totals Flusher::totals() const {
  MutexLock lock(&mutex_);
  return totals_;
}

}  // namespace pmdex
