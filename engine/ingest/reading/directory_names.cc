#include "engine/ingest/reading/directory_names.h"

#include <algorithm>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr size_t kLargestBudget = size_t{4000} << 20;
// Up to here the buffers grow as they do by themselves. Beyond, they get their full size at once:
// growing would hold everything twice, and memory that is not touched takes nothing.
constexpr size_t kSmallBytes = size_t{32} << 10;

}  // namespace

DirectoryNames::DirectoryNames(size_t budget_bytes)
    : budget_bytes_(std::min(budget_bytes, kLargestBudget)) {}

void DirectoryNames::BeginPass() {
  if (!entries_.empty()) last_.assign(name(size() - 1));
  names_.clear();
  entries_.clear();
  has_more_ = false;
}

void DirectoryNames::Add(std::string_view name, unsigned char type) {
  PMDEX_CHECK(name.size() <= UINT16_MAX);
  if (name <= last_ || (has_more_ && name >= bound_)) return;
  if (used_bytes() > kSmallBytes && names_.capacity() < budget_bytes_) {
    names_.reserve(budget_bytes_);
    entries_.reserve(budget_bytes_ / sizeof(Entry));
  }
  entries_.push_back(
      {static_cast<uint32_t>(names_.size()), static_cast<uint16_t>(name.size()), type});
  names_.append(name);
  if (used_bytes() > budget_bytes_ && entries_.size() > 1) LeaveLargerHalf();
}

void DirectoryNames::LeaveLargerHalf() {
  const auto half = entries_.begin() + static_cast<ptrdiff_t>(entries_.size() / 2);
  std::nth_element(entries_.begin(), half, entries_.end(),
                   [this](const Entry& a, const Entry& b) { return NameIsLess(a, b); });
  bound_.assign(NameOf(*half));
  has_more_ = true;
  entries_.erase(half, entries_.end());
  // The names that stay move together, in the order in which they lie.
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.begin < b.begin; });
  size_t end = 0;
  for (Entry& entry : entries_) {
    std::copy_n(names_.begin() + entry.begin, entry.size_bytes,
                names_.begin() + static_cast<ptrdiff_t>(end));
    entry.begin = static_cast<uint32_t>(end);
    end += entry.size_bytes;
  }
  names_.resize(end);
}

void DirectoryNames::EndPass() {
  std::sort(entries_.begin(), entries_.end(),
            [this](const Entry& a, const Entry& b) { return NameIsLess(a, b); });
}

}  // namespace pmdex
