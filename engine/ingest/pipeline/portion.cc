#include "engine/ingest/pipeline/portion.h"

#include <utility>

namespace pmdex {

void Portion::AddSegment() {
  MutexLock lock(&mutex_);
  ++unwritten_segments_;
}

std::optional<DoneWork> Portion::Close(DoneWork work) {
  MutexLock lock(&mutex_);
  work.segment_ids = std::move(work_.segment_ids);
  work.orders = std::move(work_.orders);
  work_ = std::move(work);
  closed_ = true;
  return TakeIfWhole();
}

std::optional<DoneWork> Portion::SegmentWritten(uint64_t segment_id, std::vector<InputRun> runs) {
  MutexLock lock(&mutex_);
  work_.segment_ids.push_back(segment_id);
  if (!runs.empty()) work_.orders.push_back({segment_id, std::move(runs)});
  --unwritten_segments_;
  return TakeIfWhole();
}

std::optional<DoneWork> Portion::TakeIfWhole() {
  if (!closed_ || unwritten_segments_ > 0) return std::nullopt;
  return std::move(work_);
}

}  // namespace pmdex
