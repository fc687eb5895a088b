// An exact phrase in the documents of one window: how often each of a set of candidates has it. The
// candidates go together through the slots of the phrase, the one whose term occurs least first:
// where the positions of its term lie is found for all of them, then these are compared with what
// is left of the slots before, and only documents with something left go on. So loops are long and
// without calls, positions are read in the order in which they lie, and nothing is looked up twice.
//
// Some postings need more than their entries (inline lists, page marks, damage): their documents
// stay unknown, for PhraseCheck. Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "query/algorithm/leaf/posting_windows.h"
#include "query/kernel/kernels.h"

namespace pmdex {

// A place of a phrase: which of its terms stands there, and where.
struct PhraseSlot {
  uint32_t number = 0;  // in the phrase
  uint32_t term = 0;    // index of its posting list among those of the phrase
  uint32_t offset = 0;

  int32_t BehindOf(const PhraseSlot& other) const {
    return static_cast<int32_t>(offset) - static_cast<int32_t>(other.offset);
  }
};

class PhraseWindow {
 public:
  static constexpr uint16_t kUnknown = 0xffff;

  // slots: at least two, in the order in which to look at them.
  PhraseWindow(std::span<const PhraseSlot> slots, const QueryKernels& kernels)
      : slots_(slots.begin(), slots.end()), kernels_(kernels) {}

  // Takes out of `docs`, which have all the terms, those without the phrase; and those that have it
  // less often than the table says, when there is one. Forgets the window before.
  void Retain(uint32_t window, std::span<PostingWindows> terms, const LeastFreqs* least,
              WindowBits& docs);
  // Those that were not taken out because it is not known whether they have it.
  const WindowBits& unknown() const { return unknown_; }

  // Of a document that was retained or taken out; kUnknown when it was neither, and for some.
  uint16_t Frequency(DocId doc) const {
    return window_ == doc / kWindowDocs ? frequencies_[doc % kWindowDocs] : kUnknown;
  }
  // Of a document whose frequency is known and not 0.
  uint8_t LengthCode(DocId doc) const { return codes_[doc % kWindowDocs]; }

 private:
  static constexpr size_t kMore = 64;  // what kernels may write behind the last one
  using Begins = std::array<uint32_t, kWindowDocs + kMore>;
  using Counts = std::array<uint16_t, kWindowDocs + kMore>;

  void FindRuns(PostingWindows& term, const WindowBits& candidates, RunLanes& out);
  void FindFewRuns(PostingWindows& term, const RunLanes& out);
  void FindManyRuns(PostingWindows& term, const WindowBits& candidates, const RunLanes& out);
  void DropUnknown();
  void Match(size_t slot);
  void KeepMatches(const LeastFreqs* least);
  void NoteFrequencies(const LeastFreqs* least, WindowBits& docs);

  std::vector<PhraseSlot> slots_;
  const QueryKernels& kernels_;
  uint32_t window_ = 0xffffffff;
  WindowBits unknown_;
  std::array<uint16_t, kWindowDocs> frequencies_;
  std::array<uint8_t, kWindowDocs> codes_;

  // What is left of the candidates: `count_` of each.
  uint32_t count_ = 0;
  std::array<uint16_t, kWindowDocs> docs_;
  std::array<uint8_t, kWindowDocs + kMore> doc_codes_;
  std::array<uint32_t, kWindowDocs> postings_;  // of FindFewRuns
  Begins matched_begins_;  // positions of the first slot, where the others so far follow
  Counts matched_counts_;
  RunLanes matched_;
  Begins begins_;  // of the slot at hand
  Counts counts_;
  RunLanes runs_;
  std::array<std::vector<uint16_t>, 2> buffers_;  // of matched_, in turn
};

}  // namespace pmdex
