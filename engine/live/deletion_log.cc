#include "engine/live/deletion_log.h"

#include <algorithm>
#include <utility>

#include "pmem/check.h"

namespace pmdex {

void DeletionLog::Append(uint64_t at, uint64_t number) {
  PMDEX_CHECK(entries_.empty() || entries_.back().at <= at);
  entries_.push_back({at, number});
  hidden_.insert(number);
}

std::vector<uint64_t> DeletionLog::Show(uint64_t until) {
  std::vector<uint64_t> numbers;
  for (; shown_ < entries_.size() && entries_[shown_].at < until; ++shown_) {
    numbers.push_back(entries_[shown_].number);
    hidden_.erase(entries_[shown_].number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<uint64_t> DeletionLog::Before(uint64_t until) const {
  std::vector<uint64_t> numbers;
  for (const Entry& entry : entries_) {
    if (entry.at >= until) break;
    numbers.push_back(entry.number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void DeletionLog::ForgetBefore(uint64_t until) {
  while (!entries_.empty() && entries_.front().at < until) {
    PMDEX_CHECK(shown_ > 0);
    entries_.pop_front();
    --shown_;
  }
}

std::vector<DocId> DocsOf(std::span<const uint64_t> numbers, uint64_t begin, uint32_t doc_count) {
  const auto first = std::lower_bound(numbers.begin(), numbers.end(), begin);
  const auto last = std::lower_bound(first, numbers.end(), begin + doc_count);
  std::vector<DocId> docs;
  for (auto number = first; number != last; ++number) {
    docs.push_back(static_cast<DocId>(*number - begin));
  }
  return docs;
}

std::shared_ptr<const LiveDocs> WithoutDocs(std::shared_ptr<const LiveDocs> before,
                                            uint32_t doc_count, std::span<const DocId> docs) {
  if (docs.empty()) return before;
  return std::make_shared<const LiveDocs>(LiveDocs::Without(before.get(), doc_count, docs));
}

}  // namespace pmdex
