#include "engine/segment/merge/merged_stored_text.h"

#include <utility>

namespace pmdex {
namespace {

// No less than ZSTD_compressBound with a checksum.
uint64_t CompressedBound(uint64_t raw_bytes) {
  constexpr uint64_t kFrameBytes = 1024;
  return raw_bytes + raw_bytes / 128 + kFrameBytes;
}

}  // namespace

MergedStoredText::MergedStoredText(std::span<const MergeSource> sources, const MergedDocs& docs,
                                   const MergedFields& fields)
    : sources_(sources.begin(), sources.end()), docs_(docs), fields_(fields), documents_(sources) {}

bool MergedStoredText::IsCopied(size_t source, const StoredChunk& chunk, DocId end) const {
  if (!fields_.IsUnchanged(source) || chunk.raw_bytes < kStoredChunkTargetBytes) return false;
  for (DocId doc = chunk.first_doc; doc < end; ++doc) {
    if (!IsLive(sources_[source].live_docs, doc)) return false;
  }
  return true;
}

void MergedStoredText::EndChunk() {
  if (open_doc_ == next_doc_) return;
  chunks_.push_back({open_doc_, static_cast<uint32_t>(open_bytes_), kCompressed, 0});
  bytes_ += CompressedBound(open_bytes_);
  open_doc_ = next_doc_;
  open_bytes_ = 0;
}

void MergedStoredText::AddDocument(uint64_t raw_bytes) {
  ++next_doc_;
  open_bytes_ += raw_bytes;
  if (open_bytes_ >= kStoredChunkTargetBytes) EndChunk();
}

absl::Status MergedStoredText::PlanSource(size_t source) {
  PMDEX_ASSIGN_OR_RETURN(const auto table, StoredDocuments::TableOf(*sources_[source].segment));
  for (size_t i = 0; i + 1 < table.size(); ++i) {
    const DocId end = table[i + 1].first_doc;
    if (IsCopied(source, table[i], end)) {
      EndChunk();
      chunks_.push_back(
          {next_doc_, table[i].raw_bytes, static_cast<uint32_t>(source), static_cast<uint32_t>(i)});
      bytes_ += table[i + 1].offset - table[i].offset;
      next_doc_ += end - table[i].first_doc;
      open_doc_ = next_doc_;
      continue;
    }
    for (DocId doc = table[i].first_doc; doc < end; ++doc) {
      if (!IsLive(sources_[source].live_docs, doc)) continue;
      PMDEX_ASSIGN_OR_RETURN(const uint64_t raw_bytes, documents_.RawBytes(source, doc));
      AddDocument(raw_bytes);
    }
  }
  return absl::OkStatus();
}

// Reads the sizes of all documents source by source, because each chunk is then decompressed once.
absl::Status MergedStoredText::PlanPermuted() {
  std::vector<uint32_t> raw_bytes(docs_.count());
  for (size_t source = 0; source < sources_.size(); ++source) {
    PMDEX_RETURN_IF_ERROR(StoredDocuments::TableOf(*sources_[source].segment).status());
    for (DocId doc = 0; doc < sources_[source].segment->doc_count(); ++doc) {
      const DocId at = docs_.New(source, doc);
      if (at == MergedDocs::kDeleted) continue;
      PMDEX_ASSIGN_OR_RETURN(const uint64_t bytes, documents_.RawBytes(source, doc));
      raw_bytes[at] = static_cast<uint32_t>(bytes);
    }
  }
  for (const uint32_t bytes : raw_bytes) AddDocument(bytes);
  return absl::OkStatus();
}

absl::Status MergedStoredText::Plan() {
  if (docs_.is_permuted()) {
    PMDEX_RETURN_IF_ERROR(PlanPermuted());
  } else {
    for (size_t source = 0; source < sources_.size(); ++source) {
      PMDEX_RETURN_IF_ERROR(PlanSource(source));
    }
  }
  EndChunk();
  return absl::OkStatus();
}

StoredChunk MergedStoredText::chunk(size_t index) const {
  return {0, chunks_[index].first_doc, chunks_[index].raw_bytes};
}

absl::StatusOr<std::span<const std::byte>> MergedStoredText::Compress(DocId begin, DocId end) {
  compressed_ = DocStoreBuilder();
  MergedDocs::Place place;
  for (DocId doc = begin; doc < end; ++doc) {
    place = docs_.PlaceOf(doc, place);
    PMDEX_ASSIGN_OR_RETURN(auto values, documents_.Read(place.source, place.doc));
    for (auto& [field, text] : values) {
      if (field != kOriginalRecordField) field = fields_.New(place.source, field);
    }
    compressed_.AddDocument(values);
  }
  PMDEX_RETURN_IF_ERROR(compressed_.Finish());
  if (compressed_.chunk_count() != 1) {
    return MakeStatus(absl::StatusCode::kInternal, "documents of one chunk became several chunks");
  }
  return compressed_.chunk_bytes(0);
}

absl::StatusOr<std::span<const std::byte>> MergedStoredText::ChunkBytes(size_t index) {
  const Chunk& chunk = chunks_[index];
  if (chunk.source == kCompressed) {
    const bool is_last = index + 1 == chunks_.size();
    return Compress(chunk.first_doc, is_last ? docs_.count() : chunks_[index + 1].first_doc);
  }
  const SegmentView& view = sources_[chunk.source].segment->view();
  PMDEX_ASSIGN_OR_RETURN(const auto pair,
                         view.Array<StoredChunk>(SectionKind::kStoredChunks, chunk.index, 2));
  const uint64_t begin = pair[0].offset;
  const uint64_t end = pair[1].offset;
  if (begin > end) return view.Damage(SectionKind::kStoredChunks, "a chunk ends before it begins");
  return view.Slice(SectionKind::kStoredBytes, begin, end - begin);
}

}  // namespace pmdex
