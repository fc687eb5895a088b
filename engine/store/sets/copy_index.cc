#include "engine/store/sets/copy_index.h"

#include <vector>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

std::vector<DocId> DeletedOf(const LiveDocs& live) {
  std::vector<DocId> deleted;
  for (DocId doc = 0; doc < live.doc_count(); ++doc) {
    if (!live.IsLive(doc)) deleted.push_back(doc);
  }
  return deleted;
}

}  // namespace

absl::Status CopyIndex(const Snapshot& source, const std::function<bool()>& stop,
                       IndexWriter& writer) {
  if (!source.quarantined().empty()) {
    const QuarantinedSegment& missing = source.quarantined().front();
    return DataLoss(absl::StrCat(missing.file_name,
                                 " does not answer, and a copy without it "
                                 "would not be whole: ",
                                 ToAbsl(Message(missing.reason))));
  }
  for (size_t i = 0; i < source.segments().size(); ++i) {
    if (stop && stop()) return MakeStatus(absl::StatusCode::kCancelled, "the copy was stopped");
    PMDEX_ASSIGN_OR_RETURN(const SegmentFileInfo copied,
                           writer.AddCopy(*source.segments()[i], source.listed(i)));
    if (const LiveDocs* live = source.live_docs(i); live != nullptr) {
      PMDEX_RETURN_IF_ERROR(writer.Delete(copied.segment_id, DeletedOf(*live)).status());
    }
  }
  writer.SetFields(source.manifest().fields);
  return absl::OkStatus();
}

}  // namespace pmdex
