// Finds the documents with an id in the segments of an index, for a writer that deletes documents
// by id again and again. It keeps a table of ids (document_ids.h) for each segment from one
// generation to the next, so that only new segments are read. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_set.h"

#include "engine/segment/segment.h"
#include "engine/store/document_ids.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

struct DocumentPlace {
  std::shared_ptr<const Segment> segment;
  DocId doc = 0;
};

class DocumentLocator {
 public:
  // Takes over the segments that the writer has now. Segments that it writes later are not
  // searched. Returns the errors of IndexWriter::OpenNext, and kDataLoss if ids are damaged.
  absl::Status Follow(IndexWriter& writer);

  // Finds all live documents with this id, ascending, and counts them as deleted from then on.
  // Requires that the caller deletes them with the writer.
  // Returns kDataLoss if a segment is damaged.
  absl::Status Take(std::string_view id,
                    const std::function<void(uint64_t segment_id, DocId doc)>& visit);
  // The document with this id; nullopt if there is none, or more than one. Errors as Take.
  absl::StatusOr<std::optional<DocumentPlace>> FindOnly(std::string_view id) const;
  // Calls visit for each live document; once for each segment where an id repeats, with nullptr in
  // place of the document. Ends with the first error of visit.
  absl::Status ForEachId(
      const std::function<absl::Status(std::string_view id, const DocumentPlace* place)>& visit)
      const;

 private:
  struct Located {
    std::shared_ptr<const Segment> segment;  // that the table reads
    DocumentIds ids;                         // of documents that were live when it was made
    absl::flat_hash_set<DocId> deleted;      // since then
  };
  std::map<uint64_t, Located> segments_;  // by id of the segment
};

}  // namespace pmdex
