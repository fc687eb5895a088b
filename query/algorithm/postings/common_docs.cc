#include "query/algorithm/postings/common_docs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "query/algorithm/postings/live_postings.h"

namespace pmdex {
namespace {

// So many documents have a mark each. The marks fit into the first cache of a core.
constexpr uint32_t kRangeDocs = 16384;
constexpr uint64_t kRangeWork = 16;  // postings that the set-up of a range costs
constexpr uint32_t kLookUps = 64;    // at a time

// The marks of the documents of one range at a time. A mark is the number of the range times
// kStatesOfDoc, and which of so many states the document is in. So marks of ranges before need not
// be cleared, not even those of earlier calls, until the numbers are used up. The loops copy what
// they use into locals, because a store of a byte could otherwise change it.
template <uint32_t kStatesOfDoc>
struct RangeMarks {
  void BeginRange() {
    constexpr auto kEnd = static_cast<uint8_t>(256 / kStatesOfDoc);
    if (++range != kEnd) return;
    of.fill(0);
    range = 1;
  }

  std::array<uint8_t, kRangeDocs> of{};
  uint8_t range = 0;
};
using DocMarks = RangeMarks<1>;

template <typename Marks>
Marks& OfThisThread() {
  thread_local Marks marks;
  return marks;
}

// The document of posting `at`, or kEndOfDocs behind the last one.
DocId NextDoc(const PostingListView& list, uint32_t at) {
  return at < list.df ? list.docids[at] : kEndOfDocs;
}

// The end of the range of the document, and of the segment's last range.
uint64_t EndOfRange(DocId doc) {
  return (uint64_t{doc} / kRangeDocs + 1) * kRangeDocs;
}
uint64_t LastEnd(const CursorContext& context) {
  return context.doc_count == 0 ? 0 : EndOfRange(context.doc_count - 1);
}

// Marks the documents of list[at, ...) before end_doc. Returns the index behind them.
uint32_t MarkUntil(const PostingListView& list, uint32_t at, uint64_t end_doc, DocMarks& marks) {
  const DocId* const docids = list.docids;
  const uint32_t df = list.df;
  const uint8_t range = marks.range;
  for (; at < df && docids[at] < end_doc; ++at) marks.of[docids[at] % kRangeDocs] = range;
  return at;
}

// Clears the bits of the lead's postings [at, ...) before end_doc whose documents have no mark.
// Returns the index behind them.
uint32_t KeepMarkedUntil(const PostingListView& lead, uint32_t at, uint64_t end_doc,
                         const DocMarks& marks, std::span<uint64_t> members) {
  uint64_t absent = 0;
  for (; at < lead.df && lead.docids[at] < end_doc; ++at) {
    const bool is_marked = marks.of[lead.docids[at] % kRangeDocs] == marks.range;
    absent |= uint64_t{!is_marked} << (at % 64);
    if (at % 64 != 63) continue;
    members[at / 64] &= ~absent;
    absent = 0;
  }
  if (absent != 0) members[at / 64] &= ~absent;
  return at;
}

// Marks the documents as MarkUntil does, and moves `at` behind them. Returns how many had no mark.
uint64_t CountNewUntil(const PostingListView& list, uint32_t& at, uint64_t end_doc,
                       DocMarks& marks) {
  const DocId* const docids = list.docids;
  const uint32_t df = list.df;
  const uint8_t range = marks.range;
  uint64_t count = 0;
  uint32_t i = at;
  for (; i < df && docids[i] < end_doc; ++i) {
    uint8_t& mark = marks.of[docids[i] % kRangeDocs];
    count += static_cast<uint64_t>(mark != range);
    mark = range;
  }
  at = i;
  return count;
}

// The same, but returns how many live documents had a mark.
uint64_t CountLiveRepeatsUntil(const PostingListView& list, uint32_t& at, uint64_t end_doc,
                               DocMarks& marks, const LiveDocs& live_docs) {
  constexpr uint32_t kAtOnce = 1024;
  const DocId* const docids = list.docids;
  const uint8_t range = marks.range;
  std::array<DocId, kAtOnce> repeats;
  uint64_t count = 0;
  uint32_t i = at;
  uint32_t end = 0;
  do {
    end = i + std::min(kAtOnce, list.df - i);
    uint32_t found = 0;
    for (; i < end && docids[i] < end_doc; ++i) {
      uint8_t& mark = marks.of[docids[i] % kRangeDocs];
      repeats[found] = docids[i];
      found += static_cast<uint32_t>(mark == range);
      mark = range;
    }
    const DocId last = live_docs.doc_count() - 1;
    for (uint32_t n = 0; n < found; ++n) {
      count += static_cast<uint64_t>(live_docs.IsLive(std::min(repeats[n], last)));
    }
  } while (i == end && i < list.df);
  at = i;
  return count;
}

void KeepMembers(const PostingListView& lead, const uint64_t* bits, uint32_t doc_count,
                 std::span<uint64_t> members) {
  for (uint32_t first = 0; first < lead.df; first += 64) {
    if (members[first / 64] == 0) continue;
    const uint32_t count = std::min<uint32_t>(64, lead.df - first);
    uint64_t mask = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const DocId doc = std::min(lead.docids[first + i], doc_count - 1);
      mask |= (bits[doc / 64] >> (doc % 64) & 1) << i;
    }
    members[first / 64] &= mask;
  }
}

// Documents of the lead to be looked up in another list.
struct LookUps {
  std::array<uint32_t, kLookUps> postings;  // of the lead
  std::array<DocId, kLookUps> docs;
  uint32_t count = 0;
};

// Clears the bits of the postings whose documents `other` does not have. Empties the batch.
void KeepFound(LookUps& batch, PostingWindows& other, std::span<uint64_t> members) {
  std::array<uint32_t, kLookUps> found;
  other.FindAll({batch.docs.data(), batch.count}, found);
  for (uint32_t i = 0; i < batch.count; ++i) {
    const uint64_t bit = uint64_t{found[i] == PostingWindows::kNoPosting};
    members[batch.postings[i] / 64] &= ~(bit << (batch.postings[i] % 64));
  }
  batch.count = 0;
}

// The states of FindSharedDocs.
enum DocState : uint8_t { kOnce = 1, kSeveral = 2, kFirstFound = 3 };
constexpr uint8_t kStates = 4;
using StateMarks = RangeMarks<kStates>;

// Counts the lists of each document before end_doc: one, or several.
uint32_t CountListsUntil(const PostingListView& list, uint32_t at, uint64_t end_doc, uint8_t range,
                         std::span<uint8_t> marks) {
  const DocId* const docids = list.docids;
  const uint32_t df = list.df;
  uint8_t* const of = marks.data();
  for (; at < df && docids[at] < end_doc; ++at) {
    uint8_t& mark = of[docids[at] % kRangeDocs];
    const bool is_new = mark / kStates != range;
    mark = static_cast<uint8_t>(range * kStates + (is_new ? kOnce : kSeveral));
  }
  return at;
}

// Sets the bits of the postings before end_doc from the marks of their documents.
uint32_t FindSharedUntil(const PostingListView& list, uint32_t at, uint64_t end_doc, uint8_t range,
                         std::span<uint8_t> marks, SharedDocs& shared) {
  const DocId* const docids = list.docids;
  const uint32_t df = list.df;
  uint8_t* const of = marks.data();
  uint64_t several = 0;
  uint64_t first = 0;
  const auto store = [&](uint32_t word) {
    shared.not_alone[word] |= several;
    shared.not_first[word] &= ~first;
    shared.is_first_empty = shared.is_first_empty && first == 0;
    several = first = 0;
  };
  for (; at < df && docids[at] < end_doc; ++at) {
    uint8_t& mark = of[docids[at] % kRangeDocs];
    const uint8_t state = mark % kStates;
    several |= uint64_t{state != kOnce} << (at % 64);
    first |= uint64_t{state == kSeveral} << (at % 64);
    mark = state == kSeveral ? static_cast<uint8_t>(range * kStates + kFirstFound) : mark;
    if (at % 64 == 63) store(at / 64);
  }
  store(at / 64);
  return at;
}

// The first document that none of the lists has passed yet.
DocId NextDoc(std::span<const PostingListView* const> lists, std::span<const uint32_t> at) {
  DocId next = kEndOfDocs;
  for (size_t n = 0; n < lists.size(); ++n) next = std::min(next, NextDoc(*lists[n], at[n]));
  return next;
}

}  // namespace

bool PaysToReadWhole(const PostingListView& other, uint64_t look_ups) {
  constexpr uint64_t kPostingsPerLookUp = 16;  // that are read while one document is looked up
  return other.bits != nullptr || other.df / kPostingsPerLookUp <= look_ups;
}

bool KeepCommonDocs(const PostingListView& lead, const PostingListView& other,
                    CursorContext& context, std::span<uint64_t> members) {
  lead.Load(0, lead.df);
  if (other.bits != nullptr) {
    if (context.IsOver(lead.df)) return false;
    KeepMembers(lead, other.bits, context.doc_count, members);
    return true;
  }
  other.Load(0, other.df);
  DocMarks& marks = OfThisThread<DocMarks>();
  uint32_t lead_at = 0;
  uint32_t other_at = 0;
  while (lead_at < lead.df) {
    const uint64_t end_doc = EndOfRange(std::min(NextDoc(lead, lead_at), NextDoc(other, other_at)));
    if (end_doc > LastEnd(context)) break;  // such documents do not exist
    const uint64_t before = uint64_t{lead_at} + other_at;
    marks.BeginRange();
    other_at = MarkUntil(other, other_at, end_doc, marks);
    lead_at = KeepMarkedUntil(lead, lead_at, end_doc, marks, members);
    if (context.IsOver(kRangeWork + lead_at + other_at - before)) return false;
  }
  return true;
}

bool KeepFoundDocs(const PostingListView& lead, PostingWindows& other, CursorContext& context,
                   std::span<uint64_t> members) {
  uint64_t look_ups = 0;
  for (const uint64_t word : members) look_ups += static_cast<uint64_t>(std::popcount(word));
  if (PaysToReadWhole(other.list(), look_ups)) {
    return KeepCommonDocs(lead, other.list(), context, members);
  }
  lead.Load(0, lead.df);
  LookUps batch;
  for (uint32_t first = 0; first < lead.df; first += 64) {
    for (uint64_t left = members[first / 64]; left != 0; left &= left - 1) {
      const uint32_t posting = first + static_cast<uint32_t>(std::countr_zero(left));
      if (posting >= lead.df) break;
      batch.postings[batch.count] = posting;
      batch.docs[batch.count++] = lead.docids[posting];
      if (batch.count < kLookUps) continue;
      if (context.IsOver(kLookUps)) return false;
      KeepFound(batch, other, members);
    }
  }
  if (batch.count > 0) KeepFound(batch, other, members);
  return true;
}

bool KeepLiveDocs(const PostingListView& lead, CursorContext& context,
                  std::span<uint64_t> members) {
  if (context.live_docs == nullptr) return true;
  lead.Load(0, lead.df);
  if (context.IsOver(lead.df)) return false;
  const DocId last = context.doc_count - 1;
  for (uint32_t i = 0; i < lead.df; i += 64) {
    uint64_t deleted = 0;
    for (uint64_t left = members[i / 64]; left != 0; left &= left - 1) {
      const auto bit = static_cast<uint32_t>(std::countr_zero(left));
      if (bit >= lead.df - i) break;
      const bool is_live = context.live_docs->IsLive(std::min(lead.docids[i + bit], last));
      deleted |= uint64_t{!is_live} << bit;
    }
    members[i / 64] &= ~deleted;
  }
  return true;
}

std::vector<SharedDocs> FindSharedDocs(std::span<const PostingListView* const> lists,
                                       CursorContext& context) {
  std::vector<SharedDocs> shared(lists.size());
  for (size_t n = 0; n < lists.size(); ++n) {
    shared[n].not_alone.resize(lists[n]->df / 64 + 1);
    shared[n].not_first.resize(lists[n]->df / 64 + 1, ~uint64_t{0});
  }
  if (lists.size() == 1) return shared;
  for (const PostingListView* list : lists) list->Load(0, list->df);
  StateMarks& marks = OfThisThread<StateMarks>();
  std::vector<uint32_t> at(lists.size());
  while (true) {
    const uint64_t end_doc = EndOfRange(NextDoc(lists, at));
    if (end_doc > LastEnd(context)) return shared;
    marks.BeginRange();
    uint64_t postings = 0;
    for (size_t n = 0; n < lists.size(); ++n) {
      postings += CountListsUntil(*lists[n], at[n], end_doc, marks.range, marks.of) - at[n];
    }
    for (size_t n = 0; n < lists.size(); ++n) {
      at[n] = FindSharedUntil(*lists[n], at[n], end_doc, marks.range, marks.of, shared[n]);
    }
    if (context.IsOver(kRangeWork + 2 * postings)) return {};
  }
}

std::optional<uint64_t> CountUnion(std::span<const PostingListView* const> lists,
                                   CursorContext& context) {
  for (const PostingListView* list : lists) list->Load(0, list->df);
  DocMarks& marks = OfThisThread<DocMarks>();
  std::vector<uint32_t> at(lists.size());
  const LiveDocs* const live_docs = context.live_docs;
  // With deletions: the live documents of each list, and those that a list before has, too.
  uint64_t count = 0;
  uint64_t repeats = 0;
  if (live_docs != nullptr) {
    for (const PostingListView* list : lists) count += CountLivePostings(*list, context);
    if (context.timed_out) return std::nullopt;
  }
  while (true) {
    const uint64_t end_doc = EndOfRange(NextDoc(lists, at));
    if (end_doc > LastEnd(context)) return count - std::min(count, repeats);
    marks.BeginRange();
    for (size_t n = 0; n < lists.size(); ++n) {
      const uint32_t before = at[n];
      if (live_docs == nullptr) {
        count += CountNewUntil(*lists[n], at[n], end_doc, marks);
      } else if (n == 0) {
        at[n] = MarkUntil(*lists[n], at[n], end_doc, marks);
      } else {
        repeats += CountLiveRepeatsUntil(*lists[n], at[n], end_doc, marks, *live_docs);
      }
      if (context.IsOver(kRangeWork + at[n] - before)) return std::nullopt;
    }
  }
}

}  // namespace pmdex
