// Stored text: what a document's fields said, for snippets and for rebuilding. Documents are
// grouped, in order, into chunks of about kStoredChunkTargetBytes that zstd compresses together
// (format.h: StoredChunk).
//
// DocStoreBuilder collects them in DRAM beside a memtable and is the SegmentInput's source of
// chunks; ReadStoredText is the reading half, behind Segment::StoredText. The builder belongs to
// one thread; reading is thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

// No chunk is larger before compression: the bound that a reader puts on a hostile file.
inline constexpr uint32_t kMaxStoredChunkBytes = uint32_t{1} << 30;

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

  // The next document's values, in the order in which StoredText shall give them back (none is
  // fine: every document is added). Copied. A document of 1 GiB or more fails at Finish.
  void AddDocument(std::span<const std::pair<FieldId, std::string_view>> values);

  // Compresses what is left. No document may follow. Reports what failed before:
  // kInvalidArgument for a document that is too large, kInternal for zstd.
  absl::Status Finish();

  // Compressed chunks, all of them after Finish. chunk(i).offset is the sum of the sizes before
  // it. Views live until the next AddDocument or Finish.
  size_t chunk_count() const { return chunks_.size(); }
  StoredChunk chunk(size_t index) const { return chunks_[index].entry; }
  std::span<const std::byte> chunk_bytes(size_t index) const {
    return {chunks_[index].bytes.get(), chunks_[index].size_bytes};
  }

  // Bytes held: compressed chunks, the open chunk, the compressor.
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

// A chunk's raw bytes, decompressed. kDataLoss when frame and table disagree.
absl::StatusOr<std::string> ReadStoredChunk(const SegmentView& view, uint64_t chunk_index);

// The values of one document. kDataLoss when the bytes make no sense.
absl::StatusOr<std::vector<StoredValue>> ReadStoredText(const SegmentView& view, DocId doc);

}  // namespace pmdex
