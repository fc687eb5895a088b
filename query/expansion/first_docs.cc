#include "query/expansion/first_docs.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace pmdex {

absl::Status FirstDocs::Add(const DocumentsView& list) {
  added_ = 0;
  if (list.docids == nullptr && list.bits == nullptr) return AddUnits(list);
  if (!list.mapped.empty()) return AddMapped(list);
  AddDocids({list.docids, list.df});
  return absl::OkStatus();
}

absl::Status FirstDocs::AddMapped(const DocumentsView& list) {
  constexpr size_t kPieceBytes = 4096;
  bool more = true;
  for (size_t at = 0; more && at < list.mapped.size(); at += kPieceBytes) {
    DocumentsView piece;
    piece.mapped = list.mapped.subspan(at, std::min(kPieceBytes, list.mapped.size() - at));
    PMDEX_RETURN_IF_ERROR(segment_.VerifyDocuments(piece));
    more =
        list.bits != nullptr
            ? AddBits({list.bits + at / sizeof(uint64_t), piece.mapped.size() / sizeof(uint64_t)},
                      static_cast<DocId>(at * 8))
            : AddDocids({list.docids + at / sizeof(DocId), piece.mapped.size() / sizeof(DocId)});
  }
  return absl::OkStatus();
}

absl::Status FirstDocs::AddUnits(const DocumentsView& list) {
  UnitDocuments units = segment_.CompressedDocuments(list);
  for (;;) {
    PMDEX_ASSIGN_OR_RETURN(const std::span<const DocId> docs, units.Next());
    if (docs.empty() || !AddDocids(docs)) return absl::OkStatus();
  }
}

bool FirstDocs::AddDocids(std::span<const DocId> docs) {
  for (const DocId doc : docs) {
    if (!AddDoc(doc)) return false;
  }
  return true;
}

bool FirstDocs::AddBits(std::span<const uint64_t> words, DocId first_doc) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (uint64_t bits = words[i]; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<DocId>(std::countr_zero(bits));
      if (!AddDoc(first_doc + static_cast<DocId>(i * 64) + bit)) return false;
    }
  }
  return true;
}

bool FirstDocs::AddDoc(DocId doc) {
  if (doc >= end_) {
    if (doc < segment_.doc_count()) return false;
    context_.ReportDamage("a list holds docid " + std::to_string(doc) + ", beyond the " +
                          std::to_string(segment_.doc_count()) + " documents");
    return false;
  }
  if (!context_.IsLive(doc)) return true;
  docs_.push_back(doc);
  // Twice as many as wanted, so that a document costs no more than its share of sorting.
  if (docs_.size() >= 2 * most_) Shrink();
  return ++added_ < most_;
}

void FirstDocs::Shrink() {
  std::sort(docs_.begin(), docs_.end());
  docs_.erase(std::unique(docs_.begin(), docs_.end()), docs_.end());
  if (docs_.size() < most_) return;
  docs_.resize(most_);
  end_ = docs_.back();
}

std::vector<DocId> FirstDocs::Take() {
  Shrink();
  return std::move(docs_);
}

}  // namespace pmdex
