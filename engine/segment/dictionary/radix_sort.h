// A stable radix sort by unsigned keys, from the least significant digit on (Knuth, "The Art of
// Computer Programming" 3, 5.2.5), with digits of eleven bits. It skips digits in which all keys
// agree. For many small elements, where a sort by comparisons mispredicts half of its branches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace pmdex {

// key_of(element) returns the key. Few elements are sorted by comparison. scratch: takes as much
// memory again as the elements, and keeps it for callers that sort several times.
template <typename T, typename KeyOf>
void RadixSort(std::vector<T>& elements, std::vector<T>& scratch, KeyOf key_of) {
  constexpr int kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  using Key = std::invoke_result_t<KeyOf, const T&>;
  static_assert(std::is_unsigned_v<Key>);
  constexpr int kKeyBits = 8 * sizeof(Key);
  constexpr size_t kFewElements = kKeyBits <= 32 ? 512 : 4096;
  constexpr int kPasses = (kKeyBits + kDigitBits - 1) / kDigitBits;
  if (elements.size() < kFewElements) {
    std::stable_sort(elements.begin(), elements.end(),
                     [&](const T& a, const T& b) { return key_of(a) < key_of(b); });
    return;
  }
  std::vector<std::array<size_t, kDigits>> counts(kPasses);
  for (const T& element : elements) {
    Key key = key_of(element);
    for (auto& count : counts) {
      ++count[key % kDigits];
      key /= kDigits;
    }
  }
  scratch.resize(elements.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& places = counts[static_cast<size_t>(pass)];
    const auto digit_of = [&](const T& element) {
      return (key_of(element) >> (pass * kDigitBits)) % kDigits;
    };
    if (places[digit_of(elements.front())] == elements.size()) continue;
    size_t begin = 0;
    for (size_t& place : places) {
      const size_t count = place;
      place = begin;
      begin += count;
    }
    for (const T& element : elements) scratch[places[digit_of(element)]++] = element;
    elements.swap(scratch);
  }
}

template <typename T, typename KeyOf>
void RadixSort(std::vector<T>& elements, KeyOf key_of) {
  std::vector<T> scratch;
  RadixSort(elements, scratch, key_of);
}

}  // namespace pmdex
