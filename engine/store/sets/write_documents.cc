#include "engine/store/sets/write_documents.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/columns/field_type.h"
#include "engine/segment/merge/merge_input.h"
#include "pmem/text.h"

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

absl::StatusOr<FieldSpecs> JoinFields(const FieldSpecs& a, const FieldSpecs& b) {
  FieldSpecs joined = a;
  for (const auto& [name, spec] : b) {
    FieldSpec& field = joined.emplace(name, spec).first->second;
    if (field.type != spec.type) {
      return MakeStatus(
          absl::StatusCode::kFailedPrecondition,
          absl::StrCat("the field ", name, " is ", ToAbsl(ToString(field.type)),
                       " in one index and ", ToAbsl(ToString(spec.type)), " in the other"));
    }
    if (field.values == spec.values) continue;
    field.values = field.multi() || spec.multi() ? Multiplicity::kMany : Multiplicity::kOpen;
  }
  return joined;
}

}  // namespace pmdex
