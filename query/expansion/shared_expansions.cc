#include "query/expansion/shared_expansions.h"

#include <memory>
#include <utility>

#include "query/expansion/term_expansion.h"
#include "query/planning/bound_query.h"

namespace pmdex {

Memo<SharedExpansions::Outcome>& SharedExpansions::MemoOf(const BoundQuery& query,
                                                          const Segment& segment) {
  MutexLock lock(&mutex_);
  return memos_[{&query, &segment}];
}

bool SharedExpansions::MayKeep(const Outcome& made) {
  if (!made.docs.ok()) return true;
  const uint64_t size_bytes = (*made.docs)->size_bytes();
  MutexLock lock(&mutex_);
  if (size_bytes > bytes_left_) return false;
  bytes_left_ -= size_bytes;
  return true;
}

SharedExpansions::Outcome SharedExpansions::Make(const BoundQuery& query, const Segment& segment,
                                                 const CursorContext& context) {
  CursorContext own{context.doc_count, context.file_name, absl::OkStatus(), context.deadline};
  absl::StatusOr<DocSet> made = ExpandTerms(query, segment, own);
  if (!made.ok()) return {made.status(), own.damage, own.timed_out};
  return {std::make_shared<const DocSet>(*std::move(made)), own.damage, own.timed_out};
}

absl::StatusOr<std::shared_ptr<const DocSet>> SharedExpansions::Expand(const BoundQuery& query,
                                                                       const Segment& segment,
                                                                       CursorContext& context) {
  Outcome outcome = MemoOf(query, segment)
                        .GetOrMake([&] { return Make(query, segment, context); },
                                   [this](const Outcome& made) { return MayKeep(made); });
  if (!outcome.damage.ok()) context.ReportDamage(outcome.damage);
  context.timed_out = context.timed_out || outcome.timed_out;
  return std::move(outcome.docs);
}

}  // namespace pmdex
