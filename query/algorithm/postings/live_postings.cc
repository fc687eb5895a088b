#include "query/algorithm/postings/live_postings.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

namespace pmdex {
namespace {

constexpr uint32_t kPostingsAtOnce = 16 * kBlockPostings;  // between looks at the deadline
constexpr size_t kWordsAtOnce = 1024;                      // the same, of bits
constexpr size_t kGroupWords = LiveDocs::WordCount(1);     // lists of bits have whole groups, too
static_assert(kWordsAtOnce % kGroupWords == 0);

uint64_t CountBits(const uint64_t* bits, CursorContext& context, uint64_t limit) {
  const std::span<const uint64_t> live = context.live_docs->words();
  uint64_t count = 0;
  for (size_t first = 0; first < live.size() && count <= limit; first += kWordsAtOnce) {
    const size_t end = std::min(live.size(), first + kWordsAtOnce);
    if (context.IsOver(end - first)) return count;
    for (size_t i = first; i < end; i += kGroupWords) {
      for (size_t word = i; word < i + kGroupWords; ++word) {
        count += static_cast<uint64_t>(std::popcount(bits[word] & live[word]));
      }
    }
  }
  return count;
}

uint64_t CountDocids(const PostingListView& list, CursorContext& context, uint64_t limit) {
  const uint64_t* const live = context.live_docs->words().data();
  uint64_t count = 0;
  for (uint32_t first = 0; first < list.df && count <= limit; first += kPostingsAtOnce) {
    const uint32_t postings = std::min(kPostingsAtOnce, list.df - first);
    if (context.IsOver(postings)) return count;
    list.Load(first, first + postings);
    const std::span<const DocId> docs(list.docids + first, postings);
    const DocId greatest = *std::max_element(docs.begin(), docs.end());
    if (greatest >= context.doc_count) {
      context.ReportDamage("a posting holds docid " + std::to_string(greatest) + ", beyond the " +
                           std::to_string(context.doc_count) + " documents");
      return count;
    }
    for (const DocId doc : docs) count += live[doc / 64] >> (doc % 64) & 1;
  }
  return count;
}

}  // namespace

uint64_t CountLivePostings(const PostingListView& list, CursorContext& context, uint64_t limit) {
  if (context.live_docs == nullptr) return list.df;
  LiveCounts& counts = context.live_docs->counts();
  if (const auto known = counts.Find(context.segment_id, list.postings_offset)) return *known;
  const uint64_t count = list.bits != nullptr ? CountBits(list.bits, context, limit)
                                              : CountDocids(list, context, limit);
  // A count beyond the limit may be that of a part of the list.
  if (count <= limit && !context.timed_out && context.damage.ok()) {
    counts.Keep(context.segment_id, list.postings_offset, static_cast<uint32_t>(count));
  }
  return count;
}

std::optional<uint64_t> KnownLivePostings(const DictionaryEntry& entry, const LiveDocs& live_docs,
                                          uint64_t segment_id) {
  if (!IsInline(entry.representation)) {
    return live_docs.counts().Find(segment_id, entry.lanes.postings_offset);
  }
  uint64_t count = 0;
  for (uint32_t i = 0; i < entry.df; ++i) {
    if (i == kMaxInlinePostings || entry.inlined.docids[i] >= live_docs.doc_count()) {
      return std::nullopt;  // a damaged entry, which the reader of the list reports
    }
    count += static_cast<uint64_t>(live_docs.IsLive(entry.inlined.docids[i]));
  }
  return count;
}

}  // namespace pmdex
