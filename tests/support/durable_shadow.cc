#include "tests/support/durable_shadow.h"

#include <algorithm>

namespace pmdex {

void DurableShadow::SetGranularity(FileId file, StoreGranularity granularity) {
  files_[file].granularity = granularity;
}

void DurableShadow::Overwrite(std::vector<std::byte>& image, uint64_t offset,
                              std::span<const std::byte> bytes) {
  if (image.size() < offset + bytes.size()) image.resize(offset + bytes.size());
  std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<ptrdiff_t>(offset));
}

void DurableShadow::Send(FileId file, uint64_t offset, std::span<const std::byte> bytes,
                         bool past_caches) {
  files_[file].sent.push_back({offset, {bytes.begin(), bytes.end()}, past_caches});
}

void DurableShadow::Drain() {
  for (auto& [id, file] : files_) {
    for (const Sent& sent : file.sent) Overwrite(file.durable, sent.offset, sent.bytes);
    file.sent.clear();
  }
}

void DurableShadow::WriteBack(FileId file, uint64_t offset, std::span<const std::byte> bytes) {
  Overwrite(files_[file].durable, offset, bytes);
}

void DurableShadow::SyncFile(FileId file, std::span<const std::byte> content) {
  File& synced = files_[file];
  if (synced.granularity == StoreGranularity::kPage) Overwrite(synced.durable, 0, content);
  synced.durable_length = content.size();
}

std::vector<std::byte> DurableShadow::Settle(const File& file,
                                             std::span<const std::byte> content) const {
  std::vector<std::byte> left = file.durable;
  if (file.granularity == StoreGranularity::kByte) {
    // Caches are durable: only what went past them, to buffers that nobody drained, is not.
    left.assign(content.begin(), content.end());
    for (const Sent& sent : file.sent) {
      if (!sent.past_caches) continue;
      std::vector<std::byte> before = file.durable;
      before.resize(std::max(before.size(), sent.offset + sent.bytes.size()));
      Overwrite(left, sent.offset, std::span(before).subspan(sent.offset, sent.bytes.size()));
    }
  }
  left.resize(file.durable_length);
  return left;
}

bool DurableShadow::HasUnsynced(const std::string& directory, std::string_view change) const {
  const auto found = unsynced_.find(directory);
  return found != unsynced_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& one) { return one.starts_with(change); });
}

void DurableShadow::Create(const std::string& directory, const std::string& name) {
  unsynced_[directory].push_back("create " + name);
}

void DurableShadow::Rename(const std::string& directory, const std::string& from,
                           const std::string& to, FileId file, std::span<const std::byte> content) {
  const std::vector<std::byte> left = Settle(files_[file], content);
  const auto lost = std::mismatch(left.begin(), left.end(), content.begin(), content.end());
  if (lost.second != content.end() || lost.first != left.end()) {
    violations_.push_back("renamed to " + to + " before it was durable: " +
                          std::to_string(left.size()) + " of " + std::to_string(content.size()) +
                          " bytes, wrong from " + std::to_string(lost.second - content.begin()));
  }
  if (to.starts_with("manifest-") &&
      (HasUnsynced(directory, "rename segment-") || HasUnsynced(directory, "rename live-"))) {
    violations_.push_back("renamed to " + to + " before the names of the segments were durable");
  }
  unsynced_[directory].push_back("rename " + from + " " + to);
}

void DurableShadow::Remove(const std::string& directory, const std::string& name) {
  if (!name.ends_with(".tmp") && HasUnsynced(directory, "rename ")) {
    violations_.push_back("removed " + name + " before what replaces it was durable");
  }
  // The name may be there again after a power cut. Then the next writer removes it.
}

void DurableShadow::SyncDirectory(const std::string& directory) {
  unsynced_.erase(directory);
}

void DurableShadow::Acknowledge() {
  for (const auto& [directory, changes] : unsynced_) {
    violations_.push_back("acknowledged before it was durable: " + changes.front() + " in " +
                          directory);
  }
  unsynced_.clear();
}

}  // namespace pmdex
