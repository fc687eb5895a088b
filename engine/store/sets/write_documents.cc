#include "engine/store/sets/write_documents.h"

#include <utility>
#include <vector>

#include "engine/segment/merge/merge_input.h"

namespace pmdex {
namespace {

absl::Status WriteMerged(std::vector<MergeSource> sources, const std::function<bool()>& stop,
                         IndexWriter& writer) {
  PMDEX_ASSIGN_OR_RETURN(const auto input, MergeInput::Open(std::move(sources), {{}, stop}));
  const auto written = writer.WriteSegment(*input);
  PMDEX_RETURN_IF_ERROR(input->status());
  return written.status();
}

}  // namespace

absl::Status WriteDocuments(const ChosenDocuments& documents, const WriteDocumentsOptions& options,
                            IndexWriter& writer) {
  std::vector<MergeSource> sources;
  uint64_t bytes = 0;
  for (const ChosenSegment& chosen : documents) {
    if (!sources.empty() && bytes + chosen.segment->file_bytes() > options.most_merged_bytes) {
      PMDEX_RETURN_IF_ERROR(WriteMerged(std::exchange(sources, {}), options.stop, writer));
      bytes = 0;
    }
    sources.push_back({chosen.segment, chosen.docs.get()});
    bytes += chosen.segment->file_bytes();
  }
  if (sources.empty()) return absl::OkStatus();
  return WriteMerged(std::move(sources), options.stop, writer);
}

}  // namespace pmdex
