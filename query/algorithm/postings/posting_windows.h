// Reads a posting list window by window: it gives the documents of a window, all of them or those
// that a filter lets pass, and it finds the posting of a document. Windows and documents may come
// in any order; ascending order is fast.
//
// It does not trust mapped bytes. It reports what does not fit (docids outside of their window,
// ranks that disagree) to the context and leaves it out, and it never reads or writes out of
// bounds. One thread uses a PostingWindows; the list and the context must outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/segment/postings/posting_list.h"
#include "query/algorithm/postings/posting_filter.h"
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

  // The postings [begin, end).
  struct Range {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t size() const { return end - begin; }
  };
  // The postings of the window's documents.
  Range Postings(uint32_t window) { return window == window_ ? range_ : Move(window); }
  // The first window from `window` on that may have a document of the list; WindowCount if there is
  // none.
  uint32_t FirstWindowFrom(uint32_t window);

  // Adds the window's documents to `bits`.
  void Fill(uint32_t window, WindowBits& bits);
  // Adds those of the window's documents whose postings pass the table. May add a few others.
  // Returns false if none pass.
  bool FillFiltered(uint32_t window, const LeastFreqs& table, TableOrder order,
                    const QueryKernels& kernels, WindowBits& bits);
  // The document's posting, or kNoPosting. Requires that the segment has the document.
  uint32_t Find(DocId doc) { return is_bitset() ? FindBit(doc) : FindDocid(doc); }
  // Finds the postings of many documents: postings[i] becomes the one of docs[i] or kNoPosting.
  // docs: at least one, ascending.
  void FindAll(std::span<const DocId> docs, std::span<uint32_t> postings);
  // True if `docs`, at least one and read from the list, ascend and exist. Reports damage if not.
  bool AreInOrder(std::span<const DocId> docs);
  // Adds scores[i] to the sum of the document of the window's posting i. Requires a list of docids.
  void AddScores(uint32_t window, const float* scores, WindowSums& sums) {
    AddTo(window, scores, sums);
  }
  void AddScores(uint32_t window, const float* scores, WindowTotals& totals) {
    AddTo(window, scores, totals);
  }
  // The window's documents as kWindowWords words. They have as many bits as Postings has postings,
  // or none if the list is damaged. Valid until the next call with another window.
  const uint64_t* Members(uint32_t window);
  // Marks the postings of `docs`, which are documents of the list: bit i of `mask` stands for
  // posting FirstSelected + i. mask: kWindowWords + 1 words. Returns how many bits it has, or 0 if
  // the bits and the ranks of the list disagree.
  uint32_t Select(uint32_t window, const WindowBits& docs, const QueryKernels& kernels,
                  uint64_t* mask);
  // The first posting of the group of positions in which the window begins.
  uint32_t FirstSelected(uint32_t window) {
    return Postings(window).begin / kPositionGroup * kPositionGroup;
  }

 private:
  // The documents of one window that have a posting, 64 in a word, and the posting number of the
  // first document in each word.
  struct Numbered {
    uint32_t window = 0xffffffff;
    const uint64_t* words = nullptr;
    std::array<uint32_t, kWindowWords> before;
    WindowBits own;  // what `words` points to for a list of docids and for the last window
  };

  template <typename Sums>
  void AddTo(uint32_t window, const float* scores, Sums& sums);
  void Number(uint32_t window);
  void FindNumbered(std::span<const DocId> docs, std::span<uint32_t> postings);
  void FindBits(std::span<const DocId> docs, std::span<uint32_t> postings);
  uint32_t FindIn(uint32_t begin, uint32_t end, DocId doc) const;
  void FindInBlocks(std::span<const DocId> docs, std::span<uint32_t> postings);
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
  uint32_t at_ = 0;  // posting in range_ from which FindDocid searches on
  // For a list of docids in blocks, one element more than there are windows. blocks_: the block of
  // the window's first posting, or the block before. starts_: that posting, once it was searched.
  std::vector<uint32_t> blocks_;
  std::vector<uint32_t> starts_;
  size_t searched_ = 0;                 // documents that were looked up without these
  std::unique_ptr<Numbered> numbered_;  // made by the first call that needs it
};

}  // namespace pmdex
