// The deletions of an IndexWriter that are not published yet: the live documents of the segments
// that have changed since the last Publish. Publish writes them as files and lists these in the
// manifest. Belongs to one IndexWriter; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "engine/segment/format.h"
#include "engine/segment/live_docs.h"
#include "engine/store/manifest.h"
#include "engine/store/manifest_segment.h"
#include "engine/store/own_files.h"
#include "engine/store/placement/writable_places.h"
#include "pmem/directory.h"
#include "pmem/status.h"

namespace pmdex {

class PendingDeletions {
 public:
  // Deletes documents of a segment that lies in this directory. Returns how many of them were live,
  // and the errors of ReadLiveDocs. Requires that they are below its doc_count.
  absl::StatusOr<uint64_t> Add(const Directory& directory, const ManifestSegment& listed,
                               std::span<const DocId> docs);
  // The live documents of a segment, these deletions included; nullptr if all are live.
  absl::StatusOr<std::shared_ptr<const LiveDocs>> Find(const Directory& directory,
                                                       const ManifestSegment& listed) const;
  // The live documents of a segment whose deletions changed since the last Publish; else nullptr.
  std::shared_ptr<const LiveDocs> Changed(uint64_t segment_id) const;
  // Gives live documents to a segment or a kept copy that has no file of them yet: its entry says
  // so on return. nullptr: all are live.
  void Give(ManifestSegment& to, std::shared_ptr<const LiveDocs> live_docs);
  // Gives the live documents of the segment `from` to `to`, which stands in its place and has no
  // file of live documents yet: its entry says so on return. nullptr: all are live.
  void Move(uint64_t from, ManifestSegment& to, std::shared_ptr<const LiveDocs> live_docs);

  // Writes the changed live documents of the manifest's segments and kept copies beside these, and
  // lists the files in the manifest. Takes segments without live documents off it, and their
  // copies. Takes a copy off the manifest, too, if its live documents cannot be written, because it
  // would show deleted documents. The files are durable once their directories are synced. After an
  // error it has removed them again, if it can, and the manifest may list some of them.
  absl::Status Write(const WritablePlaces& places, const TakenNames& taken,
                     Manifest& manifest) const;
  bool empty() const { return changed_.empty(); }
  // Forgets all deletions, because they are published.
  void Clear() { changed_.clear(); }

 private:
  // Writes the live documents of a copy if they changed, and lists the file in its entry.
  absl::Status WriteOfCopy(const WritablePlaces& places, const TakenNames& taken,
                           KeptCopy& copy) const;

  std::map<uint64_t, std::shared_ptr<const LiveDocs>> changed_;  // keyed by segment id
};

}  // namespace pmdex
