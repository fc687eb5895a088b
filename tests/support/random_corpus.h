// Seeded random documents and queries for property tests: a Zipf vocabulary of short words over a
// small alphabet (so that prefixes, wildcards and edit distances meet), stop words, hyphenated and
// non-ASCII words, several fields of which some documents lack some. The same seed gives the same
// corpus everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pmdex {

// A small generator whose numbers are the same on every standard library.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed * 2 + 1) {}
  uint64_t Next();
  // 0..bound-1. Requires bound > 0.
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
  // Query text of every construct of the language; it parses. Phrases only on demand.
  std::string Query(bool phrases);

  static std::vector<std::string> FieldNames() { return {"body", "tag", "title"}; }

 private:
  std::string NewWord();
  const std::string& Word();  // frequent ones more often
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
