#include "query/doc_set.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace pmdex {
namespace {
// From one document in 32 on, a bitset is smaller than a list of docids.
constexpr uint32_t kDenseFraction = 32;
}  // namespace

void DocSet::MakeDense() {
  dense_ = true;
  words_.assign((uint64_t{doc_count_} + 63) / 64, 0);
  for (const DocId doc : sparse_) words_[doc / 64] |= uint64_t{1} << (doc % 64);
  std::vector<DocId>().swap(sparse_);
}

void DocSet::Add(const PostingListView& list, CursorContext& context) {
  size_bound_ += list.df;
  if (list.bits != nullptr) return AddBits(list, context);
  if (!dense_ && sparse_.size() + list.df > doc_count_ / kDenseFraction) MakeDense();
  for (uint32_t i = 0; i < list.df; ++i) {
    const DocId doc = list.docids[i];
    if (doc >= doc_count_) {
      context.ReportDamage("a posting holds docid " + std::to_string(doc) + ", beyond the " +
                           std::to_string(doc_count_) + " documents");
      return;
    }
    if (dense_) {
      words_[doc / 64] |= uint64_t{1} << (doc % 64);
    } else {
      sparse_.push_back(doc);
    }
  }
}

void DocSet::AddBits(const PostingListView& list, CursorContext& context) {
  if (!dense_) MakeDense();
  for (size_t word = 0; word < words_.size(); ++word) words_[word] |= list.bits[word];
  if (list.FirstFrom(doc_count_) == kEndOfDocs) return;
  context.ReportDamage("a bitset has a document beyond the " + std::to_string(doc_count_) +
                       " documents");
  if (doc_count_ % 64 != 0) words_.back() &= (uint64_t{1} << (doc_count_ % 64)) - 1;
}

void DocSet::Finish() {
  std::sort(sparse_.begin(), sparse_.end());
  sparse_.erase(std::unique(sparse_.begin(), sparse_.end()), sparse_.end());
}

DocId DocSet::FirstFrom(DocId target, size_t& hint) const {
  if (target >= doc_count_) return kEndOfDocs;
  if (!dense_) {
    // Next() finds the following element at the hint or right behind it.
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
