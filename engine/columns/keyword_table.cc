#include "engine/columns/keyword_table.h"

#include <xxhash.h>

#include <algorithm>

namespace pmdex {
namespace {

constexpr size_t kFewestSlots = 16;

uint32_t HashOf(std::string_view keyword) {
  return static_cast<uint32_t>(XXH3_64bits(keyword.data(), keyword.size()));
}

// Room for so many more elements, doubling as push_back does.
template <typename T>
void ReserveMore(std::vector<T>& elements, size_t count) {
  const size_t needed = elements.size() + count;
  if (needed > elements.capacity()) elements.reserve(std::max(needed, 2 * elements.capacity()));
}

}  // namespace

std::string_view KeywordTable::keyword(uint32_t number) const {
  const uint64_t begin = number == 0 ? 0 : keywords_[number - 1].end;
  return {bytes_.data() + begin, static_cast<size_t>(keywords_[number].end - begin)};
}

uint32_t KeywordTable::NumberOf(std::string_view text) {
  const uint32_t hash = HashOf(text);
  if (keywords_.size() >= slots_.size() / 2) Grow();
  size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const uint32_t number = slots_[slot] - 1;
    if (keywords_[number].hash == hash && keyword(number) == text) return number;
  }
  ReserveMore(bytes_, text.size());
  ReserveMore(keywords_, 1);
  // Nothing below throws.
  bytes_.insert(bytes_.end(), text.begin(), text.end());
  keywords_.push_back({bytes_.size(), hash});
  slots_[slot] = size();
  return size() - 1;
}

void KeywordTable::Grow() {
  std::vector<uint32_t> slots(std::max(kFewestSlots, 2 * slots_.size()), 0);
  for (uint32_t number = 0; number < size(); ++number) {
    size_t slot = keywords_[number].hash & (slots.size() - 1);
    while (slots[slot] != 0) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = number + 1;
  }
  slots_.swap(slots);
}

size_t KeywordTable::memory_bytes() const {
  return bytes_.capacity() + keywords_.capacity() * sizeof(Keyword) +
         slots_.capacity() * sizeof(uint32_t);
}

}  // namespace pmdex
