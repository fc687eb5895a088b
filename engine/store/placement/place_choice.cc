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
  std::vector<std::tuple<uint32_t, uint64_t, uint32_t>> chosen;  // segments, bytes, place
  {
    MutexLock lock(&mutex_);
    for (const auto& [place, load] : loads_) {
      if (load.chosen) chosen.emplace_back(load.writing, load.bytes, place);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  std::vector<uint32_t> order;
  for (const auto& entry : chosen) order.push_back(std::get<2>(entry));
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
