#include "engine/segment/merge/merge_input.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/merge/merged_terms.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kMostFields = size_t{1} << 16;
constexpr DocId kDocsBetweenStops = 1 << 14;

absl::Status CheckSame(std::span<const MergeSource> sources) {
  const Segment& first = *sources[0].segment;
  for (const MergeSource& source : sources) {
    const Segment& segment = *source.segment;
    if (segment.analyzer() != first.analyzer() ||
        segment.has_positions() != first.has_positions() ||
        segment.has_stored_text() != first.has_stored_text()) {
      return InvalidArgument(absl::StrCat(segment.file_name(), " and ", first.file_name(),
                                          ": segments of different settings cannot be merged"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

MergeInput::MergeInput(std::vector<MergeSource> sources, MergedDocs docs, MergeInputOptions options)
    : sources_(std::move(sources)),
      stop_(std::move(options.stop)),
      other_ids_(options.ids),
      other_columns_(options.columns),
      docs_(std::move(docs)),
      merged_fields_(sources_),
      columns_(sources_, docs_, stop_),
      stored_text_(sources_, docs_, merged_fields_) {}

absl::StatusOr<std::unique_ptr<MergeInput>> MergeInput::Open(std::vector<MergeSource> sources,
                                                             MergeInputOptions options) {
  PMDEX_CHECK(!sources.empty());
  PMDEX_RETURN_IF_ERROR(CheckSame(sources));
  auto docs = options.order.empty() ? MergedDocs::Concatenate(sources)
                                    : MergedDocs::Permute(sources, options.order);
  if (!docs.ok()) return docs.status();
  options.order = {};
  std::unique_ptr<MergeInput> input(
      new MergeInput(std::move(sources), *std::move(docs), std::move(options)));
  if (input->merged_fields_.names().size() > kMostFields) {
    return InvalidArgument("the segments have too many fields for one segment");
  }
  PMDEX_CHECK(input->other_ids_.empty() || input->other_ids_.size() == input->doc_count());
  if (input->other_columns_ == nullptr) PMDEX_RETURN_IF_ERROR(input->columns_.Check());
  PMDEX_RETURN_IF_ERROR(input->CountFields());
  if (input->has_stored_text()) PMDEX_RETURN_IF_ERROR(input->stored_text_.Plan());
  return input;
}

// The documents and tokens of each field. Where documents are deleted, the norms tell which are
// left; their tokens are counted when the terms are read (OpenTerms).
absl::Status MergeInput::CountFields() {
  for (size_t i = 0; i < merged_fields_.names().size(); ++i) {
    const auto field = static_cast<FieldId>(i);
    SegmentField& merged = fields_.emplace_back();
    merged.name = merged_fields_.names()[i];
    for (size_t source = 0; source < sources_.size(); ++source) {
      const std::optional<FieldId> of = merged_fields_.Of(source, field);
      if (!of.has_value()) continue;
      const Segment& segment = *sources_[source].segment;
      if (!docs_.has_deleted(source)) {
        merged.doc_count += segment.fields()[*of].doc_count;
        continue;
      }
      PMDEX_ASSIGN_OR_RETURN(const auto norms, segment.norms(*of));
      for (DocId doc = 0; doc < norms.size(); ++doc) {
        if (norms[doc] != 0 && sources_[source].live_docs->IsLive(doc)) ++merged.doc_count;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status MergeInput::status() const {
  if (!status_.ok()) return status_.Get();
  for (const MergeSource& source : sources_) PMDEX_RETURN_IF_ERROR(source.segment->Health());
  return absl::OkStatus();
}

absl::Status MergeInput::FillNorms(FieldId field) const {
  norms_.assign(docs_.count(), 0);
  for (size_t source = 0; source < sources_.size(); ++source) {
    const std::optional<FieldId> of = merged_fields_.Of(source, field);
    if (!of.has_value()) continue;
    PMDEX_ASSIGN_OR_RETURN(const auto norms, sources_[source].segment->norms(*of));
    if (const std::optional<DocId> shift = docs_.shift(source); shift.has_value()) {
      std::copy(norms.begin(), norms.end(), norms_.begin() + *shift);
      continue;
    }
    for (DocId doc = 0; doc < norms.size(); ++doc) {
      const DocId at = docs_.New(source, doc);
      if (at != MergedDocs::kDeleted) norms_[at] = norms[doc];
    }
  }
  return absl::OkStatus();
}

std::span<const uint8_t> MergeInput::norms(FieldId field) const {
  if (norms_field_ != field) {
    norms_field_ = field;
    status_.Set(FillNorms(field));
  }
  return norms_;
}

std::string_view MergeInput::doc_id(DocId doc) const {
  if (doc % kDocsBetweenStops == 0 && stop_ && stop_()) {
    status_.Set(MakeStatus(absl::StatusCode::kCancelled, "the merge was cancelled"));
  }
  if (!status_.ok()) return {};
  if (!other_ids_.empty()) return other_ids_[doc];
  place_ = docs_.PlaceOf(doc, place_);
  const absl::StatusOr<std::string_view> id =
      sources_[place_.source].segment->doc_id(place_.doc, id_);
  status_.Set(id.status());
  return id.ok() ? *id : std::string_view();
}

std::span<const std::byte> MergeInput::stored_chunk_bytes(size_t index) const {
  if (stop_ && stop_()) {
    status_.Set(MakeStatus(absl::StatusCode::kCancelled, "the merge was cancelled"));
  }
  if (!status_.ok()) return {};
  const auto bytes = stored_text_.ChunkBytes(index);
  status_.Set(bytes.status());
  return bytes.ok() ? *bytes : std::span<const std::byte>();
}

std::unique_ptr<TermStream> MergeInput::OpenTerms() {
  for (SegmentField& field : fields_) field.token_count = 0;
  return std::make_unique<MergedTerms>(sources_, docs_, merged_fields_, std::nullopt, stop_,
                                       fields_, status_);
}

std::unique_ptr<TermStream> MergeInput::OpenSomeTerms(std::span<const uint32_t> numbers) {
  return std::make_unique<MergedTerms>(sources_, docs_, merged_fields_, numbers, stop_,
                                       std::span<SegmentField>(), status_);
}

}  // namespace pmdex
