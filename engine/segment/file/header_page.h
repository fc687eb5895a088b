// The header page of a segment file, which is copied and checked when the file is opened. The copy
// stays right if the medium loses the page later and the mapping turns to zeros
// (pmem/fault_guard.h). All copies of a HeaderPage share its bytes. Immutable; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/segment/format.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

// True if this version of the program can read sections of this kind.
bool IsKnown(SectionKind kind);
// The name of a kind in messages and in the JSON of `pmdex info` ("postings", "positions", ...), or
// "of unknown kind".
std::string_view ToString(SectionKind kind);

class HeaderPage {
 public:
  HeaderPage() = default;

  // Copies and checks the page: magic, byte order, CRC, version and length. The sections must be
  // aligned, inside the file, in ascending order without overlap, and each of another kind. Returns
  // kDataLoss with the file and the offset, and kUnimplemented if a newer program wrote the file.
  // file_name: for messages.
  static absl::StatusOr<HeaderPage> Read(const ReadableFile& file, std::string_view file_name);

  // These functions require a page that Read returned.
  const FileHeader& header() const;
  uint32_t crc() const;  // the CRC in the file
  std::span<const SectionEntry> sections() const;

 private:
  std::shared_ptr<const std::byte[]> page_;
};

}  // namespace pmdex
