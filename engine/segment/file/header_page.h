// The header page of a segment file as it was read and checked when the file was opened: a copy, so
// that what was checked once stays true when the medium loses the page and the mapping turns to
// zeros (pmem/fault_guard.h). Copies of a HeaderPage share it. Immutable, thread-safe.
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

// Whether this program knows what is in such a section.
bool IsKnown(SectionKind kind);
// "postings", "term slots", ...; "of unknown kind" when the format has no such number.
std::string_view ToString(SectionKind kind);

class HeaderPage {
 public:
  HeaderPage() = default;

  // Checks magic, byte order, header CRC, version, length, and that the sections are aligned,
  // inside the file, in ascending order without overlap, and of no kind twice. kDataLoss naming
  // file and offset; kUnimplemented when a newer program wrote the file. file_name: for messages.
  static absl::StatusOr<HeaderPage> Read(const ReadableFile& file, std::string_view file_name);

  // All of these require a page from Read.
  const FileHeader& header() const;
  uint32_t crc() const;  // the stored one
  std::span<const SectionEntry> sections() const;

 private:
  std::shared_ptr<const std::byte[]> page_;
};

}  // namespace pmdex
