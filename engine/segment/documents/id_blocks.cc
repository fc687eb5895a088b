#include "engine/segment/documents/id_blocks.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

struct IdLine {
  size_t size_bytes = 0;  // of the line; 0 if the bytes are no line
  size_t shared = 0;      // first bytes that the id has in common with the one before
  size_t more = 0;        // the number of the other bytes
  const std::byte* rest = nullptr;
};

IdLine ReadIdLine(std::span<const std::byte> bytes) {
  IdLine line;
  size_t head = 2;
  if (bytes.size() < head) return line;
  line.shared = std::to_integer<size_t>(bytes[0]);
  line.more = std::to_integer<size_t>(bytes[1]);
  if (line.more == kLongIdRest) {
    uint16_t more = 0;
    head += sizeof(more);
    if (bytes.size() < head) return line;
    std::memcpy(&more, bytes.data() + 2, sizeof(more));
    line.more = more;
  }
  line.rest = bytes.data() + head;
  if (line.more <= bytes.size() - head) line.size_bytes = head + line.more;
  return line;
}

}  // namespace

void IdBlockWriter::Append(std::string_view id) {
  PMDEX_DCHECK(id.size() <= kMostIdBytes);
  if (in_block_ % kIdsPerBlock == 0) {
    starts_.Add(blocks_.size_bytes());
    before_.clear();
    in_block_ = 0;
  }
  ++in_block_;
  const size_t most = std::min({id.size(), before_.size(), size_t{0xff}});
  const auto shared = static_cast<size_t>(
      std::mismatch(id.begin(), id.begin() + static_cast<ptrdiff_t>(most), before_.begin()).first -
      id.begin());
  const std::string_view rest = id.substr(shared);
  blocks_.AppendValue(static_cast<uint8_t>(shared));
  blocks_.AppendValue(static_cast<uint8_t>(std::min<size_t>(rest.size(), kLongIdRest)));
  if (rest.size() >= kLongIdRest) blocks_.AppendValue(static_cast<uint16_t>(rest.size()));
  blocks_.AppendArray(std::span<const char>(rest));
  before_.assign(id);
}

std::optional<size_t> ReadBlockId(std::span<const std::byte> block, uint32_t index,
                                  std::string& id) {
  std::array<IdLine, kIdsPerBlock> lines;
  size_t at = 0;
  size_t id_bytes = 0;
  for (uint32_t i = 0; i <= index; ++i) {
    lines[i] = ReadIdLine(block.subspan(at));
    if (lines[i].size_bytes == 0 || lines[i].shared > id_bytes) return std::nullopt;
    id_bytes = lines[i].shared + lines[i].more;
    at += lines[i].size_bytes;
  }
  if (id_bytes > kMostIdBytes) return std::nullopt;
  id.resize(id_bytes);
  // Each line has the bytes that neither it shares with those before it, nor a later one replaces.
  size_t needed = id_bytes;
  for (const IdLine* line = &lines[index]; needed > 0; --line) {
    if (line->shared >= needed) continue;
    std::memcpy(id.data() + line->shared, line->rest, needed - line->shared);
    needed = line->shared;
  }
  return at;
}

}  // namespace pmdex
