// The documents of a merge: those of all sources that are live, in the order of the sources or in
// another order, with docids from 0 on. Maps docids in both directions.
//
// Memory: nothing for a source without deleted documents. Four bytes a document of other sources,
// and of all sources with another order; with that, eight more bytes a document of the result.
// Immutable; thread-safe. The sources must outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/segment/merge/merge_source.h"
#include "pmem/status.h"

namespace pmdex {

class MergedDocs {
 public:
  static constexpr DocId kDeleted = 0xffffffff;
  struct Place {
    uint32_t source = 0;
    DocId doc = 0;
  };

  // The documents one source after the other. Returns kInvalidArgument if they are too many for a
  // segment.
  static absl::StatusOr<MergedDocs> Concatenate(std::span<const MergeSource> sources);
  // The same documents in another order. order[d] is the docid that document d has in Concatenate.
  // Requires a permutation.
  static absl::StatusOr<MergedDocs> Permute(std::span<const MergeSource> sources,
                                            std::span<const DocId> order);

  uint32_t count() const { return count_; }
  bool is_permuted() const { return !places_.empty(); }
  bool has_deleted(size_t source) const {
    return sources_[source].live_docs != nullptr && sources_[source].live_docs->deleted_count() > 0;
  }
  // The live documents of a source, ascending, if they are so few of all its documents that a
  // search for each in a list takes less time than reading the list. Empty if they are more.
  std::span<const DocId> few(size_t source) const { return few_[source]; }
  // True if all sources have few live documents.
  bool has_only_few() const { return has_only_few_; }
  // What is added to each docid of the source; nullopt if New must be called.
  std::optional<DocId> shift(size_t source) const {
    if (!maps_[source].empty()) return std::nullopt;
    return bases_[source];
  }
  // The docid in the result, or kDeleted. Requires a document of the source.
  DocId New(size_t source, DocId doc) const {
    return maps_[source].empty() ? bases_[source] + doc : maps_[source][doc];
  }
  // Where a document of the result comes from. Documents that are asked for in ascending order cost
  // a step each. Requires doc < count().
  Place PlaceOf(DocId doc, Place last) const;

 private:
  explicit MergedDocs(std::span<const MergeSource> sources);

  std::vector<MergeSource> sources_;
  uint32_t count_ = 0;
  std::vector<std::vector<DocId>> few_;  // by source
  bool has_only_few_ = true;
  std::vector<DocId> bases_;              // the first docid of each source in the result
  std::vector<std::vector<DocId>> maps_;  // of each source; empty if docids are only shifted
  std::vector<Place> places_;             // of each document; empty without another order
};

}  // namespace pmdex
