#include "query/shared_expansions.h"

#include "query/planner.h"
#include "query/term_expansion.h"

namespace pmdex {

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

absl::StatusOr<std::shared_ptr<const DocSet>> SharedExpansions::Expand(const BoundQuery& query,
                                                                       const Segment& segment,
                                                                       CursorContext& context) {
  Expansion& expansion = Of(query, segment);
  MutexLock lock(&expansion.mutex);
  if (expansion.is_made) {
    if (!expansion.damage.ok()) context.ReportDamage(expansion.damage);
    context.timed_out = context.timed_out || expansion.timed_out;
    return expansion.docs;
  }
  CursorContext own{context.doc_count, context.file_name, absl::OkStatus(), context.deadline};
  absl::StatusOr<DocSet> made = ExpandTerms(query, segment, own);
  absl::StatusOr<std::shared_ptr<const DocSet>> docs =
      made.ok() ? std::make_shared<const DocSet>(*std::move(made))
                : absl::StatusOr<std::shared_ptr<const DocSet>>(made.status());
  if (!own.damage.ok()) context.ReportDamage(own.damage);
  context.timed_out = context.timed_out || own.timed_out;
  expansion.is_made = !docs.ok() || MayKeep((*docs)->size_bytes());
  if (expansion.is_made) {
    expansion.docs = docs;
    expansion.damage = own.damage;
    expansion.timed_out = own.timed_out;
  }
  return docs;
}

}  // namespace pmdex
