#include "engine/store/placement/place_choice.h"

#include <algorithm>
#include <tuple>

#include "pmem/check.h"

namespace pmdex {

void PlaceChoice::Reset(std::span<const uint32_t> places,
                        std::span<const ManifestSegment> segments) {
  MutexLock lock(&mutex_);
  loads_.clear();
  for (const uint32_t place : places) loads_[place].chosen = true;
  for (const ManifestSegment& segment : segments) loads_[segment.place].bytes += segment.file_bytes;
}

std::vector<uint32_t> PlaceChoice::Order() const {
  MutexLock lock(&mutex_);
  std::vector<uint32_t> order;
  for (const auto& [place, load] : loads_) {
    if (load.chosen) order.push_back(place);
  }
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    const Load& x = loads_.at(a);
    const Load& y = loads_.at(b);
    return std::tie(x.writing, x.bytes, a) < std::tie(y.writing, y.bytes, b);
  });
  return order;
}

uint64_t PlaceChoice::bytes() const {
  MutexLock lock(&mutex_);
  uint64_t bytes = 0;
  for (const auto& [place, load] : loads_) {
    if (load.chosen) bytes += load.bytes;
  }
  return bytes;
}

void PlaceChoice::Begin(uint32_t place) {
  MutexLock lock(&mutex_);
  ++loads_[place].writing;
}

void PlaceChoice::End(uint32_t place, uint64_t file_bytes) {
  MutexLock lock(&mutex_);
  Load& load = loads_[place];
  PMDEX_CHECK(load.writing > 0);
  --load.writing;
  load.bytes += file_bytes;
}

}  // namespace pmdex
