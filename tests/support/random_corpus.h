// Random documents and queries for property tests. The words are short, over a small alphabet and
// with the frequencies of Zipf's law, so that prefixes, wildcards and fuzzy words match many of
// them. There are stop words, words with hyphens and words that are not ASCII. Documents lack some
// of the fields. The same seed gives the same corpus on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmdex {

// A random number generator with the same numbers in every standard library.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Next();
  // A number less than bound. Requires bound > 0.
  size_t Below(size_t bound) { return static_cast<size_t>(Next() % bound); }
  bool OneIn(size_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

struct CorpusDocument {
  std::string id;
  std::vector<std::pair<std::string, std::string>> fields;  // name, text
};

class RandomCorpus {
 public:
  explicit RandomCorpus(uint64_t seed, size_t vocabulary = 300);

  std::vector<CorpusDocument> Documents(size_t count);
  // The text of a valid query with any constructs of the query language; phrases only if `phrases`.
  std::string Query(bool phrases);

  static std::vector<std::string> FieldNames() { return {"body", "tag", "title"}; }

 private:
  std::string NewWord();
  const std::string& Word();  // by the frequencies of the words
  std::string Text(size_t words);
  std::string Group(size_t depth, bool phrases);
  std::string Clause(size_t depth, bool phrases);
  std::string Leaf(bool phrases);
  std::string Phrase();
  std::string Pattern();

  SeededRandom random_;
  std::vector<std::string> words_;
};

}  // namespace pmdex
