#include "engine/ingest/reading/walk_filter.h"

#include "engine/ingest/problem_kind.h"

namespace pmdex {

bool WalkFilter::Admit(InputFile& file) {
  const WalkPosition position = file.position();
  while (next_ < done_.size() && ComesBefore(done_[next_].last, position)) {
    if (!done_[next_].is_whole()) {
      problems_.Add(ProblemKind::kVanishedFile, done_[next_].first.path, "a part was indexed");
    }
    Pass();
  }
  const bool met = next_ < done_.size() && !ComesBefore(position, done_[next_].first);
  // A whole entry is passed behind its last file: as one, it needs one ordinal.
  if (met && done_[next_].is_whole()) return false;
  file.ordinal = next_ordinal_;
  if (met) {
    file.done = done_[next_].ranges;
    Pass();
  } else {
    ++next_ordinal_;
  }
  return true;
}

}  // namespace pmdex
