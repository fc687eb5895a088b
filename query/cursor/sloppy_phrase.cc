#include "query/cursor/sloppy_phrase.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace pmdex {

SloppyPhraseMatcher::SloppyPhraseMatcher(std::span<const std::string> terms,
                                         std::span<const uint32_t> offsets, uint32_t slop)
    : slots_(terms.size()), slop_(slop) {
  std::map<std::string_view, size_t> group_of;
  for (size_t i = 0; i < terms.size(); ++i) {
    const auto [entry, is_new] = group_of.try_emplace(terms[i], groups_.size());
    if (is_new) groups_.emplace_back();
    slots_[i].offset = offsets[i];
    slots_[i].group = entry->second;
    groups_[entry->second].push_back(i);
  }
  for (std::vector<size_t>& group : groups_) {
    std::stable_sort(group.begin(), group.end(),
                     [this](size_t a, size_t b) { return slots_[a].offset < slots_[b].offset; });
  }
}

bool SloppyPhraseMatcher::Start(std::span<const std::vector<uint32_t>> positions) {
  end_ = std::numeric_limits<int64_t>::min();
  for (const std::vector<size_t>& group : groups_) {
    for (size_t j = 0; j < group.size(); ++j) {
      Slot& slot = slots_[group[j]];
      slot.occurrences = &positions[group[j]];
      if (j >= slot.occurrences->size()) return false;
      slot.at = j;
      slot.adjusted = int64_t{(*slot.occurrences)[j]} - slot.offset;
      slot.out = false;
      end_ = std::max(end_, slot.adjusted);
    }
  }
  return true;
}

bool SloppyPhraseMatcher::Move(Slot& slot) {
  if (++slot.at >= slot.occurrences->size()) return false;
  slot.adjusted = int64_t{(*slot.occurrences)[slot.at]} - slot.offset;
  end_ = std::max(end_, slot.adjusted);
  return true;
}

// Step 3, behind the first move.
bool SloppyPhraseMatcher::MoveApart(size_t index) {
  const std::vector<size_t>& group = groups_[slots_[index].group];
  if (group.size() == 1) return true;
  while (true) {
    const Slot& slot = slots_[index];
    const auto other = std::find_if(group.begin(), group.end(), [&](size_t candidate) {
      return candidate != index &&
             slots_[candidate].adjusted + slots_[candidate].offset == slot.adjusted + slot.offset;
    });
    if (other == group.end()) return true;
    const Slot& rival = slots_[*other];
    const bool mine = slot.adjusted < rival.adjusted ||
                      (slot.adjusted == rival.adjusted && slot.offset < rival.offset);
    if (!mine) index = *other;
    if (!Move(slots_[index])) return false;
  }
}

bool SloppyPhraseMatcher::IsLess(size_t a, size_t b) const {
  const Slot& x = slots_[a];
  const Slot& y = slots_[b];
  if (x.adjusted != y.adjusted) return x.adjusted < y.adjusted;
  return x.offset != y.offset ? x.offset < y.offset : a < b;
}

// Of the slots that are not out; slots_.size() when all are.
size_t SloppyPhraseMatcher::Least() const {
  size_t least = slots_.size();
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i].out && (least == slots_.size() || IsLess(i, least))) least = i;
  }
  return least;
}

float SloppyPhraseMatcher::Frequency(std::span<const std::vector<uint32_t>> positions) {
  if (slots_.size() < 2 || !Start(positions)) return 0;
  float frequency = 0;
  const auto count = [&](int64_t length) {
    if (length <= slop_) frequency += 1.0f / (1.0f + static_cast<float>(length));
  };
  while (true) {
    const size_t taken = Least();
    Slot& slot = slots_[taken];
    slot.out = true;
    int64_t length = end_ - slot.adjusted;
    const int64_t next = slots_[Least()].adjusted;
    while (true) {
      if (!Move(slot) || !MoveApart(taken)) {
        count(length);
        return frequency;
      }
      if (slot.adjusted > next) break;
      length = std::min(length, end_ - slot.adjusted);
    }
    count(length);
    slot.out = false;
  }
}

}  // namespace pmdex
