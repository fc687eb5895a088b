#include "engine/ingest/moved_documents.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/columns/column_key.h"
#include "engine/columns/column_view.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/segment/live_docs.h"
#include "engine/segment/merge/merge_input.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

EntryView ViewOf(const Entry& entry) {
  return {entry.facts, entry.acl, entry.target,
          entry.parents == nullptr ? std::string_view() : *entry.parents};
}

// The value that a document has in a column of integers or dates. nullopt if it has not exactly
// one.
std::optional<uint64_t> OnlyBitsOf(const DocumentPlace& place, std::string_view name) {
  const ColumnView* const column = place.segment->FindColumn(name);
  if (column == nullptr || column->type() == FieldType::kKeyword) return std::nullopt;
  const auto values = column->ValuesOf(place.doc);
  if (!values.ok() || values->count != 1) return std::nullopt;
  const auto key = column->KeyAt(values->first);
  return key.ok() ? std::optional(BitsOfKey(column->type(), *key)) : std::nullopt;
}

// True if the text of the document was read from this file, and not from another one that took its
// path after somebody had looked at it.
bool IsReadFrom(const DocumentPlace& place, const EntryFacts& facts) {
  return OnlyBitsOf(place, attribute::kInode) == facts.inode &&
         OnlyBitsOf(place, attribute::kDevice) == facts.device &&
         OnlyBitsOf(place, attribute::kMtime) == static_cast<uint64_t>(facts.mtime_ns);
}

// The segments of the documents, which are sorted by segment. Of each only these documents count as
// live.
struct MovedSources {
  std::vector<std::unique_ptr<const LiveDocs>> docs;
  std::vector<MergeSource> sources;
};

MovedSources MovedSourcesOf(std::span<const MovedDocument> documents) {
  MovedSources all;
  for (size_t begin = 0; begin < documents.size();) {
    const Segment& segment = *documents[begin].place.segment;
    std::vector<uint64_t> words(LiveDocs::WordCount(segment.doc_count()));
    size_t end = begin;
    for (; end < documents.size() && documents[end].place.segment.get() == &segment; ++end) {
      const DocId doc = documents[end].place.doc;
      PMDEX_CHECK((words[doc / 64] >> (doc % 64) & 1) == 0);
      words[doc / 64] |= uint64_t{1} << (doc % 64);
    }
    const auto owner = std::make_shared<const std::vector<uint64_t>>(std::move(words));
    all.docs.push_back(std::make_unique<const LiveDocs>(
        segment.doc_count(), static_cast<uint32_t>(end - begin), *owner, owner));
    all.sources.push_back({&segment, all.docs.back().get()});
    begin = end;
  }
  return all;
}

}  // namespace

std::span<const DocumentField> MovedDocuments::Describe(const MovedDocument& document) {
  resolver_.BeginDocument(0);
  return attributes_.Describe(document.path, ViewOf(document.entry), /*has_text=*/true);
}

bool MovedDocuments::Add(MovedDocument document) {
  if (!IsReadFrom(document.place, document.entry.facts)) return false;
  for (const DocumentField& field : Describe(document)) {
    if (resolver_.Resolve(field).kind == ResolvedValue::Kind::kText) return false;
  }
  documents_.push_back(std::move(document));
  return true;
}

void MovedDocuments::AddColumns(DocId doc, ColumnSetBuilder& columns) {
  for (const DocumentField& field : Describe(documents_[doc])) {
    const ResolvedValue resolved = resolver_.Resolve(field);
    if (resolved.kind == ResolvedValue::Kind::kColumn) {
      columns.Add(field.name, doc, resolved.value);
    }
  }
}

absl::Status MovedDocuments::Write(IndexWriter& writer) {
  if (documents_.empty()) return absl::OkStatus();
  std::sort(documents_.begin(), documents_.end(),
            [](const MovedDocument& a, const MovedDocument& b) {
              return std::tuple(a.place.segment->segment_id(), a.place.doc) <
                     std::tuple(b.place.segment->segment_id(), b.place.doc);
            });
  std::vector<std::string> ids;
  ColumnSetBuilder columns;
  for (const MovedDocument& document : documents_) {
    AddColumns(static_cast<DocId>(ids.size()), columns);
    ids.push_back(document.path);
  }
  const MovedSources sources = MovedSourcesOf(documents_);
  MergeInputOptions options;
  options.ids = ids;
  options.columns = &columns;
  PMDEX_ASSIGN_OR_RETURN(const auto input, MergeInput::Open(sources.sources, std::move(options)));
  const auto written = writer.WriteSegment(*input);
  absl::Status read = input->status();
  if (read.ok() || !written.ok()) return read.ok() ? written.status() : read;
  std::vector<DocId> all(ids.size());
  std::iota(all.begin(), all.end(), 0);
  PMDEX_RETURN_IF_ERROR(writer.Delete(written->segment_id, all).status());
  return read;
}

}  // namespace pmdex
