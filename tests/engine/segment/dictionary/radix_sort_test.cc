#include "engine/segment/dictionary/radix_sort.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace pmdex {
namespace radix_sort_test {

using Element = std::pair<uint64_t, uint32_t>;  // key, place before

void ExpectSortedLikeStableSort(std::vector<Element> elements) {
  for (size_t i = 0; i < elements.size(); ++i) elements[i].second = static_cast<uint32_t>(i);
  std::vector<Element> expected = elements;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const Element& a, const Element& b) { return a.first < b.first; });
  const auto key_of = [](const Element& element) { return element.first; };
  static std::vector<Element> scratch;  // of any size, from the test before
  std::vector<Element> with_scratch = elements;
  RadixSort(with_scratch, scratch, key_of);
  EXPECT_EQ(with_scratch, expected);
  RadixSort(elements, key_of);
  EXPECT_EQ(elements, expected);
}

TEST(RadixSort, EqualsAStableSortWhateverTheKeys) {
  std::mt19937_64 random(3);
  for (const size_t size : {0, 1, 2, 511, 512, 4095, 4096, 30000}) {
    for (const uint64_t mask :
         {~uint64_t{0}, uint64_t{0xff}, uint64_t{0xff00ff} << 40, uint64_t{1} << 63, uint64_t{0}}) {
      std::vector<Element> elements(size);
      for (Element& element : elements) element.first = random() & mask;
      ExpectSortedLikeStableSort(elements);
    }
  }
}

TEST(RadixSort, KeepsWhatIsSortedAndTurnsWhatIsReversed) {
  std::vector<Element> rising(10000), falling(10000);
  for (size_t i = 0; i < rising.size(); ++i) {
    rising[i].first = uint64_t{i} << 30;
    falling[i].first = ~(uint64_t{i} << 30);
  }
  ExpectSortedLikeStableSort(rising);
  ExpectSortedLikeStableSort(falling);
}

}  // namespace radix_sort_test
}  // namespace pmdex
