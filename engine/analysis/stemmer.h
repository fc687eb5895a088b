// Snowball English (Porter2) stems, with a small memory of recent ones: the same few thousand words
// make up most of a text, and Snowball takes about a microsecond a word. Owns libstemmer's handle;
// for one thread.
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

  // The stem of word, never empty nor longer than the word; valid until the next call.
  // Requires: word is casefolded UTF-8 and not empty.
  std::string_view Stem(std::string_view word);
  // That word will be stemmed soon: what is remembered of it is fetched meanwhile.
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
    uint8_t word_size;  // 0: empty
    uint8_t stem_size;
    std::array<char, kMaxMemoBytes> word;
    std::array<char, kMaxMemoBytes> stem;
  };
  static_assert(sizeof(Memo) == 64);

  std::string_view ComputeStem(std::string_view word);

  std::unique_ptr<sb_stemmer, Release> stemmer_;
  // Direct mapped by a hash of the word. From calloc: of its 2 MiB only what is used costs
  // anything, and the stemmer of a query uses little.
  std::unique_ptr<Memo[], Free> memos_;
};

}  // namespace pmdex
