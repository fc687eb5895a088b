// Reads the stored values of single documents, with a cache of decompressed chunks, so that
// documents that lie side by side cost one decompression. Belongs to one thread; the segments must
// outlive it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/segment/format.h"
#include "engine/segment/merge/merge_source.h"
#include "pmem/status.h"

namespace pmdex {

class StoredDocuments {
 public:
  using Values = std::vector<std::pair<FieldId, std::string_view>>;

  // The cache holds decompressed chunks of up to so many bytes, and always the last one.
  static constexpr uint64_t kCacheBytes = 32 << 20;

  explicit StoredDocuments(std::span<const MergeSource> sources)
      : sources_(sources.begin(), sources.end()) {}

  // The values of a document, its original record among them, in their order. They are valid until
  // the next call. Returns kDataLoss if the chunk is damaged.
  absl::StatusOr<Values> Read(size_t source, DocId doc);
  // The bytes that the document takes in a chunk before compression. Errors as Read.
  absl::StatusOr<uint64_t> RawBytes(size_t source, DocId doc);

  // The chunk table of a source, with the sentinel. Returns kDataLoss if it makes no sense.
  static absl::StatusOr<std::span<const StoredChunk>> TableOf(const Segment& segment);

 private:
  struct Chunk {
    DocId first_doc = 0;
    std::string bytes;
    std::vector<uint32_t> ends;  // of the documents
  };
  using Key = std::pair<size_t, size_t>;  // source, chunk

  absl::StatusOr<const Chunk*> ChunkOf(size_t source, DocId doc);
  absl::StatusOr<Chunk> Decompress(const Segment& segment, size_t index, const StoredChunk& entry,
                                   DocId end) const;
  absl::StatusOr<std::string_view> DocumentOf(size_t source, DocId doc);

  const std::vector<MergeSource> sources_;
  std::map<Key, std::unique_ptr<const Chunk>> chunks_;
  std::list<Key> oldest_;  // the order in which they came
  uint64_t cached_bytes_ = 0;
  const Chunk* last_ = nullptr;
  Key last_key_{};
};

}  // namespace pmdex
