#include "tests/support/random_corpus.h"

#include <cmath>

#include "engine/analysis/code_points.h"

namespace pmdex {

// splitmix64.
uint64_t SeededRandom::Next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

RandomCorpus::RandomCorpus(uint64_t seed, size_t vocabulary) : random_(seed) {
  words_ = {"the", "of", "running", "runs", "wi-fi", "Caf\u00e9"};
  while (words_.size() < vocabulary) words_.push_back(NewWord());
}

std::string RandomCorpus::NewWord() {
  static const std::string kLetters[] = {"a", "b", "c", "d", "e", "B", "7", "\u00e9"};
  std::string word;
  for (size_t n = 1 + random_.Below(6); n > 0; --n) word += kLetters[random_.Below(8)];
  if (random_.OneIn(12)) word += "-" + std::to_string(random_.Below(10));
  return word;
}

const std::string& RandomCorpus::Word() {
  // Rank r with a probability of about 1 / r.
  const double u = static_cast<double>(random_.Below(1u << 30)) / static_cast<double>(1u << 30);
  const double rank = std::pow(static_cast<double>(words_.size()), u);
  return words_[static_cast<size_t>(rank) - 1];
}

std::string RandomCorpus::Text(size_t words) {
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    if (i != 0) text += ' ';
    text += Word();
  }
  return text;
}

std::vector<CorpusDocument> RandomCorpus::Documents(size_t count) {
  std::vector<CorpusDocument> documents(count);
  for (size_t i = 0; i < count; ++i) {
    CorpusDocument& document = documents[i];
    document.id = "doc-" + std::to_string(i);
    if (!random_.OneIn(9)) {
      const size_t length = random_.OneIn(15) ? 400 : 25;
      document.fields.emplace_back("body", Text(random_.Below(length)));
    }
    if (!random_.OneIn(3)) document.fields.emplace_back("title", Text(1 + random_.Below(5)));
    if (random_.OneIn(4)) document.fields.emplace_back("tag", Text(1));
  }
  return documents;
}

std::string RandomCorpus::Query(bool phrases) {
  return Group(0, phrases);
}

std::string RandomCorpus::Group(size_t depth, bool phrases) {
  static const std::string kOperators[] = {" ", " ", " AND ", " OR ", " && ", " || "};
  static const std::string kModifiers[] = {"", "", "", "", "+", "-", "NOT ", "!"};
  std::string text;
  for (size_t i = 0, n = 1 + random_.Below(depth == 0 ? 5 : 3); i < n; ++i) {
    if (i != 0) text += kOperators[random_.Below(6)];
    text += kModifiers[random_.Below(8)];
    text += Clause(depth, phrases);
  }
  return text;
}

std::string RandomCorpus::Clause(size_t depth, bool phrases) {
  static const std::string kFields[] = {"body:", "title:", "tag:", "nofield:"};
  std::string text;
  if (random_.OneIn(4)) text = kFields[random_.Below(random_.OneIn(5) ? 4 : 3)];
  const bool group = depth < 3 && random_.OneIn(4);
  text += group ? "(" + Group(depth + 1, phrases) + ")" : Leaf(phrases);
  if (random_.OneIn(8)) text += "^" + std::to_string(random_.Below(4)) + ".5";
  return text;
}

std::string RandomCorpus::Leaf(bool phrases) {
  switch (random_.Below(phrases ? 12 : 9)) {
    case 0:
      return random_.OneIn(2) ? "*" : "zz" + Word();
    case 1:
    case 2:
      return Pattern();
    case 3:
      return Word() + "~" + (random_.OneIn(3) ? "" : std::to_string(random_.Below(3)));
    case 9:
    case 10:
    case 11:
      return Phrase();
    default:
      return Word();
  }
}

std::string RandomCorpus::Phrase() {
  std::string text = "\"" + Text(1 + random_.Below(4)) + "\"";
  if (random_.OneIn(2)) text += "~" + std::to_string(random_.Below(8));
  return text;
}

std::string RandomCorpus::Pattern() {
  std::vector<std::string> characters;
  const std::string word = Word();
  for (std::string_view rest = word; !rest.empty();) {
    const size_t size = CodePointBytes(rest);
    characters.emplace_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  if (random_.OneIn(2)) {
    std::string prefix;
    for (size_t i = 0, n = 1 + random_.Below(characters.size()); i < n; ++i) {
      prefix += characters[i];
    }
    return prefix + "*";
  }
  characters[random_.Below(characters.size())] = random_.OneIn(2) ? "?" : "*";
  characters[random_.Below(characters.size())] = random_.OneIn(2) ? "?" : "*";
  if (characters[0] == "-") characters[0] = "?";
  std::string pattern;
  for (const std::string& character : characters) pattern += character;
  return pattern;
}

}  // namespace pmdex
