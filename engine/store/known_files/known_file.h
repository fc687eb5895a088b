// What `pmdex watch` remembers of a file that it has read: enough to tell later, without reading
// the file, whether its content may have changed. Plain values.
#pragma once

#include <cstdint>

namespace pmdex {

// What stat(2) says of a file. Files with equal facts have the same content, except that a file may
// be written twice in one tick of the clock (KnownFile::is_racy).
struct FileFacts {
  uint64_t size_bytes = 0;
  int64_t mtime_ns = 0;  // since 1970
  uint64_t inode = 0;
  uint64_t device = 0;
  // When anything of the file changed last, its owner and mode included; since 1970.
  int64_t ctime_ns = 0;
  bool operator==(const FileFacts&) const = default;
};

// True if the same file has the same content still. Renaming it changes its ctime.
inline bool IsSameContent(FileFacts known, const FileFacts& found) {
  known.ctime_ns = found.ctime_ns;
  return known == found;
}

enum class KnownState : uint8_t {
  kIndexed = 1,     // the index has a document of this content
  kPassedOver = 2,  // the content gives no document: a binary file, say
  // It could not be opened or read, and the next look tries again. Where every entry is kept, the
  // index has a document of it without text.
  kUnreadable = 3,
};

struct KnownFile {
  FileFacts facts;
  KnownState state = KnownState::kIndexed;
  // True if the file was read so soon after its last change that a later change may have left the
  // same facts. git calls such entries racy, too. The next look reads the file again.
  bool is_racy = false;
  bool operator==(const KnownFile&) const = default;
};

}  // namespace pmdex
