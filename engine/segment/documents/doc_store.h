// Stored text: the original values of a document's fields, for snippets and for rebuilding an
// index. zstd compresses consecutive documents together, in chunks of about kStoredChunkTargetBytes
// (StoredChunk in format.h).
//
// DocStoreBuilder compresses the documents of a memtable into chunks in DRAM, from which the
// segment writer takes them. Segment::StoredText calls ReadStoredText. A builder belongs to one
// thread; reading is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/segment/file/segment_view.h"
#include "engine/segment/format.h"
#include "pmem/status.h"

struct ZSTD_CCtx_s;

namespace pmdex {

// The largest chunk before compression. A reader refuses a file that says more.
inline constexpr uint32_t kMaxStoredChunkBytes = uint32_t{1} << 30;

// The most that the stored values of one document may take, with kStoredValueBytes for each.
inline constexpr uint64_t kMaxStoredDocumentBytes =
    kMaxStoredChunkBytes - kStoredChunkTargetBytes - sizeof(uint32_t);
inline constexpr uint64_t kStoredValueBytes = sizeof(FieldId) + sizeof(uint32_t);

struct StoredValue {
  FieldId field = 0;
  std::string text;
};

class DocStoreBuilder {
 public:
  DocStoreBuilder();
  ~DocStoreBuilder();
  DocStoreBuilder(DocStoreBuilder&&) noexcept;
  DocStoreBuilder& operator=(DocStoreBuilder&&) noexcept;

  // Adds the next document, with its values in the order in which StoredText will return them.
  // Every document is added, even one without values. Copies the values. The value of
  // kOriginalRecordField is not returned by StoredText but by OriginalRecord. After a document of
  // more than kMaxStoredDocumentBytes Finish returns an error.
  void AddDocument(std::span<const std::pair<FieldId, std::string_view>> values);

  // Compresses the last chunk. No document may follow. Returns kInvalidArgument if a document was
  // too large, and kInternal if zstd failed, in this call or earlier.
  absl::Status Finish();

  // The chunks that are compressed; after Finish these are all chunks. chunk(i).offset is the sum
  // of the compressed sizes before it. Views are valid until the next AddDocument or Finish.
  size_t chunk_count() const { return chunks_.size(); }
  StoredChunk chunk(size_t index) const { return chunks_[index].entry; }
  std::span<const std::byte> chunk_bytes(size_t index) const {
    return {chunks_[index].bytes.get(), chunks_[index].size_bytes};
  }

  // The memory of the compressed chunks, the open chunk and the compressor.
  size_t memory_bytes() const;

 private:
  struct Chunk {
    StoredChunk entry;
    size_t size_bytes;
    std::unique_ptr<std::byte[]> bytes;
  };
  void CompressChunk();

  struct FreeContext {
    void operator()(ZSTD_CCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_CCtx_s, FreeContext> context_;
  std::string raw_;  // the open chunk
  std::vector<std::byte> scratch_;
  std::vector<Chunk> chunks_;
  uint64_t compressed_bytes_ = 0;
  uint32_t first_doc_ = 0;  // of the open chunk
  uint32_t next_doc_ = 0;
  absl::Status status_;
};

// The index of the chunk that holds a document. Returns kDataLoss if none does.
absl::StatusOr<uint64_t> FindStoredChunk(const SegmentView& view, DocId doc);

// The values of a document, its original record among them, as views of `document`, which is its
// part of a decompressed chunk without the size before it. Returns kDataLoss if the bytes do not
// parse.
absl::StatusOr<std::vector<std::pair<FieldId, std::string_view>>> ParseStoredValues(
    const SegmentView& view, uint64_t chunk_index, std::string_view document);

// The decompressed bytes of a chunk. Returns kDataLoss if the frame does not have the size that its
// StoredChunk says.
absl::StatusOr<std::string> ReadStoredChunk(const SegmentView& view, uint64_t chunk_index);

// The chunk that was decompressed last, for a caller that reads many documents one after the other:
// the next document is often in the same chunk. Belongs to one thread. The segment must outlive the
// reads.
struct LastStoredChunk {
  const std::byte* table = nullptr;  // of the segment's chunks; nullptr: no chunk was read
  uint64_t index = 0;
  std::string chunk;
};

// The values of one document without its original record. Reads the document from `last` if its
// chunk is there, and otherwise leaves its chunk there. Returns kDataLoss if the bytes cannot be
// those of a chunk.
absl::StatusOr<std::vector<StoredValue>> ReadStoredText(const SegmentView& view, DocId doc,
                                                        LastStoredChunk& last);
// The record that the document was read from; nullopt if none is stored. Otherwise as
// ReadStoredText.
absl::StatusOr<std::optional<std::string>> ReadOriginalRecord(const SegmentView& view, DocId doc,
                                                              LastStoredChunk& last);

}  // namespace pmdex
