// Reads the text of documents that are files from the files themselves, for snippets of an index
// that stores no text. A file counts only if it is the one that was indexed: the same device,
// inode, size and time of modification, found without following a link below the root that was
// indexed.
//
// Relative paths begin where the index says (input_directories.h). The rights of the process apply.
// Not thread-safe. The snapshot must outlive it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/input_directories.h"
#include "engine/store/snapshot.h"
#include "pmem/file_descriptor.h"
#include "pmem/status.h"
#include "query/files/entry_reader.h"

namespace pmdex {

class FileText {
 public:
  // No more of a file is read, or decompressed.
  static constexpr size_t kMaxBytes = size_t{16} << 20;
  // Of the field that has the text of files.
  static std::string_view FieldName();

  explicit FileText(const Snapshot& snapshot);

  // True if a segment has documents that are files.
  static bool IsIn(const Snapshot& snapshot);

  // The beginning of the text of a document, in valid UTF-8; of a compressed file, what it holds.
  // Empty if the document is no regular file, if the file is gone or has changed, or if this
  // process may not read it. segment: its number in the snapshot. kDataLoss if the attributes of
  // the document are damaged.
  absl::StatusOr<std::string> Read(size_t segment, DocId doc);

 private:
  EntryReader& ReaderOf(size_t segment);
  // The file at the path, if it is what was indexed; it is not opened for reading. Not valid if a
  // link or nothing is there, or if the path is below no root. entry: is at the document.
  FileDescriptor Find(std::string_view path, EntryReader& entry) const;

  const Snapshot& snapshot_;
  const InputDirectories directories_;
  std::vector<std::string> roots_;         // without slashes at the end
  std::map<size_t, EntryReader> readers_;  // by segment
};

}  // namespace pmdex
