// A small segment and random words for the tests of walks over an ordered dictionary.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>

#include "engine/segment/segment.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"

namespace pmdex {

// The field of SegmentOfTerms that contains the given terms.
inline constexpr FieldId kFieldOfTerms = 1;

// A segment whose field kFieldOfTerms has exactly these terms. The fields before and after it have
// other terms, into which a walk must not run.
inline std::shared_ptr<const Segment> SegmentOfTerms(const std::set<std::string>& terms) {
  VectorSegmentInput input({.positions = false});
  const FieldId before = input.AddField("before");
  const FieldId field = input.AddField("field");
  const FieldId after = input.AddField("zafter");
  const DocId doc = input.AddDocument("doc");
  input.AddPosting(before, "aaa", {doc, 1, {}});
  for (const std::string& term : terms) input.AddPosting(field, term, {doc, 1, {}});
  input.AddPosting(after, "aaa", {doc, 1, {}});
  input.Finish();
  return SegmentBytes(input).Open().value();
}

// One to max_pieces of the pieces, one after the other.
inline std::string RandomText(SeededRandom& random, std::initializer_list<const char*> pieces,
                              size_t max_pieces) {
  std::string text;
  for (size_t n = 1 + random.Below(max_pieces); n > 0; --n) {
    text += pieces.begin()[random.Below(pieces.size())];
  }
  return text;
}

// What RandomText makes terms of: few and many different characters, of one byte and of more, and
// bytes that are characters only together.
inline const std::initializer_list<const char*> kAlphabets[] = {
    {"a", "b", "c"},
    {"a", "e", "i", "n", "r", "s", "t", "x"},
    {"a", "\u00e9", "\u00ea", "\u20ac", "\U0001f600", "\u07ff"},
    {"a", "b", "\u00e9", "\xc3", "\xa9", "\xff"},
};

// `count` random texts of one to nine pieces, some of which may be equal.
inline std::set<std::string> RandomTerms(SeededRandom& random, size_t count,
                                         std::initializer_list<const char*> pieces) {
  std::set<std::string> terms;
  for (size_t i = 0; i < count; ++i) terms.insert(RandomText(random, pieces, 9));
  return terms;
}

// `count` different words of six letters.
inline std::set<std::string> RandomWords(SeededRandom& random, size_t count) {
  std::set<std::string> words;
  while (words.size() < count) {
    std::string word;
    for (size_t n = 6; n > 0; --n) word += static_cast<char>('a' + random.Below(26));
    words.insert(word);
  }
  return words;
}

}  // namespace pmdex
