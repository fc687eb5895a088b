// A posting list window by window: which of its postings belong to a window of documents, as a set
// of documents, all of them or those that a filter lets pass; and where the posting of a document
// is. Windows and documents may come in any order; ascending ones are cheap.
//
// Mapped bytes are not trusted: what does not fit (docids outside of their window, ranks that
// disagree) goes to the context's damage and is left out; nothing is read or written out of
// bounds. Belongs to one thread; the list and the context must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "query/algorithm/leaf/posting_filter.h"
#include "query/cursor/cursor.h"
#include "query/kernel/kernels.h"
#include "query/kernel/window_bits.h"

namespace pmdex {

class PostingWindows {
 public:
  static constexpr uint32_t kNoPosting = 0xffffffff;

  PostingWindows(const PostingListView& list, CursorContext& context);

  const PostingListView& list() const { return list_; }
  bool is_bitset() const { return list_.bits != nullptr; }

  // The postings of the window's documents: [begin, end).
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t size() const { return end - begin; }
  };
  Range Postings(uint32_t window) { return window == window_ ? range_ : Move(window); }
  // The first window from `window` on that may have a document of the list; WindowCount when none.
  uint32_t FirstWindowFrom(uint32_t window);

  // Adds the window's documents to `bits`.
  void Fill(uint32_t window, WindowBits& bits);
  // Adds those of them whose postings pass, and perhaps a few that do not. Returns whether there
  // were any.
  bool FillPassing(uint32_t window, const LeastFreqs& table, TableOrder order,
                   const QueryKernels& kernels, WindowBits& bits);
  // The document's posting, or kNoPosting. Requires that the document exists.
  uint32_t Find(DocId doc) { return is_bitset() ? FindBit(doc) : FindDocid(doc); }
  // The same of many documents, at least one, in ascending order.
  void FindAll(std::span<const DocId> docs, std::span<uint32_t> postings);
  // Whether documents, at least one, read from the list, ascend and exist; notes damage when not.
  bool AreInOrder(std::span<const DocId> docs);
  // Adds to the sums of the window's documents the scores of its postings, in their order. Requires
  // docids.
  void AddScores(uint32_t window, const float* scores, WindowSums& sums);
  // The window's documents, kWindowWords words: as many as Postings() has, or, in a damaged list,
  // none. Valid until another window is asked for.
  const uint64_t* Members(uint32_t window);
  // The postings of `docs`, which are documents of the list, as a mask: bit i of it speaks of
  // posting FirstSelected + i. mask: kWindowWords + 1 words. How many bits; 0 when the list and its
  // bits disagree.
  uint32_t Select(uint32_t window, const WindowBits& docs, const QueryKernels& kernels,
                  uint64_t* mask);
  // The group of postings in which the window begins.
  uint32_t FirstSelected(uint32_t window) {
    return Postings(window).begin / kPositionGroup * kPositionGroup;
  }

 private:
  // Which documents of a window have a posting, and the posting of the first in each word.
  struct Numbered {
    uint32_t window = 0xffffffff;
    const uint64_t* words = nullptr;
    std::array<uint32_t, kWindowWords> before;
    WindowBits own;  // of a list of docids, and of the last window
  };

  void Number(uint32_t window);
  void FindNumbered(std::span<const DocId> docs, std::span<uint32_t> postings);
  void FindBits(std::span<const DocId> docs, std::span<uint32_t> postings);
  uint32_t FindIn(uint32_t begin, uint32_t end, DocId doc) const;
  void FindDocids(std::span<const DocId> docs, std::span<uint32_t> postings);
  Range Move(uint32_t window);
  Range MoveBits(uint32_t window);
  Range MoveDocids(uint32_t window);
  uint32_t Start(uint32_t window);
  void FindBlocks();
  uint32_t FindBit(DocId doc);
  uint32_t FindDocid(DocId doc);
  const uint64_t* Words(uint32_t window, WindowBits& copy) const;
  void AddDocids(uint32_t window, uint32_t first, uint64_t mask, WindowBits& bits);
  uint32_t Damaged(uint32_t posting);

  PostingListView list_;
  CursorContext* context_;
  uint32_t window_ = 0xffffffff;  // of range_
  Range range_;
  uint32_t at_ = 0;  // where FindDocid goes on, inside range_
  // Of a list of docids in blocks, by window, one more than there are: the block in which its first
  // posting is, or the one before; and that posting, once it was looked for.
  std::vector<uint32_t> blocks_;
  std::vector<uint32_t> starts_;
  Numbered numbered_;
};

}  // namespace pmdex
