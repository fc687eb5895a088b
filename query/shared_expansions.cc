#include "query/shared_expansions.h"

#include <memory>
#include <utility>

#include "query/planner.h"
#include "query/term_expansion.h"

namespace pmdex {

SharedExpansions::SharedExpansions(uint64_t kept_bytes)
    : SharedExpansions(kept_bytes, &ExpandTerms) {}

SharedExpansions::Expansion& SharedExpansions::Of(const BoundQuery& query, const Segment& segment) {
  MutexLock lock(&mutex_);
  return expansions_[{&query, &segment}];
}

bool SharedExpansions::MayKeep(uint64_t size_bytes) {
  MutexLock lock(&mutex_);
  if (size_bytes > bytes_left_) return false;
  bytes_left_ -= size_bytes;
  return true;
}

SharedExpansions::Outcome SharedExpansions::Make(const BoundQuery& query, const Segment& segment,
                                                 const CursorContext& context) const {
  CursorContext own{context.doc_count, context.file_name, absl::OkStatus(), context.deadline};
  absl::StatusOr<DocSet> made = expand_(query, segment, own);
  if (!made.ok()) return {made.status(), own.damage, own.timed_out};
  return {std::make_shared<const DocSet>(*std::move(made)), own.damage, own.timed_out};
}

SharedExpansions::Outcome SharedExpansions::KeptOrMade(const BoundQuery& query,
                                                       const Segment& segment,
                                                       const CursorContext& context) {
  Expansion& expansion = Of(query, segment);
  {
    MutexLock lock(&expansion.mutex);
    if (expansion.kept.has_value()) return *expansion.kept;
    if (!expansion.is_too_large) {
      Outcome made = Make(query, segment, context);
      expansion.is_too_large = made.docs.ok() && !MayKeep((*made.docs)->size_bytes());
      if (!expansion.is_too_large) expansion.kept = made;
      return made;
    }
  }
  // Nobody would have anything of waiting for this one.
  return Make(query, segment, context);
}

absl::StatusOr<std::shared_ptr<const DocSet>> SharedExpansions::Expand(const BoundQuery& query,
                                                                       const Segment& segment,
                                                                       CursorContext& context) {
  Outcome outcome = KeptOrMade(query, segment, context);
  if (!outcome.damage.ok()) context.ReportDamage(outcome.damage);
  context.timed_out = context.timed_out || outcome.timed_out;
  return std::move(outcome.docs);
}

}  // namespace pmdex
