// The ids of the documents of a mapped segment, in either tier: in entries (doc_entries.h), or
// front-coded in blocks (id_blocks.h). It verifies a page when it first reads from it. Immutable;
// thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

namespace pmdex {

class DocIds {
 public:
  DocIds() = default;
  // The view must outlive the ids. Returns kDataLoss if the sizes of the sections contradict `meta`
  // or the number of documents. Requires IsDocEntrySize(meta.doc_entry_bytes).
  static absl::StatusOr<DocIds> Open(const SegmentView& view, const SegmentMeta& meta);

  uint32_t entry_bytes() const { return entry_bytes_; }
  // The id of a document. The result is a view of the mapping or of `buffer`, whose content is
  // replaced. Returns kDataLoss if there is no such document, or bytes are damaged.
  absl::StatusOr<std::string_view> Read(DocId doc, std::string& buffer) const;
  // Begin to read what Read will read: PrefetchPlace first, then PrefetchId.
  void PrefetchPlace(DocId doc) const;
  void PrefetchId(DocId doc) const;

 private:
  absl::StatusOr<std::string_view> ReadEntry(DocId doc) const;
  absl::StatusOr<std::span<const std::byte>> EntryOf(DocId doc) const;
  absl::StatusOr<std::span<const std::byte>> BlockOf(DocId doc) const;

  const SegmentView* view_ = nullptr;
  uint32_t entry_bytes_ = 0;
  bool in_blocks_ = false;
};

}  // namespace pmdex
