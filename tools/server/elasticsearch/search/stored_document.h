// Reads what an index keeps of a document. Errors are those of Segment; damage quarantines the
// segment. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/store/snapshot.h"
#include "pmem/status.h"
#include "query/files/file_text.h"
#include "tools/server/elasticsearch/search/highlighter.h"

namespace pmdex {

// doc: number in index order, of a document of the snapshot. last: what one caller read before, as
// documents that lie together are decompressed together.
// The JSON that the document was read from; nullopt if the index does not keep it.
absl::StatusOr<std::optional<std::string>> SourceOf(const Snapshot& snapshot, uint64_t doc,
                                                    LastStoredChunk& last);
// The stored text. Where the index stores none, the text of the file that the document is, as
// snippets have it (file_text.h). files: of the snapshot; nullptr if no file is to be read.
absl::StatusOr<FieldTexts> TextsOf(const Snapshot& snapshot, uint64_t doc, FileText* files,
                                   LastStoredChunk& last);
absl::StatusOr<std::string> IdOf(const Snapshot& snapshot, uint64_t doc);

}  // namespace pmdex
