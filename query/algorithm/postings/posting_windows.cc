#include "query/algorithm/postings/posting_windows.h"

#include <algorithm>
#include <bit>
#include <string>

#include "query/algorithm/postings/sorted_search.h"

namespace pmdex {
namespace {

constexpr uint32_t kRunsPerWindow = kWindowDocs / kRankDocs;
constexpr uint32_t kNotFoundYet = 0xffffffff;

}  // namespace

PostingWindows::PostingWindows(const PostingListView& list, CursorContext& context)
    : list_(list), context_(&context) {}

void PostingWindows::FindBlocks() {
  const uint32_t windows = WindowCount(context_->doc_count);
  const auto blocks = static_cast<uint32_t>(list_.block_last_docs.size());
  starts_.assign(size_t{windows} + 1, kNotFoundYet);
  blocks_.assign(size_t{windows} + 1, blocks - 1);
  uint32_t next = 0;
  for (uint32_t block = 0; block < blocks && next <= windows; ++block) {
    const uint32_t last_window = list_.block_last_docs[block] / kWindowDocs;
    for (; next <= std::min(last_window, windows); ++next) blocks_[next] = block;
  }
}

uint32_t PostingWindows::Damaged(uint32_t posting) {
  context_->ReportDamage("posting " + std::to_string(posting) + " of " + std::to_string(list_.df) +
                         " is out of order or beyond the " + std::to_string(context_->doc_count) +
                         " documents");
  return kNoPosting;
}

PostingWindows::Range PostingWindows::Move(uint32_t window) {
  Range range = is_bitset() ? MoveBits(window) : MoveDocids(window);
  if (range.end < range.begin || range.end > list_.df || range.size() > kWindowDocs) {
    Damaged(range.begin);
    range = {};
  }
  window_ = window;
  at_ = range.begin;
  return range_ = range;
}

PostingWindows::Range PostingWindows::MoveBits(uint32_t window) {
  const uint64_t first = uint64_t{window} * kRunsPerWindow;
  const uint64_t last = std::min(first + kRunsPerWindow, BitsetRuns(context_->doc_count));
  return {list_.ranks[first], list_.ranks[last]};
}

PostingWindows::Range PostingWindows::MoveDocids(uint32_t window) {
  return {Start(window), Start(window + 1)};
}

// The first posting of a document of the window or a later one.
uint32_t PostingWindows::Start(uint32_t window) {
  if (uint64_t{window} * kWindowDocs >= context_->doc_count) return list_.df;
  const DocId target = window * kWindowDocs;
  if (list_.block_last_docs.empty()) return FirstFrom(list_.docids, 0, list_.df, target);
  if (starts_.empty()) FindBlocks();
  uint32_t& start = starts_[window];
  if (start == kNotFoundYet) {
    const uint64_t begin = uint64_t{blocks_[window]} * kBlockPostings;
    const uint64_t end = std::min<uint64_t>(list_.df, begin + kBlockPostings);
    list_.Load(static_cast<uint32_t>(begin), static_cast<uint32_t>(end));
    start =
        FirstFrom(list_.docids, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), target);
  }
  return start;
}

uint32_t PostingWindows::FirstWindowFrom(uint32_t window) {
  const uint32_t windows = WindowCount(context_->doc_count);
  if (window >= windows || is_bitset()) return window;
  const uint32_t posting = Start(window);
  if (posting >= list_.df) return windows;
  list_.Load(posting, posting + 1);
  return std::min(windows, std::max(window, list_.docids[posting] / kWindowDocs));
}

// The bits of a window. For the last window they are copied to `copy` without the bits behind the
// last document.
const uint64_t* PostingWindows::Words(uint32_t window, WindowBits& copy) const {
  const uint32_t first_doc = window * kWindowDocs;
  const uint32_t docs = context_->doc_count - first_doc;
  const uint64_t* words = list_.bits + size_t{window} * kWindowWords;
  if (docs >= kWindowDocs) return words;
  copy.Clear();
  std::copy_n(words, (docs + 63) / 64, copy.words.begin());
  if (docs % 64 != 0) copy.words[docs / 64] &= (uint64_t{1} << (docs % 64)) - 1;
  return copy.words.data();
}

// Adds the documents of postings first + i for every bit i of the mask.
void PostingWindows::AddDocids(uint32_t window, uint32_t first, uint64_t mask, WindowBits& bits) {
  const DocId base = window * kWindowDocs;
  const uint32_t docs = std::min(kWindowDocs, context_->doc_count - base);
  for (; mask != 0; mask &= mask - 1) {
    const uint32_t posting = first + static_cast<uint32_t>(std::countr_zero(mask));
    const uint32_t doc = list_.docids[posting] - base;
    if (doc >= docs) {
      Damaged(posting);
      continue;
    }
    bits.Set(doc);
  }
}

void PostingWindows::Fill(uint32_t window, WindowBits& bits) {
  if (is_bitset()) {
    WindowBits copy;
    const uint64_t* words = Words(window, copy);
    for (size_t i = 0; i < kWindowWords; ++i) bits.words[i] |= words[i];
    return;
  }
  const Range range = Postings(window);
  list_.Load(range.begin, range.end);
  for (uint32_t first = range.begin; first < range.end; first += 64) {
    const uint32_t left = range.end - first;
    AddDocids(window, first, left < 64 ? (uint64_t{1} << left) - 1 : ~uint64_t{0}, bits);
  }
}

bool PostingWindows::FillFiltered(uint32_t window, const LeastFreqs& table, TableOrder order,
                                  const QueryKernels& kernels, WindowBits& bits) {
  const Range range = Postings(window);
  if (range.size() == 0) return false;
  if (list_.is_inline) {  // too short for vectors
    Fill(window, bits);
    return true;
  }
  PassingPostings passing;
  if (!FilterPostings(list_, range.begin, range.end, table, order, kernels, passing)) return false;
  if (is_bitset()) {
    WindowBits copy;
    kernels.deposit(Words(window, copy), passing.words, bits);
    return true;
  }
  for (uint32_t i = 0; i * 64 < range.size(); ++i) {
    if (passing.words[i] != 0) AddDocids(window, range.begin + i * 64, passing.words[i], bits);
  }
  return true;
}

uint32_t PostingWindows::FindBit(DocId doc) {
  if ((list_.bits[doc / 64] >> (doc % 64) & 1) == 0) return kNoPosting;
  const uint32_t posting = list_.Rank(doc);
  return posting < list_.df ? posting : Damaged(posting);
}

uint32_t PostingWindows::Select(uint32_t window, const WindowBits& docs,
                                const QueryKernels& kernels, uint64_t* mask) {
  const Range range = Postings(window);
  const uint32_t before = range.begin % kPositionGroup;
  if (is_bitset()) {
    WindowBits copy;
    const uint32_t count = kernels.extract(Words(window, copy), docs, before, mask);
    return count == range.size() ? before + count : 0;
  }
  std::fill_n(mask, kWindowWords + 1, 0);
  list_.Load(range.begin, range.end);
  const DocId base = window * kWindowDocs;
  for (uint32_t i = 0; i < range.size(); ++i) {
    const uint32_t doc = (list_.docids[range.begin + i] - base) % kWindowDocs;
    const uint64_t is_one = docs.words[doc / 64] >> (doc % 64) & 1;
    mask[(before + i) / 64] |= is_one << ((before + i) % 64);
  }
  return before + range.size();
}

// Makes bits for a list of docids too, so that a look-up finds a document in every kind of list.
void PostingWindows::Number(uint32_t window) {
  if (numbered_ == nullptr) numbered_ = std::make_unique<Numbered>();
  Numbered& numbered = *numbered_;
  if (numbered.window == window) return;
  numbered.window = window;
  const Range range = Postings(window);
  uint32_t posting = range.begin;
  if (is_bitset()) {
    numbered.words = Words(window, numbered.own);
  } else {
    numbered.own.Clear();
    numbered.words = numbered.own.words.data();
    Fill(window, numbered.own);
  }
  for (uint32_t word = 0; word < kWindowWords; ++word) {
    numbered.before[word] = posting;
    posting += static_cast<uint32_t>(std::popcount(numbered.words[word]));
  }
  if (posting == range.end) return;
  Damaged(posting);
  numbered.own.Clear();
  numbered.words = numbered.own.words.data();
}

template <typename Sums>
void PostingWindows::AddTo(uint32_t window, const float* scores, Sums& sums) {
  const Range range = Postings(window);
  list_.Load(range.begin, range.end);
  const DocId base = window * kWindowDocs;
  const uint32_t docs = std::min(kWindowDocs, context_->doc_count - base);
  uint32_t wrong = kNoPosting;
  for (uint32_t i = 0; i < range.size(); ++i) {
    const uint32_t doc = list_.docids[range.begin + i] - base;
    wrong = doc < docs ? wrong : range.begin + i;
    sums.of[doc < docs ? doc : 0] += scores[i];
  }
  if (wrong != kNoPosting) Damaged(wrong);
}

template void PostingWindows::AddTo(uint32_t, const float*, WindowSums&);
template void PostingWindows::AddTo(uint32_t, const float*, WindowTotals&);

const uint64_t* PostingWindows::Members(uint32_t window) {
  Number(window);
  return numbered_->words;
}

void PostingWindows::FindNumbered(std::span<const DocId> docs, std::span<uint32_t> postings) {
  const Numbered& numbered = *numbered_;
  for (size_t i = 0; i < docs.size(); ++i) {
    const uint32_t doc = docs[i] % kWindowDocs;
    const uint64_t word = numbered.words[doc / 64];
    const uint64_t bit = uint64_t{1} << (doc % 64);
    const uint32_t posting =
        numbered.before[doc / 64] + static_cast<uint32_t>(std::popcount(word & (bit - 1)));
    postings[i] = (word & bit) != 0 ? posting : kNoPosting;
  }
}

// Counts all words of a run, and takes those behind the document for empty: the loop has a fixed
// length.
void PostingWindows::FindBits(std::span<const DocId> docs, std::span<uint32_t> postings) {
  constexpr uint32_t kRunWords = kRankDocs / 64;
  uint32_t wrong = kNoPosting;
  for (size_t i = 0; i < docs.size(); ++i) {
    const uint32_t run = docs[i] / kRankDocs;
    const uint64_t* words = list_.bits + size_t{run} * kRunWords;
    const uint32_t last = docs[i] / 64 % kRunWords;
    const uint64_t bit = uint64_t{1} << (docs[i] % 64);
    uint32_t posting = list_.ranks[run];
    for (uint32_t word = 0; word < kRunWords; ++word) {
      const uint64_t below = word < last ? ~uint64_t{0} : word == last ? bit - 1 : 0;
      posting += static_cast<uint32_t>(std::popcount(words[word] & below));
    }
    const bool found = (words[last] & bit) != 0;
    wrong = found && posting >= list_.df ? posting : wrong;
    postings[i] = found && posting < list_.df ? posting : kNoPosting;
  }
  if (wrong != kNoPosting) Damaged(wrong);
}

// Searches the block of each document, which it finds by the last documents of the blocks.
void PostingWindows::FindInBlocks(std::span<const DocId> docs, std::span<uint32_t> postings) {
  const auto blocks = static_cast<uint32_t>(list_.block_last_docs.size());
  for (size_t i = 0; i < docs.size(); ++i) {
    const uint32_t block = FirstFrom(list_.block_last_docs.data(), 0, blocks, docs[i]);
    const uint64_t begin = uint64_t{block} * kBlockPostings;
    const uint64_t end = std::min<uint64_t>(list_.df, begin + kBlockPostings);
    postings[i] = begin < end
                      ? FindIn(static_cast<uint32_t>(begin), static_cast<uint32_t>(end), docs[i])
                      : kNoPosting;
  }
}

// Searches the blocks that a document's window touches. A table knows these blocks once many
// documents were looked up.
void PostingWindows::FindDocids(std::span<const DocId> docs, std::span<uint32_t> postings) {
  if (list_.block_last_docs.empty()) {
    for (size_t i = 0; i < docs.size(); ++i) postings[i] = FindIn(0, list_.df, docs[i]);
    return;
  }
  if (blocks_.empty()) {
    constexpr size_t kEntriesPerSearch = 8;  // of the table, made while one block is searched
    searched_ += docs.size();
    if (searched_ * kEntriesPerSearch <
        list_.block_last_docs.size() + WindowCount(context_->doc_count)) {
      return FindInBlocks(docs, postings);
    }
    FindBlocks();
  }
  for (size_t i = 0; i < docs.size(); ++i) {
    const uint32_t window = docs[i] / kWindowDocs;
    const uint64_t end = (uint64_t{blocks_[window + 1]} + 1) * kBlockPostings;
    postings[i] = FindIn(blocks_[window] * kBlockPostings,
                         static_cast<uint32_t>(std::min<uint64_t>(list_.df, end)), docs[i]);
  }
}

uint32_t PostingWindows::FindIn(uint32_t begin, uint32_t end, DocId doc) const {
  if (list_.decoded != nullptr && !list_.block_last_docs.empty()) {
    // The one block that may have the document, so that no other is decoded.
    const auto blocks = list_.block_last_docs.first((end + kBlockPostings - 1) / kBlockPostings);
    const uint32_t block =
        FirstFrom(blocks.data(), begin / kBlockPostings, static_cast<uint32_t>(blocks.size()), doc);
    if (block == blocks.size()) return kNoPosting;
    begin = block * kBlockPostings;
    end = std::min(end, begin + kBlockPostings);
    list_.Load(begin, end);
  }
  const uint32_t at = FirstFrom(list_.docids, begin, end, doc);
  return at < end && list_.docids[at] == doc ? at : kNoPosting;
}

void PostingWindows::FindAll(std::span<const DocId> docs, std::span<uint32_t> postings) {
  constexpr size_t kNumberedPerSearch = 5;  // postings that are numbered while one is searched
  constexpr size_t kSetUpPostings = 50;     // that the set-up of numbering costs
  const uint32_t window = docs.front() / kWindowDocs;
  if (window == docs.back() / kWindowDocs) {
    const size_t cost = (is_bitset() ? 0 : Postings(window).size()) + kSetUpPostings;
    const auto is_numbered = [&] { return numbered_ != nullptr && numbered_->window == window; };
    if (!is_numbered() && docs.size() * kNumberedPerSearch >= cost) Number(window);
    if (is_numbered()) return FindNumbered(docs, postings);
  }
  if (is_bitset()) return FindBits(docs, postings);
  FindDocids(docs, postings);
}

bool PostingWindows::AreInOrder(std::span<const DocId> docs) {
  uint32_t out_of_order = docs.back() < context_->doc_count ? 0u : 1u;
  const DocId* const next = docs.data() + 1;
  const size_t pairs = docs.size() - 1;
  for (size_t i = 0; i < pairs; ++i) out_of_order |= docs[i] < next[i] ? 0u : 1u;
  const bool in_order = out_of_order == 0;
  if (!in_order) Damaged(0);
  return in_order;
}

uint32_t PostingWindows::FindDocid(DocId doc) {
  const Range range = Postings(doc / kWindowDocs);
  list_.Load(range.begin, range.end);
  if (at_ > range.begin && (at_ >= range.end || list_.docids[at_] > doc)) at_ = range.begin;
  at_ = Gallop(list_.docids, at_, range.end, doc);
  return at_ < range.end && list_.docids[at_] == doc ? at_ : kNoPosting;
}

}  // namespace pmdex
