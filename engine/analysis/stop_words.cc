#include "engine/analysis/stop_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace pmdex {
namespace {

constexpr size_t kLongest = 5;

constexpr std::array<std::string_view, 33> kStopWords = {
    "a",   "an",    "and",  "are",   "as",    "at",   "be",   "but", "by",  "for",  "if",
    "in",  "into",  "is",   "it",    "no",    "not",  "of",   "on",  "or",  "such", "that",
    "the", "their", "then", "there", "these", "they", "this", "to",  "was", "will", "with"};

// A word of at most kLongest bytes as a number, the 1 before it marking its length; never 0.
constexpr uint64_t Key(std::string_view word) {
  uint64_t key = 1;
  for (const char c : word) key = (key << 8) | static_cast<unsigned char>(c);
  return key;
}

// Open addressing, sparse enough that most other words meet an empty bucket at once.
constexpr size_t kBuckets = 256;
constexpr size_t BucketOf(uint64_t key) {
  return (key * 0x9E3779B97F4A7C15ULL) >> 56;
}

constexpr std::array<uint64_t, kBuckets> MakeTable() {
  std::array<uint64_t, kBuckets> table{};
  for (const std::string_view word : kStopWords) {
    size_t bucket = BucketOf(Key(word));
    while (table[bucket] != 0) bucket = (bucket + 1) % kBuckets;
    table[bucket] = Key(word);
  }
  return table;
}

constexpr std::array<uint64_t, kBuckets> kTable = MakeTable();

static_assert(std::all_of(kStopWords.begin(), kStopWords.end(),
                          [](std::string_view word) { return word.size() <= kLongest; }));

}  // namespace

bool IsEnglishStopWord(std::string_view word) {
  if (word.empty() || word.size() > kLongest) return false;
  const uint64_t key = Key(word);
  for (size_t bucket = BucketOf(key); kTable[bucket] != 0; bucket = (bucket + 1) % kBuckets) {
    if (kTable[bucket] == key) return true;
  }
  return false;
}

}  // namespace pmdex
