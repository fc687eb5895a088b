// The stored text of a merge. Whole chunks of a source are copied as they are where all their
// documents are live and stay together, and where the fields keep their numbers. The documents of
// other chunks are compressed again. So are those of short chunks at the end of a source, so that
// merges of small segments do not leave small chunks.
//
// Memory: 16 bytes a chunk, the chunk that was compressed last, and StoredDocuments::kCacheBytes.
// With another order of documents four more bytes a document while Plan runs. Belongs to one
// thread; all arguments must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/documents/doc_store.h"
#include "engine/segment/merge/merge_source.h"
#include "engine/segment/merge/merged_docs.h"
#include "engine/segment/merge/merged_fields.h"
#include "engine/segment/merge/stored_documents.h"

namespace pmdex {

class MergedStoredText {
 public:
  MergedStoredText(std::span<const MergeSource> sources, const MergedDocs& docs,
                   const MergedFields& fields);

  // Finds the borders of all chunks. Call it once, before the other functions. Returns kDataLoss if
  // a source is damaged.
  absl::Status Plan();

  size_t chunk_count() const { return chunks_.size(); }
  StoredChunk chunk(size_t index) const;
  // An upper bound of the bytes of all chunks.
  uint64_t bytes() const { return bytes_; }
  // The compressed chunk. Valid until the next call. Returns kDataLoss if a source is damaged.
  absl::StatusOr<std::span<const std::byte>> ChunkBytes(size_t index);

 private:
  static constexpr uint32_t kCompressed = 0xffffffff;
  struct Chunk {
    DocId first_doc;  // in the result
    uint32_t raw_bytes;
    uint32_t source;  // of which the chunk is copied, or kCompressed
    uint32_t index;   // of the chunk there
  };

  absl::Status PlanSource(size_t source);
  absl::Status PlanPermuted();
  bool IsCopied(size_t source, const StoredChunk& chunk, DocId end) const;
  void AddDocument(uint64_t raw_bytes);
  void EndChunk();
  absl::StatusOr<std::span<const std::byte>> Compress(DocId begin, DocId end);

  const std::vector<MergeSource> sources_;
  const MergedDocs& docs_;
  const MergedFields& fields_;
  StoredDocuments documents_;
  std::vector<Chunk> chunks_;
  uint64_t bytes_ = 0;
  // While Plan runs: the next document of the result, and the chunk that is not complete.
  DocId next_doc_ = 0;
  DocId open_doc_ = 0;
  uint64_t open_bytes_ = 0;
  DocStoreBuilder compressed_;  // the chunk that was compressed last
};

}  // namespace pmdex
