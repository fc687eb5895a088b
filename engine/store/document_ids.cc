#include "engine/store/document_ids.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "pmem/checksum.h"

namespace pmdex {
namespace {

constexpr int kDocBits = 48;
constexpr uint64_t kDocMask = (uint64_t{1} << kDocBits) - 1;

uint64_t HashOf(std::string_view id) {
  return Xxh3(std::as_bytes(std::span(id)));
}

uint64_t SlotValue(uint64_t hash, uint64_t doc) {
  return (hash & ~kDocMask) | (doc + 1);
}

uint64_t DocOf(uint64_t slot_value) {
  return (slot_value & kDocMask) - 1;
}

}  // namespace

DocumentIds::DocumentIds(std::vector<Part> parts) : parts_(std::move(parts)) {
  uint64_t documents = 0;
  for (const Part& part : parts_) {
    documents +=
        part.live_docs == nullptr ? part.segment->doc_count() : part.live_docs->live_count();
  }
  slots_.resize(std::bit_ceil(std::max<uint64_t>(8, documents + documents / 3 + 1)));
}

absl::StatusOr<DocumentIds> DocumentIds::Build(std::vector<Part> parts) {
  DocumentIds ids(std::move(parts));
  std::string buffer;
  for (const Part& part : ids.parts_) {
    for (DocId doc = 0; doc < part.segment->doc_count(); ++doc) {
      if (!IsLive(part.live_docs, doc)) continue;
      PMDEX_ASSIGN_OR_RETURN(const std::string_view id,
                             part.segment->Checked(part.segment->doc_id(doc, buffer)));
      const uint64_t hash = HashOf(id);
      PMDEX_ASSIGN_OR_RETURN(const size_t slot, ids.SlotOf(id, hash));
      const uint64_t number = part.doc_base + doc;
      if (ids.slots_[slot] != 0) ids.repeats_.push_back({number, DocOf(ids.slots_[slot])});
      ids.slots_[slot] = SlotValue(hash, number);
    }
    PMDEX_RETURN_IF_ERROR(part.segment->Health());
  }
  return ids;
}

absl::StatusOr<std::optional<uint64_t>> DocumentIds::Find(std::string_view id) const {
  PMDEX_ASSIGN_OR_RETURN(const size_t slot, SlotOf(id, HashOf(id)));
  if (slots_[slot] == 0) return std::optional<uint64_t>();
  return std::optional<uint64_t>(DocOf(slots_[slot]));
}

absl::StatusOr<std::vector<uint64_t>> DocumentIds::FindAll(std::string_view id) const {
  std::vector<uint64_t> docs;
  PMDEX_ASSIGN_OR_RETURN(const std::optional<uint64_t> latest, Find(id));
  if (!latest.has_value()) return docs;
  docs.push_back(*latest);
  while (true) {
    const auto repeat = std::lower_bound(repeats_.begin(), repeats_.end(), docs.back(),
                                         [](const Repeat& a, uint64_t doc) { return a.doc < doc; });
    if (repeat == repeats_.end() || repeat->doc != docs.back()) break;
    docs.push_back(repeat->earlier);
  }
  std::reverse(docs.begin(), docs.end());
  return docs;
}

absl::StatusOr<std::string_view> DocumentIds::IdOf(uint64_t doc, std::string& buffer) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), doc,
                       [](uint64_t wanted, const Part& part) { return wanted < part.doc_base; });
  const Part& part = *(after - 1);
  return part.segment->Checked(
      part.segment->doc_id(static_cast<DocId>(doc - part.doc_base), buffer));
}

absl::StatusOr<size_t> DocumentIds::SlotOf(std::string_view id, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  std::string buffer;
  for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const uint64_t value = slots_[slot];
    if (value == 0) return slot;
    if ((value & ~kDocMask) != (hash & ~kDocMask)) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view other, IdOf(DocOf(value), buffer));
    if (other == id) return slot;
  }
}

}  // namespace pmdex
