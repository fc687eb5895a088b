#include "query/cursor/doc_set.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>

namespace pmdex {
namespace {

// A set with more than one document in so many becomes dense: clearing a bitset and setting bits in
// it then costs less than sorting. Measured by expansion_bench.
constexpr uint32_t kDenseFraction = 4096;

void Set(uint64_t* words, DocId doc) {
  words[doc / 64] |= uint64_t{1} << (doc % 64);
}

// How many documents precede the first one that is not below `end`. A pass without branches nearly
// always finds that all are below; only a damaged list is searched for the place.
size_t CountBelow(std::span<const DocId> docs, DocId end) {
  DocId greatest = 0;
  for (const DocId doc : docs) greatest = std::max(greatest, doc);
  if (greatest < end) return docs.size();
  return static_cast<size_t>(
      std::find_if(docs.begin(), docs.end(), [end](DocId doc) { return doc >= end; }) -
      docs.begin());
}

}  // namespace

void DocSet::MakeDense() {
  dense_ = true;
  words_.assign((uint64_t{doc_count_} + 63) / 64, 0);
  for (const DocId doc : sparse_) Set(words_.data(), doc);
  std::vector<DocId>().swap(sparse_);
}

void DocSet::ReportBeyond(std::string_view what, CursorContext& context) const {
  context.ReportDamage(std::string(what) + " beyond the " + std::to_string(doc_count_) +
                       " documents");
}

void DocSet::Add(const DocumentsView& list, CursorContext& context) {
  size_bound_ += list.df;
  if (list.bits != nullptr) return AddBits(list, context);
  if (!dense_ && sparse_.size() + list.df > doc_count_ / kDenseFraction) MakeDense();
  const size_t sound = CountBelow({list.docids, list.df}, doc_count_);
  if (sound != list.df) {
    ReportBeyond("a posting holds docid " + std::to_string(list.docids[sound]) + ",", context);
  }
  const std::span<const DocId> docs(list.docids, sound);
  if (dense_) {
    uint64_t* const words = words_.data();
    for (const DocId doc : docs) Set(words, doc);
  } else {
    sparse_.insert(sparse_.end(), docs.begin(), docs.end());
  }
}

void DocSet::AddBits(const DocumentsView& list, CursorContext& context) {
  if (!dense_) MakeDense();
  for (size_t word = 0; word < words_.size(); ++word) words_[word] |= list.bits[word];
  const uint64_t in_last =
      doc_count_ % 64 != 0 ? (uint64_t{1} << (doc_count_ % 64)) - 1 : ~uint64_t{0};
  uint64_t behind = words_.back() & ~in_last;
  words_.back() &= in_last;
  for (size_t word = words_.size(); word < BitsetWords(doc_count_); ++word) {
    behind |= list.bits[word];
  }
  if (behind != 0) ReportBeyond("a bitset has a document", context);
}

void DocSet::Finish() {
  std::sort(sparse_.begin(), sparse_.end());
  sparse_.erase(std::unique(sparse_.begin(), sparse_.end()), sparse_.end());
}

DocId DocSet::FirstFrom(DocId target, size_t& hint) const {
  if (target >= doc_count_) return kEndOfDocs;
  if (!dense_) {
    // For DocSetCursor::Next() the element is at the hint or right after it.
    if (hint < sparse_.size() && sparse_[hint] < target) ++hint;
    if (hint < sparse_.size() && sparse_[hint] < target) {
      hint = static_cast<size_t>(
          std::lower_bound(sparse_.begin() + static_cast<ptrdiff_t>(hint), sparse_.end(), target) -
          sparse_.begin());
    }
    return hint < sparse_.size() ? sparse_[hint] : kEndOfDocs;
  }
  size_t word = target / 64;
  uint64_t bits = words_[word] & (~uint64_t{0} << (target % 64));
  while (bits == 0) {
    if (++word == words_.size()) return kEndOfDocs;
    bits = words_[word];
  }
  return static_cast<DocId>(word * 64 + static_cast<size_t>(std::countr_zero(bits)));
}

void DocSet::Fill(uint32_t window, WindowBits& bits) const {
  const uint64_t first = uint64_t{window} * kWindowDocs;
  if (dense_) {
    const size_t begin = std::min<size_t>(first / 64, words_.size());
    const size_t end = std::min(begin + kWindowWords, words_.size());
    for (size_t i = begin; i < end; ++i) bits.words[i - begin] |= words_[i];
    return;
  }
  for (auto at = std::lower_bound(sparse_.begin(), sparse_.end(), first);
       at != sparse_.end() && *at < first + kWindowDocs; ++at) {
    bits.Set(static_cast<uint32_t>(*at - first));
  }
}

DocSetCursor::DocSetCursor(DocSet set, float score) : set_(std::move(set)), score_(score) {
  doc_ = set_.FirstFrom(0, hint_);
}

}  // namespace pmdex
