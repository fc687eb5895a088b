// Seeded texts made to be hard on tokenizers: short alphabets in which every rule has its
// characters.
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// 0 to max_pieces pieces drawn from the alphabet, joined.
inline std::string RandomText(std::mt19937_64& random, const std::vector<std::string>& alphabet,
                              size_t max_pieces) {
  std::string text;
  const size_t pieces = random() % (max_pieces + 1);
  for (size_t i = 0; i < pieces; ++i) text += alphabet[random() % alphabet.size()];
  return text;
}

inline std::vector<std::string> NastyAscii() {
  std::vector<std::string> alphabet;
  for (const char c : std::string_view("aZz09__..'',;:@ \n\t-/\"[`{A")) {
    alphabet.emplace_back(1, c);
  }
  for (const char c : std::string_view("\0\x01\x7f^~", 5)) alphabet.emplace_back(1, c);
  alphabet.emplace_back("words");
  alphabet.emplace_back("sevenand8");
  return alphabet;
}

// Characters of every word-break class that dictionaries leave alone, and ignorable ones.
inline std::vector<std::string> NastyUnicode() {
  return {"é",      "ß",      "İ",      "Σ",      "ς",      "ﬁ",      "１",         "٣",
          "א",      "ב",      "\"",     "'",      "’",      "·",      "․",          "：",
          "‿",      "\u0301", "\u0323", "\u00ad", "\u200d", "\u2060", "\ufe0f",     "\u0345",
          "한",     "각",     "\u1100", "\u1161", "\u11a8", "क",      "\u094d",     "\u0937",
          "\u09c7", "\u09be", "€",      "\u00a0", "\u2028", "ﷺ",      "\U0001d400", "\U00010400"};
}

inline std::vector<std::string> InvalidUtf8() {
  return {"\xff",        "\xc3", "\x80", "\xe2\x82", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80",
          "\xf0\x9f\x98"};
}

inline std::vector<std::string> Joined(std::vector<std::string> a,
                                       const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace pmdex
