#include "engine/segment/merge/stored_documents.h"

#include <algorithm>
#include <cstring>

#include "engine/segment/documents/doc_store.h"

namespace pmdex {
namespace {

absl::Status ChunkDamage(const Segment& segment, size_t index, std::string_view what) {
  return segment.view().Damage(SectionKind::kStoredChunks, index * sizeof(StoredChunk), what);
}

}  // namespace

absl::StatusOr<std::span<const StoredChunk>> StoredDocuments::TableOf(const Segment& segment) {
  const uint64_t count =
      segment.view().RawSection(SectionKind::kStoredChunks).size() / sizeof(StoredChunk);
  PMDEX_ASSIGN_OR_RETURN(const auto table,
                         segment.view().Array<StoredChunk>(SectionKind::kStoredChunks, 0, count));
  if (count == 0 || table[count - 1].first_doc != segment.doc_count() ||
      (count == 1) != (segment.doc_count() == 0) || table[0].first_doc != 0) {
    return ChunkDamage(segment, 0, "the chunks do not hold the segment's documents");
  }
  for (size_t i = 1; i < count; ++i) {
    if (table[i].first_doc <= table[i - 1].first_doc || table[i].offset < table[i - 1].offset) {
      return ChunkDamage(segment, i, "the chunks do not ascend");
    }
  }
  return table;
}

absl::StatusOr<StoredDocuments::Chunk> StoredDocuments::Decompress(const Segment& segment,
                                                                   size_t index,
                                                                   const StoredChunk& entry,
                                                                   DocId end) const {
  Chunk chunk;
  chunk.first_doc = entry.first_doc;
  PMDEX_ASSIGN_OR_RETURN(chunk.bytes, ReadStoredChunk(segment.view(), index));
  uint64_t at = 0;
  for (DocId doc = entry.first_doc; doc < end; ++doc) {
    uint32_t size_bytes = 0;
    if (chunk.bytes.size() - at < sizeof(size_bytes)) {
      return ChunkDamage(segment, index, "the chunk ends before its last document");
    }
    std::memcpy(&size_bytes, chunk.bytes.data() + at, sizeof(size_bytes));
    at += sizeof(size_bytes);
    if (size_bytes > chunk.bytes.size() - at) {
      return ChunkDamage(segment, index, "a document ends behind its chunk");
    }
    at += size_bytes;
    chunk.ends.push_back(static_cast<uint32_t>(at));
  }
  return chunk;
}

absl::StatusOr<const StoredDocuments::Chunk*> StoredDocuments::ChunkOf(size_t source, DocId doc) {
  if (last_ != nullptr && last_key_.first == source && doc >= last_->first_doc &&
      doc - last_->first_doc < last_->ends.size()) {
    return last_;
  }
  const Segment& segment = *sources_[source].segment;
  PMDEX_ASSIGN_OR_RETURN(const uint64_t index, FindStoredChunk(segment.view(), doc));
  last_key_ = {source, index};
  if (const auto found = chunks_.find(last_key_); found != chunks_.end()) {
    last_ = found->second.get();
    return last_;
  }
  last_ = nullptr;
  PMDEX_ASSIGN_OR_RETURN(const auto table,
                         segment.view().Array<StoredChunk>(SectionKind::kStoredChunks, index, 2));
  PMDEX_ASSIGN_OR_RETURN(Chunk chunk, Decompress(segment, index, table[0], table[1].first_doc));
  while (!oldest_.empty() && cached_bytes_ + chunk.bytes.size() > kCacheBytes) {
    const auto oldest = chunks_.find(oldest_.front());
    cached_bytes_ -= oldest->second->bytes.size();
    chunks_.erase(oldest);
    oldest_.pop_front();
  }
  cached_bytes_ += chunk.bytes.size();
  oldest_.push_back(last_key_);
  last_ = (chunks_[last_key_] = std::make_unique<const Chunk>(std::move(chunk))).get();
  return last_;
}

absl::StatusOr<std::string_view> StoredDocuments::DocumentOf(size_t source, DocId doc) {
  PMDEX_ASSIGN_OR_RETURN(const Chunk* chunk, ChunkOf(source, doc));
  const size_t number = doc - chunk->first_doc;
  if (number >= chunk->ends.size()) {
    return ChunkDamage(*sources_[source].segment, last_key_.second, "the document is not there");
  }
  const size_t begin = (number == 0 ? 0 : chunk->ends[number - 1]) + sizeof(uint32_t);
  return std::string_view(chunk->bytes).substr(begin, chunk->ends[number] - begin);
}

absl::StatusOr<uint64_t> StoredDocuments::RawBytes(size_t source, DocId doc) {
  PMDEX_ASSIGN_OR_RETURN(const std::string_view document, DocumentOf(source, doc));
  return document.size() + sizeof(uint32_t);
}

absl::StatusOr<StoredDocuments::Values> StoredDocuments::Read(size_t source, DocId doc) {
  PMDEX_ASSIGN_OR_RETURN(const std::string_view document, DocumentOf(source, doc));
  return ParseStoredValues(sources_[source].segment->view(), last_key_.second, document);
}

}  // namespace pmdex
