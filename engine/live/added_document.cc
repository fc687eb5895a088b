#include "engine/live/added_document.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "engine/segment/documents/doc_store.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

// The bytes of the allocations of a document, besides its text.
constexpr size_t kDocumentOverhead = 128;
constexpr size_t kFieldOverhead = 96;

size_t MemoryOf(const AddedDocument& document) {
  size_t size_bytes = kDocumentOverhead + document.id.size() + document.record.size();
  for (const auto& [name, text] : document.fields) {
    size_bytes += kFieldOverhead + name.size() + text.size();
  }
  return size_bytes;
}

}  // namespace

absl::Status CheckAddedDocument(const AddedDocument& document) {
  if (document.id.empty()) return InvalidArgument("a document needs an id");
  if (document.id.size() > MemtableLimits::kMaxIdBytes) {
    return InvalidArgument(absl::StrCat("the id has ", document.id.size(), " bytes, more than ",
                                        MemtableLimits::kMaxIdBytes));
  }
  // Each byte may become a token, and each value leaves a gap in the positions.
  constexpr uint64_t kMostBytes =
      std::min<uint64_t>(MemtableLimits::kMaxDocTokens, kMaxStoredDocumentBytes) - 1;
  uint64_t needed = 0;
  for (const auto& [name, text] : document.fields) {
    if (name.empty()) return InvalidArgument("a field needs a name");
    needed += text.size() + kPositionGap + kStoredValueBytes;
  }
  if (needed > kMostBytes) {
    return InvalidArgument(
        absl::StrCat("the document takes ", needed, " bytes, more than ", kMostBytes));
  }
  return absl::OkStatus();
}

void AddToMemtable(const AddedDocument& document, Memtable& memtable) {
  memtable.BeginDocument(document.id);
  if (!document.record.empty()) memtable.StoreRecord(document.record);
  for (const auto& [name, text] : document.fields) memtable.AddField(name, text);
  memtable.EndDocument();
}

void AddedDocuments::Append(AddedDocumentPointer document) {
  memory_bytes_ += MemoryOf(*document);
  documents_.push_back(std::move(document));
}

std::vector<AddedDocumentPointer> AddedDocuments::Range(uint64_t begin, uint64_t end) const {
  PMDEX_CHECK(begin_ <= begin && begin <= end && end <= this->end());
  const auto first = documents_.begin() + static_cast<std::ptrdiff_t>(begin - begin_);
  return {first, first + static_cast<std::ptrdiff_t>(end - begin)};
}

void AddedDocuments::DropBefore(uint64_t number) {
  PMDEX_CHECK(number <= end());
  while (begin_ < number) {
    memory_bytes_ -= MemoryOf(*documents_.front());
    documents_.pop_front();
    ++begin_;
  }
}

}  // namespace pmdex
