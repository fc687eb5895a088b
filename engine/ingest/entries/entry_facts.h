// What the file system says of an entry of a directory: a file, a directory, a link or anything
// else. Readers gather it, and a block carries it as bytes to the thread that indexes the document.
// Plain values and pure functions.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace pmdex {

// As lstat(2) gives them. Times are nanoseconds since 1970 UTC.
struct EntryFacts {
  uint64_t size_bytes = 0;
  int64_t mtime_ns = 0;
  int64_t atime_ns = 0;
  int64_t ctime_ns = 0;
  uint64_t inode = 0;
  uint64_t device = 0;
  uint64_t special_device = 0;  // of a device node: which device it is
  uint64_t links = 0;
  uint64_t blocks = 0;  // of 512 bytes
  uint32_t uid = 0;
  uint32_t gid = 0;
  uint32_t mode = 0;  // with the type
  uint32_t unused = 0;

  friend bool operator==(const EntryFacts&, const EntryFacts&) = default;
};

EntryFacts FactsOf(const struct stat& facts);

struct Entry {
  EntryFacts facts;
  std::string acl;     // access_text.h; empty if the mode says everything
  std::string target;  // of a link
  // Who may reach the entry (access_text.h). Entries of one directory share it.
  std::shared_ptr<const std::string> parents;
};

// The same as views of the bytes of a block.
struct EntryView {
  EntryFacts facts;
  std::string_view acl;
  std::string_view target;
  std::string_view parents;
};

size_t EncodedBytes(const Entry& entry);
// Writes EncodedBytes(entry) bytes.
void Encode(const Entry& entry, char* bytes);
// Requires bytes that Encode wrote. The views are of them.
EntryView DecodeEntry(std::string_view bytes);

// The entry at a path, of which no part is followed as a link at the end, without its parents. An
// error number if there is none.
struct EntryLookup {
  int error = 0;
  Entry entry;
};
EntryLookup LookAtEntry(const std::string& path);
// The entry that is open.
EntryLookup LookAtOpened(int fd);

}  // namespace pmdex
