// Snowball English (Porter2) stems. The stemmer remembers recent words, because the same few
// thousand words make up most of a text and Snowball takes about a microsecond a word. Owns the
// handle of libstemmer. For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

struct sb_stemmer;

namespace pmdex {

class EnglishStemmer {
 public:
  EnglishStemmer();
  ~EnglishStemmer();
  EnglishStemmer(EnglishStemmer&&) noexcept;
  EnglishStemmer& operator=(EnglishStemmer&&) noexcept;

  // The stem of the word, valid until the next call. It is neither empty nor longer than the word.
  // Requires casefolded UTF-8 that is not empty.
  std::string_view Stem(std::string_view word);
  // Prefetches what Stem will read for this word.
  void Prefetch(std::string_view word) const;

 private:
  struct Release {
    void operator()(sb_stemmer* stemmer) const;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  static constexpr size_t kMaxMemoBytes = 31;
  struct Memo {
    uint8_t word_size;  // 0 if the memo is empty
    uint8_t stem_size;
    std::array<char, kMaxMemoBytes> word;
    std::array<char, kMaxMemoBytes> stem;
  };
  static_assert(sizeof(Memo) == 64);

  std::string_view ComputeStem(std::string_view word);

  std::unique_ptr<sb_stemmer, Release> stemmer_;
  // Direct mapped by a hash of the word. Allocated by calloc, so that only the pages that are used
  // take memory; the stemmer of a query uses few of the 2 MiB.
  std::unique_ptr<Memo[], Free> memos_;
};

}  // namespace pmdex
