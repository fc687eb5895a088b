// Writes and reads the ids of documents as compressed segments hold them: front-coded, in blocks of
// kIdsPerBlock (kIdBlocks in unit_format.h). Ids that are paths share most of their bytes with the
// id before. A reader assembles an id from the lines of its block up to it, and trusts none of
// them. A writer belongs to one thread; reading is pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/segment/file/offset_table.h"
#include "engine/segment/file/section_stream.h"
#include "engine/segment/format.h"

namespace pmdex {

// The number of bytes of the longest id.
inline constexpr size_t kMostIdBytes = 0xffff;

class IdBlockWriter {
 public:
  // The most bytes that the ids can take, of which there are doc_count with ids_bytes in all.
  static constexpr uint64_t MostBytes(uint64_t doc_count, uint64_t ids_bytes) {
    return ids_bytes + doc_count * (2 + sizeof(uint16_t));
  }

  // The stream, of kIdBlocks, must outlive the writer.
  IdBlockWriter(SectionStream& blocks, uint32_t doc_count) : blocks_(blocks) {
    starts_.Reserve(IdBlocksOf(doc_count) + 1);
  }

  // Appends the id of the next document. Requires at most kMostIdBytes.
  void Append(std::string_view id);
  // The content of kIdBlockStarts, after the last document. Call it once.
  std::span<const std::byte> Finish() {
    starts_.Add(blocks_.size_bytes());
    return starts_.bytes();
  }

 private:
  SectionStream& blocks_;
  OffsetTableBuilder starts_;
  std::string before_;
  uint32_t in_block_ = 0;  // documents of the last block
};

// Replaces `id` by the id with this index in a block. block: from its start on. Returns where the
// next id of the block begins, or nullopt if the bytes are no ids. Requires index < kIdsPerBlock.
std::optional<size_t> ReadBlockId(std::span<const std::byte> block, uint32_t index,
                                  std::string& id);

}  // namespace pmdex
