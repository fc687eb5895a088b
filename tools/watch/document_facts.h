// What an index that `pmdex index` has built says of the files that its documents were read from:
// the attributes that the documents have. `pmdex watch` takes such an index over without reading
// the files again. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "engine/store/document_locator.h"
#include "engine/store/known_files/known_file.h"
#include "engine/store/manifest.h"
#include "pmem/status.h"
#include "query/files/entry_reader.h"

namespace pmdex {

// File systems stamp files with the tick of the kernel's clock, of at most 10 ms.
inline constexpr int64_t kRacyNanoseconds = 20'000'000;

class DocumentFacts {
 public:
  // Without facts of any document if the manifest does not say when its files were read.
  explicit DocumentFacts(const Manifest& manifest);

  // The file that the document was read from, with the facts that it had before it was read. The
  // inode is 0, which no file has, if nobody knows that the document is all that a reading of this
  // file gives: an attribute is missing, or a file that is not empty gave no text, for it may have
  // been unreadable. kDataLoss if the attributes are damaged.
  absl::StatusOr<KnownFile> Find(std::string_view id, const DocumentPlace& place);

 private:
  absl::Status MoveTo(const std::shared_ptr<const Segment>& segment);

  std::optional<int64_t> read_since_ns_;  // no file was read before
  // Of the segment of the last Find.
  std::shared_ptr<const Segment> segment_;
  std::optional<EntryReader> entry_;
  std::span<const uint8_t> text_lengths_;
};

}  // namespace pmdex
