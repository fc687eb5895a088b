#include "engine/segment/dictionary/packed_entries.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "pmem/short_bytes.h"

namespace pmdex {
namespace {

// A packed entry begins with a Head, and the bytes of the key follow. In the entry of an inline
// list the docids, freqs and codes follow, and the eight bytes behind them unless they are 0. In
// other entries cf and lanes follow; these are the longest.
struct Head {
  uint32_t df;
  FieldId field;
  uint8_t term_bytes;
  Representation representation : 7;
  bool has_tail : 1;
};
static_assert(sizeof(Head) == 8);

size_t KeyBytes(uint8_t term_bytes) {
  return std::min<size_t>(term_bytes, kInlineTermBytes);
}

// The number of bytes of the key that depend on the term only: the hash of a long term.
size_t TermKeyBytes(uint8_t term_bytes) {
  return term_bytes > kInlineTermBytes ? sizeof(uint64_t) : term_bytes;
}

constexpr size_t kMostBodyBytes = sizeof(DictionaryEntry::cf) + sizeof(LanePostings);

// Copies N bytes to `out` and returns the end of the first `size`. A copy of a fixed size is
// faster.
template <size_t N>
std::byte* Put(std::byte* out, const void* bytes, size_t size) {
  std::memcpy(out, bytes, N);
  return out + size;
}

// Copies the first `size` bytes and sets the others of N bytes to 0. Returns the end of the first
// `size`. Requires that N bytes can be read.
template <size_t N>
const std::byte* Take(const std::byte* from, void* to, size_t size) {
  static constexpr std::array<std::array<uint8_t, N>, N + 1> kMasks = [] {
    std::array<std::array<uint8_t, N>, N + 1> masks{};
    for (size_t n = 0; n <= N; ++n) std::fill_n(masks[n].begin(), n, uint8_t{0xff});
    return masks;
  }();
  std::array<uint8_t, N> bytes;
  std::memcpy(bytes.data(), from, N);
  for (size_t i = 0; i < N; ++i) bytes[i] &= kMasks[size][i];
  std::memcpy(to, bytes.data(), N);
  return from + size;
}

bool HasTail(const DictionaryEntry& entry) {
  return IsInline(entry.representation) && entry.inlined.position_start != 0;
}

// Writes what follows the key and returns its end. Requires room for kMostBodyBytes.
std::byte* PutBody(std::byte* out, const DictionaryEntry& entry) {
  if (entry.representation == Representation::kEmpty) return out + kMostBodyBytes;
  if (!IsInline(entry.representation)) {
    out = Put<sizeof(entry.cf)>(out, &entry.cf, sizeof(entry.cf));
    return Put<sizeof(entry.lanes)>(out, &entry.lanes, sizeof(entry.lanes));
  }
  const InlinePostings& inlined = entry.inlined;
  out = Put<sizeof(inlined.docids)>(out, inlined.docids, entry.df * sizeof(DocId));
  out = Put<sizeof(inlined.freqs)>(out, inlined.freqs, entry.df);
  out = Put<sizeof(inlined.codes)>(out, inlined.codes, entry.df);
  return Put<sizeof(inlined.positions)>(out, inlined.positions,
                                        HasTail(entry) ? sizeof(inlined.positions) : 0);
}

Head HeadOf(const DictionaryEntry& entry) {
  Head head{};
  head.df = entry.df;
  head.field = entry.field;
  head.term_bytes = entry.term_bytes;
  head.representation = entry.representation;
  head.has_tail = HasTail(entry);
  return head;
}

}  // namespace

uint64_t PackedEntries::EstimateMemory(const WriterCounts& counts) {
  const uint64_t key_bytes = std::min(counts.term_bytes, counts.terms * kInlineTermBytes);
  // The more first postings a term has, the larger is its entry. No size lies above the line from
  // the entry of one posting to that of an extent. twice_slope is the slope of this line, doubled.
  const uint64_t one_posting = sizeof(DocId) + 2 * sizeof(uint8_t) +
                               (counts.has_positions ? sizeof(InlinePostings::positions) : 0);
  const uint64_t twice_slope = (kMostBodyBytes - one_posting) * 2 / kMaxInlinePostings;
  const uint64_t body_bytes = counts.terms * one_posting +
                              (counts.FurtherPostings() * twice_slope + 1) / 2 +
                              counts.ForcedExtents() * (kMostBodyBytes - one_posting);
  const uint64_t place_bytes =
      counts.terms * sizeof(decltype(distances_)::value_type) +
      (counts.terms / kGroup + 1) * sizeof(decltype(group_places_)::value_type);
  return ByteChunks::EstimateMemory(counts.terms * sizeof(Head) + key_bytes + body_bytes) +
         place_bytes;
}

void PackedEntries::Add(const DictionaryEntry& entry) {
  std::byte* const begin = bytes_.Room();
  const Head head = HeadOf(entry);
  std::byte* end = Put<sizeof(head)>(begin, &head, sizeof(head));
  end = Put<kInlineTermBytes>(end, entry.key, KeyBytes(entry.term_bytes));
  end = PutBody(end, entry);
  const uint64_t place = bytes_.Commit(static_cast<size_t>(end - begin));
  if (distances_.size() % kGroup == 0) group_places_.push_back(place);
  distances_.push_back(static_cast<uint16_t>(place - group_places_.back()));
}

bool PackedEntries::Set(uint64_t index, const DictionaryEntry& entry) {
  std::byte* const begin = bytes_.At(PlaceOf(index));
  Head head;
  std::memcpy(&head, begin, sizeof(head));
  if (head.representation != Representation::kEmpty || head.field != entry.field ||
      head.term_bytes != entry.term_bytes ||
      std::memcmp(begin + sizeof(head), entry.key, TermKeyBytes(entry.term_bytes)) != 0) {
    return false;
  }
  head = HeadOf(entry);
  std::memcpy(begin, &head, sizeof(head));
  PutBody(begin + sizeof(head) + KeyBytes(entry.term_bytes), entry);
  return true;
}

void PackedEntries::Get(uint64_t index, DictionaryEntry& entry) const {
  // Bytes that are read behind the piece lie in the same chunk, because Room() returns
  // kMaxPieceBytes.
  static_assert(sizeof(Head) + sizeof(DictionaryEntry) <= ByteChunks::kMaxPieceBytes);
  const std::byte* from = At(index);
  const Head head = LoadWord<Head>(from);
  from = Take<kInlineTermBytes>(from + sizeof(head), entry.key, KeyBytes(head.term_bytes));
  entry.field = head.field;
  entry.term_bytes = head.term_bytes;
  entry.representation = head.representation;
  entry.df = head.df;
  if (!IsInline(head.representation)) {
    std::memcpy(&entry.cf, from, sizeof(entry.cf));
    std::memcpy(&entry.lanes, from + sizeof(entry.cf), sizeof(entry.lanes));
    return;
  }
  InlinePostings& inlined = entry.inlined;
  from = Take<sizeof(inlined.docids)>(from, inlined.docids, head.df * sizeof(DocId));
  from = Take<sizeof(inlined.freqs)>(from, inlined.freqs, head.df);
  from = Take<sizeof(inlined.codes)>(from, inlined.codes, head.df);
  Take<sizeof(inlined.positions)>(from, inlined.positions,
                                  head.has_tail ? sizeof(inlined.positions) : 0);
  entry.cf = std::accumulate(std::begin(inlined.freqs), std::end(inlined.freqs), uint64_t{0});
}

}  // namespace pmdex
