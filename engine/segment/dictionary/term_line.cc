#include "engine/segment/dictionary/term_line.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pmdex {
namespace {

constexpr size_t PositionBytes(uint8_t form) {
  const size_t in_line = (form >> kLineCfShift) + size_t{1};
  switch (form & kLinePositionsMask) {
    case kLineBytePositions:
      return in_line;
    case kLineWordPositions:
      return in_line * sizeof(uint16_t);
    case kLinePositionStart:
      return kPositionStartBytes;
    default:
      return 0;
  }
}

// The size of what follows the form, which the form and the size of docids say; 0 if there is no
// such form.
constexpr size_t BytesOfForm(uint8_t form, size_t docid_bytes) {
  const size_t df = form & kLineDfMask;
  if (form == kLineOfExtent) return kExtentRestBytes - 1;
  const uint8_t positions = form & kLinePositionsMask;
  const bool in_line = positions == kLineBytePositions || positions == kLineWordPositions;
  if (df == 0 || df > kMaxInlinePostings) return 0;
  if (in_line ? df > (form >> kLineCfShift) + size_t{1} : form >> kLineCfShift != 0) return 0;
  const bool has_freqs = (form & kLineHasFreqs) != 0;
  return df * (docid_bytes + 1 + (has_freqs ? 1 : 0)) + PositionBytes(form);
}

// Indexed by the size of docids, less 3, and by form.
constexpr std::array<std::array<uint8_t, 256>, 2> kFormBytes = [] {
  std::array<std::array<uint8_t, 256>, 2> table{};
  for (size_t wide = 0; wide < 2; ++wide) {
    for (size_t form = 0; form < 256; ++form) {
      table[wide][form] = static_cast<uint8_t>(BytesOfForm(static_cast<uint8_t>(form), 3 + wide));
    }
  }
  return table;
}();

// Requires a docid behind which another byte can be read.
DocId ReadDocId(const std::byte* bytes, size_t docid_bytes) {
  DocId doc = 0;
  std::memcpy(&doc, bytes, sizeof(doc));
  return docid_bytes == sizeof(doc) ? doc : doc & 0xffffff;
}

uint64_t ReadNumber(const std::byte* bytes) {
  static_assert(kPositionStartBytes == kExtentNumberBytes);
  uint64_t number = 0;
  std::memcpy(&number, bytes, kExtentNumberBytes);
  return number;
}

// Reads the positions of an inline list into its entry.
void ReadPositions(const TermLine& line, const std::byte* from, InlinePostings& inlined) {
  const size_t count = (line.form >> kLineCfShift) + size_t{1};
  switch (line.form & kLinePositionsMask) {
    case kLineBytePositions:
      for (size_t i = 0; i < count; ++i) inlined.positions[i] = std::to_integer<uint16_t>(from[i]);
      break;
    case kLineWordPositions:
      std::memcpy(inlined.positions, from, count * sizeof(uint16_t));
      break;
    case kLinePositionStart:
      inlined.position_start = ReadNumber(from);
      break;
    default:
      break;
  }
}

// The positions of an inline list, and the bits of the form that say where they are.
uint8_t WritePositions(const DictionaryEntry& entry, bool has_positions, std::byte*& out) {
  if (!has_positions) return kLineNoPositions;
  const InlinePostings& inlined = entry.inlined;
  if (entry.representation == Representation::kInline) {
    std::memcpy(out, &inlined.position_start, kPositionStartBytes);
    out += kPositionStartBytes;
    return kLinePositionStart;
  }
  const auto bits = static_cast<uint8_t>((entry.cf - 1) << kLineCfShift);
  if (std::any_of(std::begin(inlined.positions), std::end(inlined.positions),
                  [](uint16_t position) { return position > 0xff; })) {
    std::memcpy(out, inlined.positions, entry.cf * sizeof(uint16_t));
    out += entry.cf * sizeof(uint16_t);
    return bits | kLineWordPositions;
  }
  for (size_t i = 0; i < entry.cf; ++i) *out++ = static_cast<std::byte>(inlined.positions[i]);
  return bits | kLineBytePositions;
}

}  // namespace

TermLine ReadTermLine(std::span<const std::byte> bytes, size_t before_bytes, LineFormat format) {
  TermLine line;
  if (bytes.size() < kTermHeadBytes) return line;
  line.shared = std::to_integer<size_t>(bytes[0]);
  line.suffix_bytes = std::to_integer<size_t>(bytes[1]);
  const size_t form_at = kTermHeadBytes + line.suffix_bytes;
  if (line.suffix_bytes == 0 || line.shared > before_bytes || bytes.size() <= form_at ||
      line.shared + line.suffix_bytes > 255) {
    return line;
  }
  line.suffix = bytes.data() + kTermHeadBytes;
  line.form = std::to_integer<uint8_t>(bytes[form_at]);
  line.rest = bytes.data() + form_at + 1;
  const size_t form_bytes = kFormBytes[format.docid_bytes - 3][line.form];
  if (form_bytes != 0 && form_bytes <= bytes.size() - form_at - 1) {
    line.size_bytes = form_at + 1 + form_bytes;
  }
  return line;
}

DictionaryEntry InlineEntry(const TermLine& line, LineFormat format) {
  DictionaryEntry entry{};
  const uint32_t df = line.form & kLineDfMask;
  const uint8_t positions = line.form & kLinePositionsMask;
  entry.df = df;
  entry.representation = positions == kLineBytePositions || positions == kLineWordPositions
                             ? Representation::kInlineWithPositions
                             : Representation::kInline;
  const std::byte* from = line.rest;
  InlinePostings& inlined = entry.inlined;
  for (uint32_t i = 0; i < df; ++i, from += format.docid_bytes) {
    inlined.docids[i] = ReadDocId(from, format.docid_bytes);  // codes follow
  }
  std::memcpy(inlined.codes, from, df);
  from += df;
  if ((line.form & kLineHasFreqs) != 0) {
    std::memcpy(inlined.freqs, from, df);
    from += df;
  } else {
    std::fill_n(inlined.freqs, df, uint8_t{1});
  }
  entry.cf = std::accumulate(std::begin(inlined.freqs), std::end(inlined.freqs), uint64_t{0});
  ReadPositions(line, from, inlined);
  return entry;
}

uint32_t BucketOf(const TermLine& line) {
  uint32_t bucket = 0;
  std::memcpy(&bucket, line.rest, sizeof(bucket));
  return bucket;
}

DocumentsPlace DocumentsOf(const TermLine& line, LineFormat format) {
  DocumentsPlace place;
  place.is_inline = line.is_inline();
  if (place.is_inline) {
    place.df = line.form & kLineDfMask;
    for (uint32_t i = 0; i < place.df; ++i) {
      place.docids[i] = ReadDocId(line.rest + i * format.docid_bytes, format.docid_bytes);
    }
    return place;
  }
  std::memcpy(&place.df, line.rest + sizeof(uint32_t), sizeof(place.df));
  place.postings_offset = ReadNumber(line.rest + 2 * sizeof(uint32_t)) * format.extent_unit;
  return place;
}

size_t WriteInlineRest(const DictionaryEntry& entry, LineFormat format, bool has_positions,
                       std::byte* out) {
  const InlinePostings& inlined = entry.inlined;
  std::byte* at = out + 1;
  for (uint32_t i = 0; i < entry.df; ++i, at += format.docid_bytes) {
    std::memcpy(at, &inlined.docids[i], sizeof(DocId));  // codes overwrite the fourth byte
  }
  std::memcpy(at, inlined.codes, entry.df);
  at += entry.df;
  auto form = static_cast<uint8_t>(entry.df);
  if (entry.cf != entry.df) {
    form |= kLineHasFreqs;
    std::memcpy(at, inlined.freqs, entry.df);
    at += entry.df;
  }
  form |= WritePositions(entry, has_positions, at);
  *out = static_cast<std::byte>(form);
  return static_cast<size_t>(at - out);
}

size_t WriteExtentRest(const DictionaryEntry& entry, uint32_t bucket, std::byte* out) {
  const uint64_t unit = IsCompressed(entry.representation) ? kUnitExtentUnit : kExtentUnit;
  const uint64_t number = entry.lanes.postings_offset / unit;
  *out++ = static_cast<std::byte>(kLineOfExtent);
  std::memcpy(out, &bucket, sizeof(bucket));
  std::memcpy(out + sizeof(bucket), &entry.df, sizeof(entry.df));
  std::memcpy(out + 2 * sizeof(uint32_t), &number, kExtentNumberBytes);
  return kExtentRestBytes;
}

}  // namespace pmdex
