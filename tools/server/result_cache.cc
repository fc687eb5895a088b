#include "tools/server/result_cache.h"

#include <functional>

namespace pmdex {

ResultCache::Part& ResultCache::PartOf(const std::string& key) {
  return parts_[std::hash<std::string>()(key) % kParts];
}

std::optional<std::string> ResultCache::Find(const std::string& key) {
  Part& part = PartOf(key);
  MutexLock lock(&part.mutex);
  const auto found = part.by_key.find(key);
  if (found == part.by_key.end()) return std::nullopt;
  part.entries.splice(part.entries.begin(), part.entries, found->second);
  return found->second->answer;
}

void ResultCache::Insert(const std::string& key, const std::string& answer) {
  Part& part = PartOf(key);
  MutexLock lock(&part.mutex);
  Entry entry{key, answer};
  if (entry.bytes() > most_bytes_ || part.by_key.contains(key)) return;
  part.bytes += entry.bytes();
  part.entries.push_front(std::move(entry));
  part.by_key.emplace(key, part.entries.begin());
  while (part.bytes > most_bytes_) {
    const Entry& oldest = part.entries.back();
    part.bytes -= oldest.bytes();
    part.by_key.erase(oldest.key);
    part.entries.pop_back();
  }
}

uint64_t ResultCache::bytes() const {
  uint64_t sum = 0;
  for (const Part& part : parts_) {
    MutexLock lock(&part.mutex);
    sum += part.bytes;
  }
  return sum;
}

}  // namespace pmdex
