// Reads the entries of a file system that are documents of a segment, in the order of documents.
// `pmdex find` and `pmdex du` answer from it alone, without the file system. Attributes that nobody
// asks for are not read. Not thread-safe; the segment must outlive it.
//
//   EntryReader reader(segment);
//   for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
//     if (reader.MoveTo(doc)) Use(reader.path(), reader.number(FileAttribute::kSize));
//   }
//   PMDEX_RETURN_IF_ERROR(reader.status());
//
// Callers that look at all entries do so by windows: EntriesIn, Values and MoveToEntry.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/segment/segment.h"
#include "pmem/status.h"
#include "query/files/attribute_column.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

enum class FileAttribute : uint8_t {
  kPath,
  kName,
  kDir,
  kType,
  kMode,
  kUser,
  kGroup,
  kTarget,
  kAccess,
  kSize,
  kMtime,
  kAtime,
  kCtime,
  kUid,
  kGid,
  kLinks,
  kInode,
  kDevice,
  kSpecialDevice,
  kBlocks,
};
inline constexpr size_t kFileAttributes = static_cast<size_t>(FileAttribute::kBlocks) + 1;

class EntryReader {
 public:
  explicit EntryReader(const Segment& segment);

  // False if the document is no entry of a file system, or after an error.
  bool MoveTo(DocId doc);
  // The documents of a window that are entries; none after an error.
  WindowBits EntriesIn(uint32_t window);
  // An attribute of the documents of the window of the last EntriesIn or MoveToEntry.
  AttributeColumn& Values(FileAttribute attribute) { return Loaded(attribute); }
  // As MoveTo, for a document of EntriesIn.
  void MoveToEntry(DocId doc) { doc_ = doc; }
  // kDataLoss once a value could not be read; values are then 0 or empty.
  const absl::Status& status() const { return status_; }

  // Of the document of the last MoveTo.
  DocId doc() const { return doc_; }
  bool Has(FileAttribute attribute) { return Loaded(attribute).Has(doc_); }
  std::string_view text(FileAttribute attribute);  // of keywords; empty without a value
  // Times are nanoseconds since 1970. 0 without a value.
  int64_t number(FileAttribute attribute);
  // The place of a keyword among those of the segment. Requires Has(attribute).
  uint64_t ordinal(FileAttribute attribute) { return Loaded(attribute).Key(doc_); }
  const ColumnView* column(FileAttribute attribute) const { return ColumnOf(attribute).view(); }

  std::string_view path() { return text(FileAttribute::kPath); }
  char type();      // 'f', 'd', 'l', ... as find has them
  uint32_t mode();  // the twelve bits
  // The twelve bits of the text of FileAttribute::kMode.
  static uint32_t ModeOfText(std::string_view text);

 private:
  const AttributeColumn& ColumnOf(FileAttribute attribute) const {
    return columns_[static_cast<size_t>(attribute)];
  }
  AttributeColumn& Loaded(FileAttribute attribute);

  std::vector<AttributeColumn> columns_;  // indexed by FileAttribute
  DocId doc_ = 0;
  absl::Status status_;
};

}  // namespace pmdex
