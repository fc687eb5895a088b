// Hostile segment bytes with a valid header checksum: whatever the file says, opening it, walking its
// dictionary, reading every list and document, and verifying it stay inside the mapping.
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/segment/segment.h"
#include "engine/segment/verifier.h"
#include "pmem/check.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

// The bytes in a buffer of exactly their size, 64 B aligned as a mapping would be: AddressSanitizer
// sees every step outside.
class ExactFile : public ReadableFile {
 public:
  explicit ExactFile(std::span<const uint8_t> data)
      : bytes_(static_cast<std::byte*>(::operator new(data.size(), std::align_val_t{64}))),
        size_(data.size()) {
    std::memcpy(bytes_, data.data(), data.size());
  }
  ~ExactFile() override { ::operator delete(bytes_, std::align_val_t{64}); }
  std::span<const std::byte> bytes() const override { return {bytes_, size_}; }
  std::span<std::byte> mutable_bytes() { return {bytes_, size_}; }
  absl::Status Populate(uint64_t, uint64_t) const override { return absl::OkStatus(); }
  absl::Status Health() const override { return absl::OkStatus(); }

 private:
  std::byte* bytes_;
  size_t size_;
};

void ReadLists(const Segment& segment, FieldId field) {
  std::vector<uint32_t> positions;
  TermIterator terms(segment.dictionary(), field);
  while (terms.Next()) {
    (void)segment.Find(field, terms.term());
    const auto list = segment.Postings(terms.slot());
    if (!list.ok()) continue;
    for (uint32_t i = 0; i < list->df; ++i) {
      (void)list->Freq(i);
      list->ReadPositions(i, positions);
    }
  }
}

void ReadEverything(const Segment& segment) {
  for (FieldId field = 0; field < segment.fields().size(); ++field) {
    (void)segment.norms(field);
    ReadLists(segment, field);
  }
  for (DocId doc = 0; doc < std::min<uint32_t>(segment.doc_count(), 1000); ++doc) {
    (void)segment.doc_id(doc);
    (void)segment.StoredText(doc);
  }
  (void)VerifySegment(segment, {});
}

}  // namespace
}  // namespace pmdex

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto file = std::make_unique<pmdex::ExactFile>(std::span(data, size));
  if (size >= pmdex::kHeaderPageBytes) {
    const std::span<std::byte> bytes = file->mutable_bytes();
    const uint64_t length = size;
    std::memcpy(bytes.data() + offsetof(pmdex::FileHeader, file_bytes), &length, sizeof length);
    const uint32_t crc = pmdex::Crc32c(bytes.first(pmdex::kHeaderCrcOffset));
    std::memcpy(bytes.data() + pmdex::kHeaderCrcOffset, &crc, sizeof crc);
  }
  const auto segment = pmdex::Segment::Open(std::move(file), "fuzzed", std::nullopt);
  if (segment.ok()) pmdex::ReadEverything(**segment);
  return 0;
}
