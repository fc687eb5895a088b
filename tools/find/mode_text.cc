#include "tools/find/mode_text.h"

#include <charconv>

namespace pmdex {
namespace {

constexpr uint32_t kAllBits = 07777;
constexpr uint32_t kReadBits = 0444;
constexpr uint32_t kWriteBits = 0222;
constexpr uint32_t kSearchBits = 0111;

// The bits of the classes that a clause is about.
struct Classes {
  uint32_t bits = 0;  // of r, w and x
  bool user = false;
  bool group = false;
  bool other = false;
};

Classes TakeClasses(std::string_view& text) {
  Classes classes;
  for (; !text.empty(); text.remove_prefix(1)) {
    const char c = text[0];
    if (c == 'u' || c == 'a') classes.user = true;
    if (c == 'g' || c == 'a') classes.group = true;
    if (c == 'o' || c == 'a') classes.other = true;
    if (c != 'u' && c != 'g' && c != 'o' && c != 'a') break;
  }
  if (!classes.user && !classes.group && !classes.other) {
    classes.user = classes.group = classes.other = true;  // the umask counts for nothing here
  }
  classes.bits =
      (classes.user ? 0700u : 0) | (classes.group ? 0070u : 0) | (classes.other ? 0007u : 0);
  return classes;
}

bool EndsLetters(std::string_view text) {
  return text.empty() || text[0] == ',' || text[0] == '+' || text[0] == '-' || text[0] == '=';
}

// Of "g=u": the bits that the class of the letter has so far, for the classes of the clause.
std::optional<uint32_t> TakeCopy(const Classes& classes, uint32_t before, std::string_view& text) {
  const uint32_t shift = text[0] == 'u' ? 6 : text[0] == 'g' ? 3 : 0;
  text.remove_prefix(1);
  if (!EndsLetters(text)) return std::nullopt;
  return (before >> shift & 07) * 0111 & classes.bits;
}

// The bits of the letters behind an operator. nullopt for other letters.
std::optional<uint32_t> TakeBits(const Classes& classes, uint32_t before, bool is_directory,
                                 std::string_view& text) {
  if (text.starts_with('u') || text.starts_with('g') || text.starts_with('o')) {
    return TakeCopy(classes, before, text);
  }
  uint32_t bits = 0;
  for (; !EndsLetters(text); text.remove_prefix(1)) {
    switch (text[0]) {
      case 'r':
        bits |= classes.bits & kReadBits;
        break;
      case 'w':
        bits |= classes.bits & kWriteBits;
        break;
      case 'x':
        bits |= classes.bits & kSearchBits;
        break;
      case 'X':
        if (is_directory || (before & kSearchBits) != 0) bits |= classes.bits & kSearchBits;
        break;
      case 's':
        bits |= (classes.user ? 04000u : 0) | (classes.group ? 02000u : 0);
        break;
      case 't':
        bits |= classes.other ? 01000u : 0;
        break;
      default:
        return std::nullopt;
    }
  }
  return bits;
}

std::optional<uint32_t> ParseSymbolic(std::string_view text, bool is_directory) {
  uint32_t mode = 0;
  for (;;) {
    const Classes classes = TakeClasses(text);
    if (text.empty()) return std::nullopt;
    while (!text.empty() && text[0] != ',') {
      const char operation = text[0];
      if (operation != '+' && operation != '-' && operation != '=') return std::nullopt;
      text.remove_prefix(1);
      const auto bits = TakeBits(classes, mode, is_directory, text);
      if (!bits.has_value()) return std::nullopt;
      if (operation == '-') {
        mode &= ~*bits;
      } else {
        mode = (operation == '=' ? mode & ~classes.bits : mode) | *bits;
      }
    }
    if (text.empty()) return mode;
    text.remove_prefix(1);
  }
}

char Letter(uint32_t mode, uint32_t bit, char letter) {
  return (mode & bit) != 0 ? letter : '-';
}

char SearchLetter(uint32_t mode, uint32_t search, uint32_t special, char with, char without) {
  if ((mode & special) == 0) return Letter(mode, search, 'x');
  return (mode & search) != 0 ? with : without;
}

}  // namespace

bool ModeTest::Holds(uint32_t mode) const {
  switch (kind) {
    case Kind::kExactly:
      return (mode & kAllBits) == bits;
    case Kind::kAllOf:
      return (mode & bits) == bits;
    case Kind::kAnyOf:
      break;
  }
  return bits == 0 || (mode & bits) != 0;
}

std::optional<ModeTest> ParseModeTest(std::string_view text) {
  ModeTest test;
  if (text.starts_with('-')) test.kind = ModeTest::Kind::kAllOf;
  if (text.starts_with('/')) test.kind = ModeTest::Kind::kAnyOf;
  if (test.kind != ModeTest::Kind::kExactly) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), test.bits, 8);
  if (error == std::errc() && end == text.data() + text.size() && test.bits <= kAllBits) {
    test.directory_bits = test.bits;
    return test;
  }
  const auto bits = ParseSymbolic(text, /*is_directory=*/false);
  const auto directory_bits = ParseSymbolic(text, /*is_directory=*/true);
  if (!bits.has_value() || !directory_bits.has_value()) return std::nullopt;
  test.bits = *bits;
  test.directory_bits = *directory_bits;
  return test;
}

std::string ModeLetters(char type, uint32_t mode) {
  std::string letters(1, type == 'f' ? '-' : type);
  letters += Letter(mode, 0400, 'r');
  letters += Letter(mode, 0200, 'w');
  letters += SearchLetter(mode, 0100, 04000, 's', 'S');
  letters += Letter(mode, 0040, 'r');
  letters += Letter(mode, 0020, 'w');
  letters += SearchLetter(mode, 0010, 02000, 's', 'S');
  letters += Letter(mode, 0004, 'r');
  letters += Letter(mode, 0002, 'w');
  letters += SearchLetter(mode, 0001, 01000, 't', 'T');
  return letters;
}

}  // namespace pmdex
