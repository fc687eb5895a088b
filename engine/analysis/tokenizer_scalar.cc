#include "engine/analysis/tokenizer_scalar.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

enum ByteClass : uint8_t { kBreak, kMid, kWord, kUnderscore, kNonAscii };

constexpr bool IsAsciiLetter(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
constexpr bool IsAsciiDigit(int c) {
  return c >= '0' && c <= '9';
}

template <typename Rules>
constexpr ByteClass ClassOfByte(int c) {
  if (c >= 0x80) return kNonAscii;
  if (IsAsciiLetter(c) || IsAsciiDigit(c)) return kWord;
  if (c == '_' && Rules::kUnderscoreInWord) return kUnderscore;
  if (Rules::kMidPunctuation && (c == '.' || c == '\'' || c == ',' || c == ';')) return kMid;
  return kBreak;
}

template <typename Rules>
constexpr std::array<ByteClass, 256> MakeByteClasses() {
  std::array<ByteClass, 256> classes{};
  for (int c = 0; c < 256; ++c) classes[static_cast<size_t>(c)] = ClassOfByte<Rules>(c);
  return classes;
}

template <typename Rules>
constexpr std::array<ByteClass, 256> kByteClasses = MakeByteClasses<Rules>();

template <typename Rules>
ByteClass ClassOf(char c) {
  return kByteClasses<Rules>[static_cast<unsigned char>(c)];
}

// Whether mid, between the two ASCII characters, belongs to their word (WB6, WB7, WB11, WB12).
bool MidJoins(char before, char mid, char after) {
  const bool letters = IsAsciiLetter(before) && IsAsciiLetter(after);
  const bool digits = IsAsciiDigit(before) && IsAsciiDigit(after);
  return digits || (letters && (mid == '.' || mid == '\''));
}

constexpr uint64_t EachByte(uint8_t byte) {
  return 0x0101010101010101ULL * byte;
}
constexpr uint64_t kHighBits = EachByte(0x80);

// The high bit of each byte of x within [low, high]. Requires: no byte of x above 0x7F.
constexpr uint64_t InRange(uint64_t x, uint8_t low, uint8_t high) {
  return (x + EachByte(static_cast<uint8_t>(0x80 - low))) &
         ~(x + EachByte(static_cast<uint8_t>(0x7F - high))) & kHighBits;
}

// Eight bytes of text at p; NUL, which is in no word, beyond end.
uint64_t LoadEight(const char* p, const char* end) {
  uint64_t x = 0;
  const auto available = static_cast<size_t>(end - p);
  if (available >= 8) [[likely]] {
    std::memcpy(&x, p, 8);
  } else {
    std::memcpy(&x, p, available);
  }
  return x;
}

// Writes the lower case of eight bytes to out; returns how many from the first on are word
// characters.
template <bool kWithUnderscore>
size_t LowerEight(uint64_t x, char* out) {
  const uint64_t ascii = x & ~kHighBits;
  const uint64_t letters = InRange(ascii | EachByte(0x20), 'a', 'z') & ~x;
  uint64_t words = letters | (InRange(ascii, '0', '9') & ~x);
  if constexpr (kWithUnderscore) words |= InRange(ascii, '_', '_') & ~x;
  const uint64_t lower = x | (letters >> 2);
  std::memcpy(out, &lower, 8);
  return static_cast<size_t>(std::countr_zero(words ^ kHighBits)) / 8;
}

// How many of eight bytes, from the first on, are ASCII that is neither space nor control
// character: the bytes that need no look at the table.
size_t CountVisible(uint64_t x) {
  const uint64_t visible = InRange(x & ~kHighBits, 0x21, 0x7E) & ~x;
  return static_cast<size_t>(std::countr_zero(visible ^ kHighBits)) / 8;
}

}  // namespace

template <typename Rules>
uint32_t WordTokenizer<Rules>::Tokenize(std::string_view text, uint32_t first_position,
                                        TokenSink& sink) {
  PMDEX_CHECK(text.size() <= kMaxTextBytes);
  text_ = text.data();
  end_ = text_ + text.size();
  batch_.Start(sink, first_position);
  const bool fast = path_ == TokenizerPath::kFast;
  for (const char* p = text_; p != end_;) {
    const ByteClass first = ClassOf<Rules>(*p);
    if (first <= kMid) {
      ++p;
    } else if (first == kWord && fast) {
      const char* after = AsciiWord(p);
      p = after != nullptr ? after : ScannedWord(p);
    } else {
      p = ScannedWord(p);
    }
  }
  return batch_.Finish();
}

// Takes the word that begins at p and returns its end; nullptr, and nothing taken, when bytes
// beyond ASCII or the length have a say.
template <typename Rules>
const char* WordTokenizer<Rules>::AsciiWord(const char* p) {
  char* const out = batch_.Room();
  const char* const end = end_;  // a copy that the stores to out cannot change
  const char* q = p;
  for (;;) {
    const size_t n = LowerEight<Rules::kUnderscoreInWord>(LoadEight(q, end), out + (q - p));
    q += n;
    if (n == 8) {
      if (static_cast<size_t>(q - p) > kMaxTokenBytes) return nullptr;
      continue;
    }
    if (q == end) break;
    const ByteClass next = ClassOf<Rules>(*q);
    if (next == kBreak) break;
    if (next == kNonAscii) return nullptr;
    if constexpr (Rules::kMidPunctuation) {
      if (q + 1 == end) break;
      if (ClassOf<Rules>(q[1]) == kNonAscii) return nullptr;
      if (!MidJoins(q[-1], *q, q[1])) break;
      out[q - p] = *q;
      ++q;
      if (static_cast<size_t>(q - p) > kMaxTokenBytes) return nullptr;
    }
  }
  const auto size = static_cast<size_t>(q - p);
  if (size > kMaxTokenBytes) return nullptr;
  batch_.CommitRoom(size, Offset(p), Offset(q));
  return q;
}

// Takes the word that begins at p, if any, by the scanner; returns where to go on.
template <typename Rules>
const char* WordTokenizer<Rules>::ScannedWord(const char* p) {
  typename Rules::Scanner scanner(end_, table_);
  if (!scanner.Start(p)) return scanner.position();
  char* const out = batch_.Room();
  size_t size = 0;
  bool simple = true;
  while (scanner.Advance()) {
    if (static_cast<size_t>(scanner.position() - p) > 4 * kMaxTokenBytes) return LongWord(p);
    const char32_t folded = scanner.current().info.simple_fold();
    simple = simple && folded != 0;
    if (simple) size += EncodeUtf8(folded, out + size);
    if (size > kMaxTokenBytes) return LongWord(p);
  }
  const char* const word_end = scanner.position();
  if (!simple) {
    const std::string_view folded = folder_.Fold({p, static_cast<size_t>(word_end - p)});
    size = folded.size();
    if (size > kMaxTokenBytes) return LongWord(p);
    std::memcpy(out, folded.data(), size);
  }
  if (size > 0) batch_.CommitRoom(size, Offset(p), Offset(word_end));
  return word_end;
}

// ScannedWord in constant memory, for a word that gives more than one token.
template <typename Rules>
const char* WordTokenizer<Rules>::LongWord(const char* p) {
  typename Rules::Scanner scanner(end_, table_);
  scanner.Start(p);
  PieceWriter pieces(batch_, text_);
  const char* cluster = p;
  while (scanner.Advance()) {
    const ScannedChar& c = scanner.current();
    if (c.info.starts_cluster() || static_cast<size_t>(c.begin - cluster) >= kMaxClusterBytes) {
      FoldCluster(cluster, c.begin, pieces);
      cluster = c.begin;
    }
  }
  FoldCluster(cluster, scanner.position(), pieces);
  pieces.Finish();
  return scanner.position();
}

template <typename Rules>
void WordTokenizer<Rules>::FoldCluster(const char* begin, const char* end, PieceWriter& pieces) {
  if (begin == end) return;
  const ScannedChar first = ScanChar(begin, end, table_);
  const char32_t simple = first.info.simple_fold();
  if (first.end == end && simple != 0) {
    std::array<char, 4> utf8;
    pieces.Append({utf8.data(), EncodeUtf8(simple, utf8.data())}, begin, end);
  } else {
    pieces.Append(folder_.Fold({begin, static_cast<size_t>(end - begin)}), begin, end);
  }
}

template class WordTokenizer<StandardRules>;
template class WordTokenizer<LogRules>;

uint32_t WhitespaceTokenizer::Tokenize(std::string_view text, uint32_t first_position,
                                       TokenSink& sink) {
  PMDEX_CHECK(text.size() <= kMaxTextBytes);
  text_ = text.data();
  end_ = text_ + text.size();
  batch_.Start(sink, first_position);
  for (const char* p = text_; p != end_;) {
    const ScannedChar c = ScanChar(p, end_, table_);
    p = c.info.is_space() ? c.end : Word(p);
  }
  return batch_.Finish();
}

// Takes the piece that begins at p, a word's begin or a border within it; returns its end.
const char* WhitespaceTokenizer::Word(const char* p) {
  const char* q = p;
  while (q != end_) {
    if (const size_t visible = CountVisible(LoadEight(q, end_)); visible > 0) {
      q = std::min(q + visible, p + kMaxTokenBytes);
    } else if (*q == ' ' || (*q >= '\t' && *q <= '\r')) {
      break;  // the white space of ASCII
    } else {
      const DecodedChar c = DecodeUtf8(q, end_);
      if (!c.valid) return RepairedPiece(p, q);
      if (table_.Get(c.value).is_space()) break;
      if (static_cast<size_t>(q + c.size - p) > kMaxTokenBytes) break;
      q += c.size;
    }
    if (static_cast<size_t>(q - p) == kMaxTokenBytes) break;
  }
  CommitPiece(p, q);
  return q;
}

// A piece is a view of the text, unless the text ends too close behind its begin.
void WhitespaceTokenizer::CommitPiece(const char* begin, const char* end) {
  const auto size = static_cast<size_t>(end - begin);
  if (static_cast<size_t>(end_ - begin) >= kReadableTermBytes) [[likely]] {
    batch_.Commit({begin, size}, Offset(begin), Offset(end));
  } else {
    std::memcpy(batch_.Room(), begin, size);
    batch_.CommitRoom(size, Offset(begin), Offset(end));
  }
}

// Word from q on, where an invalid byte is: the valid [begin, q) and what follows are copied.
const char* WhitespaceTokenizer::RepairedPiece(const char* begin, const char* q) {
  char* const out = batch_.Room();
  auto size = static_cast<size_t>(q - begin);
  std::memcpy(out, begin, size);
  while (q != end_) {
    const DecodedChar c = DecodeUtf8(q, end_);
    if (table_.Get(c.value).is_space()) break;
    const size_t length = c.valid ? c.size : kReplacementUtf8.size();
    if (size + length > kMaxTokenBytes) break;
    std::memcpy(out + size, c.valid ? q : kReplacementUtf8.data(), length);
    size += length;
    q += c.size;
  }
  batch_.CommitRoom(size, Offset(begin), Offset(q));
  return q;
}

}  // namespace pmdex
