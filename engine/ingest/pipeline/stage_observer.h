// Lets the caller of a build measure its threads: each thread of the pipeline tells the observer
// when it starts and when it ends. `pmdex index --profile` counts events in between. Thread-safe:
// the threads call at the same time.
#pragma once

namespace pmdex {

enum class PipelineStage { kWalk, kRead, kIndex, kWrite };

class StageObserver {
 public:
  virtual ~StageObserver() = default;
  // Called by a thread of the stage before its first work and after its last one. A thread belongs
  // to one stage only. Must not throw.
  virtual void BeginThread(PipelineStage stage) = 0;
  virtual void EndThread(PipelineStage stage) = 0;
};

// The thread that made it, for as long as the object lives. observer may be null.
class ObservedThread {
 public:
  ObservedThread(StageObserver* observer, PipelineStage stage)
      : observer_(observer), stage_(stage) {
    if (observer_ != nullptr) observer_->BeginThread(stage_);
  }
  ~ObservedThread() {
    if (observer_ != nullptr) observer_->EndThread(stage_);
  }
  ObservedThread(const ObservedThread&) = delete;
  ObservedThread& operator=(const ObservedThread&) = delete;

 private:
  StageObserver* const observer_;
  const PipelineStage stage_;
};

}  // namespace pmdex
