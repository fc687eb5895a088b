#include "engine/analysis/tokenizer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pmem/check.h"

namespace pmdex {
namespace {

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

// The ByteClass bits of c.
template <typename Rules>
uint8_t ClassOf(char c) {
  return kByteClasses<typename Rules::Ascii>[static_cast<unsigned char>(c)];
}

// Whether mid, between the two characters, belongs to their word; all by their classes.
bool MidJoins(uint8_t before, uint8_t mid, uint8_t after) {
  const bool letters = (mid & ByteClass::kMidLetter) != 0 && (before & ByteClass::kLetter) != 0 &&
                       (after & ByteClass::kLetter) != 0;
  const bool digits = (mid & ByteClass::kMidDigit) != 0 && (before & ByteClass::kDigit) != 0 &&
                      (after & ByteClass::kDigit) != 0;
  return letters || digits;
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

// Takes the text by the kernel, if there is one, and from where that stops by take_one(p), which
// returns where to go on.
template <typename TakeOne>
uint32_t TokenizeBy(WordKernel kernel, TokenBatch& batch, std::string_view text,
                    uint32_t first_position, TokenSink& sink, TakeOne take_one) {
  PMDEX_CHECK(text.size() <= kMaxTextBytes);
  const char* p = text.data();
  const char* const end = p + text.size();
  batch.Start(sink, first_position);
  while (p != end) {
    if (kernel != nullptr) {
      p = kernel(batch.cursor(), text.data(), p, end);
      if (batch.FlushIfFull() || p == end) continue;
    }
    p = take_one(p);
  }
  return batch.Finish();
}

}  // namespace

template <typename Rules>
WordTokenizer<Rules>::WordTokenizer(SimdLevel level)
    : kernel_(Rules::KernelOf(WordKernelsOf(level))) {}

template <typename Rules>
WordTokenizer<Rules>::WordTokenizer(ScannerOnly) : scanner_only_(true) {}

template <typename Rules>
uint32_t WordTokenizer<Rules>::Tokenize(std::string_view text, uint32_t first_position,
                                        TokenSink& sink) {
  text_ = text.data();
  end_ = text_ + text.size();
  return TokenizeBy(kernel_, batch_, text, first_position, sink,
                    [this](const char* p) { return OneByOne(p); });
}

// Takes words one at a time: all of them, or where there is a kernel those up to the next that may
// be for it.
template <typename Rules>
const char* WordTokenizer<Rules>::OneByOne(const char* p) {
  constexpr uint8_t kAlphanumeric = ByteClass::kLetter | ByteClass::kDigit;
  const bool fast = !scanner_only_;
  uint8_t first = ClassOf<Rules>(*p);
  do {
    if ((first & ~ByteClass::kMid) == 0) {
      ++p;
    } else if ((first & kAlphanumeric) != 0 && fast) {
      const char* after = AsciiWord(p);
      p = after != nullptr ? after : ScannedWord(p);
    } else {
      p = ScannedWord(p);
    }
    if (p == end_) break;
    first = ClassOf<Rules>(*p);
  } while (kernel_ == nullptr || (first & ByteClass::kInWord) == 0);
  return p;
}

// Takes the word that begins at p and returns its end; nullptr, and nothing taken, when bytes
// beyond ASCII or the length have a say.
template <typename Rules>
const char* WordTokenizer<Rules>::AsciiWord(const char* p) {
  using Ascii = typename Rules::Ascii;
  char* const out = batch_.Room();
  const char* const end = end_;  // a copy that the stores to out cannot change
  const char* q = p;
  for (;;) {
    const size_t n = LowerEight<Ascii::kUnderscoreInWord>(LoadEight(q, end), out + (q - p));
    q += n;
    if (n == 8) {
      if (static_cast<size_t>(q - p) > kMaxTokenBytes) return nullptr;
      continue;
    }
    if (q == end) break;
    const uint8_t next = ClassOf<Rules>(*q);
    if (next == 0) break;
    if (next == ByteClass::kNonAscii) return nullptr;
    if constexpr (Ascii::kMidPunctuation) {
      if (q + 1 == end) break;
      const uint8_t after = ClassOf<Rules>(q[1]);
      if (after == ByteClass::kNonAscii) return nullptr;
      if (!MidJoins(ClassOf<Rules>(q[-1]), next, after)) break;
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

WhitespaceTokenizer::WhitespaceTokenizer(SimdLevel level)
    : kernel_(WordKernelsOf(level).whitespace) {}

uint32_t WhitespaceTokenizer::Tokenize(std::string_view text, uint32_t first_position,
                                       TokenSink& sink) {
  text_ = text.data();
  end_ = text_ + text.size();
  return TokenizeBy(kernel_, batch_, text, first_position, sink, [this](const char* p) {
    const ScannedChar c = ScanChar(p, end_, table_);
    return c.info.is_space() ? c.end : Word(p);
  });
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
