#include "engine/segment/documents/doc_store.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr int kCompressionLevel = 1;  // ingest is bound by the processor, text shrinks well at 1

void AppendU32(std::string& out, uint32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Reads little-endian numbers and bytes from the front; every read is checked.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : rest_(bytes) {}

  bool Take(uint64_t size_bytes, std::string_view& out) {
    if (size_bytes > rest_.size()) return false;
    out = rest_.substr(0, size_bytes);
    rest_.remove_prefix(size_bytes);
    return true;
  }
  template <typename T>
  bool TakeNumber(T& out) {
    std::string_view bytes;
    if (!Take(sizeof(T), bytes)) return false;
    std::memcpy(&out, bytes.data(), sizeof(T));
    return true;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// Leaves the chunk in `last`.
absl::Status FetchChunk(const SegmentView& view, uint64_t index, LastStoredChunk& last) {
  const std::byte* table = view.RawSection(SectionKind::kStoredChunks).data();
  if (last.table == table && last.index == index) return absl::OkStatus();
  last.table = nullptr;
  PMDEX_ASSIGN_OR_RETURN(last.chunk, ReadStoredChunk(view, index));
  last.table = table;
  last.index = index;
  return absl::OkStatus();
}

// The values of a document, in the chunk that is then in `last`.
absl::StatusOr<std::string_view> FindDocument(const SegmentView& view, DocId doc,
                                              LastStoredChunk& last) {
  PMDEX_ASSIGN_OR_RETURN(const uint64_t index, FindStoredChunk(view, doc));
  PMDEX_RETURN_IF_ERROR(FetchChunk(view, index, last));
  ByteCursor cursor(last.chunk);
  std::string_view document;
  PMDEX_ASSIGN_OR_RETURN(const auto entry,
                         view.Array<StoredChunk>(SectionKind::kStoredChunks, index, 1));
  for (uint64_t current = entry[0].first_doc; current <= doc; ++current) {
    uint32_t size_bytes = 0;
    if (!cursor.TakeNumber(size_bytes) || !cursor.Take(size_bytes, document)) {
      return view.Damage(SectionKind::kStoredChunks, index * sizeof(StoredChunk),
                         "the chunk ends before the document");
    }
  }
  return document;
}

}  // namespace

DocStoreBuilder::DocStoreBuilder() = default;
DocStoreBuilder::~DocStoreBuilder() = default;
DocStoreBuilder::DocStoreBuilder(DocStoreBuilder&&) noexcept = default;
DocStoreBuilder& DocStoreBuilder::operator=(DocStoreBuilder&&) noexcept = default;

void DocStoreBuilder::FreeContext::operator()(ZSTD_CCtx_s* context) const {
  ZSTD_freeCCtx(context);
}

void DocStoreBuilder::AddDocument(std::span<const std::pair<FieldId, std::string_view>> values) {
  uint64_t size_bytes = 0;
  for (const auto& [field, text] : values) {
    size_bytes += kStoredValueBytes + text.size();
  }
  const uint32_t doc = next_doc_++;
  if (size_bytes > kMaxStoredDocumentBytes) {
    if (status_.ok()) {
      status_ = InvalidArgument(
          absl::StrCat("document ", doc, ": ", size_bytes, " bytes of stored text are too many"));
    }
    AppendU32(raw_, 0);
    return;
  }
  AppendU32(raw_, static_cast<uint32_t>(size_bytes));
  for (const auto& [field, text] : values) {
    raw_.append(reinterpret_cast<const char*>(&field), sizeof(field));
    AppendU32(raw_, static_cast<uint32_t>(text.size()));
    raw_.append(text);
  }
  if (raw_.size() >= kStoredChunkTargetBytes) CompressChunk();
}

void DocStoreBuilder::CompressChunk() {
  if (context_ == nullptr) {
    context_.reset(ZSTD_createCCtx());
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }
  scratch_.resize(std::max(scratch_.size(), ZSTD_compressBound(raw_.size())));
  const size_t size_bytes =
      ZSTD_compress2(context_.get(), scratch_.data(), scratch_.size(), raw_.data(), raw_.size());
  if (ZSTD_isError(size_bytes) != 0) {
    if (status_.ok()) {
      status_ = MakeStatus(absl::StatusCode::kInternal,
                           absl::StrCat("zstd: ", ZSTD_getErrorName(size_bytes)));
    }
  } else {
    Chunk chunk{{compressed_bytes_, first_doc_, static_cast<uint32_t>(raw_.size())},
                size_bytes,
                std::make_unique_for_overwrite<std::byte[]>(size_bytes)};
    std::memcpy(chunk.bytes.get(), scratch_.data(), size_bytes);
    chunks_.push_back(std::move(chunk));
    compressed_bytes_ += size_bytes;
  }
  if (raw_.size() >
      size_t{4} * kStoredChunkTargetBytes) {  // one huge document must not be held for ever
    raw_ = std::string();
    scratch_ = std::vector<std::byte>();
  }
  raw_.clear();
  first_doc_ = next_doc_;
}

absl::Status DocStoreBuilder::Finish() {
  if (!raw_.empty()) CompressChunk();
  return status_;
}

size_t DocStoreBuilder::memory_bytes() const {
  return compressed_bytes_ + chunks_.capacity() * sizeof(Chunk) + raw_.capacity() +
         scratch_.capacity() + (context_ != nullptr ? ZSTD_sizeof_CCtx(context_.get()) : 0);
}

absl::StatusOr<uint64_t> FindStoredChunk(const SegmentView& view, DocId doc) {
  const uint64_t entries = view.RawSection(SectionKind::kStoredChunks).size() / sizeof(StoredChunk);
  if (entries < 2) {
    return view.Damage(SectionKind::kStoredChunks, 0, "no chunk holds the document");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto table,
                         view.Array<StoredChunk>(SectionKind::kStoredChunks, 0, entries));
  const auto after =
      std::upper_bound(table.begin(), table.end(), doc,
                       [](DocId wanted, const StoredChunk& c) { return wanted < c.first_doc; });
  if (after == table.begin() || after == table.end()) {
    return view.Damage(SectionKind::kStoredChunks, 0, "no chunk holds the document");
  }
  return static_cast<uint64_t>(after - table.begin()) - 1;
}

absl::StatusOr<std::vector<std::pair<FieldId, std::string_view>>> ParseStoredValues(
    const SegmentView& view, uint64_t chunk_index, std::string_view document) {
  std::vector<std::pair<FieldId, std::string_view>> values;
  ByteCursor cursor(document);
  while (!cursor.empty()) {
    FieldId field = 0;
    uint32_t size_bytes = 0;
    std::string_view text;
    if (!cursor.TakeNumber(field) || !cursor.TakeNumber(size_bytes) ||
        !cursor.Take(size_bytes, text) ||
        (field >= view.header().field_count && field != kOriginalRecordField)) {
      return view.Damage(SectionKind::kStoredChunks, chunk_index * sizeof(StoredChunk),
                         "a stored value does not parse");
    }
    values.emplace_back(field, text);
  }
  return values;
}

absl::StatusOr<std::string> ReadStoredChunk(const SegmentView& view, uint64_t chunk_index) {
  PMDEX_ASSIGN_OR_RETURN(const auto pair,
                         view.Array<StoredChunk>(SectionKind::kStoredChunks, chunk_index, 2));
  const StoredChunk& chunk = pair[0];
  const uint64_t table_offset = chunk_index * sizeof(StoredChunk);
  if (pair[1].offset < chunk.offset || chunk.raw_bytes > kMaxStoredChunkBytes) {
    return view.Damage(SectionKind::kStoredChunks, table_offset, "a chunk entry makes no sense");
  }
  PMDEX_ASSIGN_OR_RETURN(const auto frame, view.Slice(SectionKind::kStoredBytes, chunk.offset,
                                                      pair[1].offset - chunk.offset));
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != chunk.raw_bytes) {
    return view.Damage(SectionKind::kStoredBytes, chunk.offset,
                       "the frame does not have the size that the chunk table says");
  }
  const std::unique_ptr<char[]> raw(new (std::nothrow) char[chunk.raw_bytes + size_t{1}]);
  if (raw == nullptr) {
    return MakeStatus(absl::StatusCode::kResourceExhausted, "no memory for a stored chunk");
  }
  const size_t raw_bytes = ZSTD_decompress(raw.get(), chunk.raw_bytes, frame.data(), frame.size());
  if (ZSTD_isError(raw_bytes) != 0 || raw_bytes != chunk.raw_bytes) {
    return view.Damage(SectionKind::kStoredBytes, chunk.offset, "the frame does not decompress");
  }
  return std::string(raw.get(), raw_bytes);
}

absl::StatusOr<std::vector<StoredValue>> ReadStoredText(const SegmentView& view, DocId doc,
                                                        LastStoredChunk& last) {
  PMDEX_ASSIGN_OR_RETURN(const std::string_view document, FindDocument(view, doc, last));
  PMDEX_ASSIGN_OR_RETURN(const auto stored, ParseStoredValues(view, last.index, document));
  std::vector<StoredValue> values;
  for (const auto& [field, text] : stored) {
    if (field != kOriginalRecordField) values.push_back({field, std::string(text)});
  }
  return values;
}

absl::StatusOr<std::optional<std::string>> ReadOriginalRecord(const SegmentView& view, DocId doc,
                                                              LastStoredChunk& last) {
  PMDEX_ASSIGN_OR_RETURN(const std::string_view document, FindDocument(view, doc, last));
  PMDEX_ASSIGN_OR_RETURN(const auto stored, ParseStoredValues(view, last.index, document));
  std::optional<std::string> record;
  for (const auto& [field, text] : stored) {
    if (field == kOriginalRecordField) record = text;
  }
  return record;
}

}  // namespace pmdex
