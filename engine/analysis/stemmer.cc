#include "engine/analysis/stemmer.h"

#include <libstemmer.h>

#include <cstring>
#include <new>

#include "pmem/check.h"
#include "pmem/prefetch.h"

namespace pmdex {
namespace {

constexpr size_t kMemos = 32768;

uint64_t HashWord(std::string_view word) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
  uint64_t hash = word.size();
  size_t i = 0;
  for (; i + 8 <= word.size(); i += 8) {
    uint64_t chunk;
    std::memcpy(&chunk, word.data() + i, 8);
    hash = (hash ^ chunk) * kMultiplier;
    hash ^= hash >> 32;
  }
  uint64_t rest = 0;
  std::memcpy(&rest, word.data() + i, word.size() - i);
  hash = (hash ^ rest) * kMultiplier;
  return hash ^ (hash >> 32);
}

}  // namespace

void EnglishStemmer::Release::operator()(sb_stemmer* stemmer) const {
  sb_stemmer_delete(stemmer);
}

EnglishStemmer::EnglishStemmer()
    : stemmer_(sb_stemmer_new("english", "UTF_8")),
      memos_(static_cast<Memo*>(std::calloc(kMemos, sizeof(Memo)))) {
  if (stemmer_ == nullptr || memos_ == nullptr) throw std::bad_alloc();
}
EnglishStemmer::~EnglishStemmer() = default;
EnglishStemmer::EnglishStemmer(EnglishStemmer&&) noexcept = default;
EnglishStemmer& EnglishStemmer::operator=(EnglishStemmer&&) noexcept = default;

std::string_view EnglishStemmer::Stem(std::string_view word) {
  if (word.size() > kMaxMemoBytes) return ComputeStem(word);
  Memo& memo = memos_[HashWord(word) % kMemos];
  if (memo.word_size != word.size() ||
      std::memcmp(memo.word.data(), word.data(), word.size()) != 0) {
    const std::string_view stem = ComputeStem(word);
    memo.word_size = static_cast<uint8_t>(word.size());
    memo.stem_size = static_cast<uint8_t>(stem.size());
    std::memcpy(memo.word.data(), word.data(), word.size());
    std::memcpy(memo.stem.data(), stem.data(), stem.size());
  }
  return {memo.stem.data(), memo.stem_size};
}

void EnglishStemmer::Prefetch(std::string_view word) const {
  if (word.size() <= kMaxMemoBytes) PrefetchLine(&memos_[HashWord(word) % kMemos]);
}

std::string_view EnglishStemmer::ComputeStem(std::string_view word) {
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  const auto size = static_cast<size_t>(sb_stemmer_length(stemmer_.get()));
  if (size == 0 || size > word.size()) return word;
  return {reinterpret_cast<const char*>(stem), size};
}

}  // namespace pmdex
