#include "query/result/scored_docs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr int kDigitBits = 8;
constexpr uint32_t kDigits = 1u << kDigitBits;

using Counts = std::array<size_t, kDigits>;

struct Better {  // a type and not a function, so that standard algorithms inline it
  bool operator()(const ScoredDoc& a, const ScoredDoc& b) const { return IsBetter(a, b); }
};

// Maps scores to numbers of the same order.
uint32_t OrderedBits(float score) {
  const auto bits = std::bit_cast<uint32_t>(score + 0.0f);  // -0 is 0
  const auto negative =
      static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31);  // all bits or none
  return bits ^ (negative | 0x80000000u);
}

// Maps the scores of `docs` to numbers of `bits` bits: 0 for the best, and greater or equal numbers
// for lower scores.
class Rank {
 public:
  Rank(const std::vector<ScoredDoc>& docs, int bits) {
    float least = docs.front().score;
    float most = least;
    for (const ScoredDoc& doc : docs) {
      least = std::min(least, doc.score);
      most = std::max(most, doc.score);
    }
    most_ = OrderedBits(most);
    shift_ = std::max(0, static_cast<int>(std::bit_width(most_ - OrderedBits(least))) - bits);
  }
  uint32_t operator()(const ScoredDoc& doc) const {
    return (most_ - OrderedBits(doc.score)) >> shift_;
  }

 private:
  uint32_t most_ = 0;
  int shift_ = 0;
};

// One stable pass of a radix sort. RadixSort (engine) has larger digits and is for many more
// elements: filling its tables alone would take as long as this whole pass.
template <typename DigitOf>
void SortByDigit(const std::vector<ScoredDoc>& docs, DigitOf digit_of,
                 std::vector<ScoredDoc>& sorted) {
  Counts places{};
  for (const ScoredDoc& doc : docs) ++places[digit_of(doc)];
  std::exclusive_scan(places.begin(), places.end(), places.begin(), size_t{0});
  for (const ScoredDoc& doc : docs) sorted[places[digit_of(doc)]++] = doc;
}

}  // namespace

// Divides the scores into 256 ranges. Only the range of the k-th document needs comparisons.
void SelectBest(std::vector<ScoredDoc>& docs, size_t k, std::vector<ScoredDoc>& scratch) {
  PMDEX_DCHECK(0 < k && k <= docs.size());
  const Rank rank(docs, kDigitBits);
  Counts counts{};
  for (const ScoredDoc& doc : docs) ++counts[rank(doc)];
  uint32_t last = 0;  // the range of the k-th document
  size_t better = 0;  // how many lie in ranges before it
  while (better + counts[last] < k) better += counts[last++];

  scratch.resize(counts[last] + 1);
  size_t kept = 0;
  size_t in_range = 0;
  for (const ScoredDoc doc : docs) {  // writes never overtake reads: kept <= the index of doc
    const uint32_t place = rank(doc);
    docs[kept] = doc;
    kept += (place - last) >> 31;  // 1 if place < last, computed without a branch
    scratch[in_range] = doc;
    in_range += place == last ? 1 : 0;
  }
  const auto worst = scratch.begin() + static_cast<ptrdiff_t>(k - better - 1);
  std::nth_element(scratch.begin(), worst, scratch.end() - 1, Better());
  std::copy(scratch.begin(), worst + 1, docs.begin() + static_cast<ptrdiff_t>(better));
  docs.resize(k);
  std::swap(docs.front(), docs.back());
}

// Sorts by the upper sixteen bits first. Few documents agree in these; those are compared.
void SortBest(std::vector<ScoredDoc>& docs, std::vector<ScoredDoc>& scratch) {
  if (docs.empty()) return;
  const Rank rank(docs, 2 * kDigitBits);
  scratch.resize(docs.size());
  SortByDigit(
      docs, [&](const ScoredDoc& doc) { return rank(doc) % kDigits; }, scratch);
  SortByDigit(
      scratch, [&](const ScoredDoc& doc) { return rank(doc) / kDigits; }, docs);
  for (auto begin = docs.begin(); begin != docs.end();) {
    const uint32_t place = rank(*begin);
    auto end = begin + 1;
    while (end != docs.end() && rank(*end) == place) ++end;
    if (end - begin > 1) std::sort(begin, end, Better());
    begin = end;
  }
}

}  // namespace pmdex
