#include "engine/ingest/logs/stamp_search.h"

#include <array>

#include "engine/ingest/logs/stamp_forms.h"

namespace pmdex {
namespace {

enum CharacterClass : unsigned char { kOther = 0, kBoundary = 1, kDigit = 2, kMonthLetter = 4 };

// A stamp begins behind one of the boundaries. A dot, a slash and a hyphen are none, because a
// stamp in a file name is not that of the line.
constexpr std::array<unsigned char, 256> MakeClasses() {
  std::array<unsigned char, 256> classes = {};
  for (const char c : std::string_view(" \t[(<>\"'=:,|{;@#")) {
    classes[static_cast<unsigned char>(c)] = kBoundary;
  }
  for (char c = '0'; c <= '9'; ++c) classes[static_cast<unsigned char>(c)] = kDigit;
  for (const char c : std::string_view("JFMASOND")) {
    classes[static_cast<unsigned char>(c)] = kMonthLetter;
  }
  return classes;
}

constexpr std::array<unsigned char, 256> kClasses = MakeClasses();

}  // namespace

std::optional<LogStamp> FindLogStamp(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.empty()) return std::nullopt;
  if (const auto stamp = StampOfGlog(line)) return stamp;
  // An indented line mostly goes on with the line before, and a number in it is any number.
  const bool may_be_epoch = line[0] != ' ' && line[0] != '\t';
  const size_t end = line.size() < kMostBytesBeforeStamp ? line.size() : kMostBytesBeforeStamp;
  unsigned char before = kBoundary;
  for (size_t i = 0; i < end; ++i) {
    const unsigned char here = kClasses[static_cast<unsigned char>(line[i])];
    if (before == kBoundary && here > kBoundary) {
      const std::string_view text = line.substr(i);
      const auto stamp = here == kDigit
                             ? StampAtDigit(text, i == 0 ? '\0' : line[i - 1], may_be_epoch)
                             : StampAtMonth(text);
      if (stamp.has_value()) return stamp;
    }
    before = here;
  }
  return std::nullopt;
}

}  // namespace pmdex
