#include "tools/find/disk_usage.h"

#include <algorithm>
#include <utility>

namespace pmdex {
namespace {

// The order of a walk: what lies below a path follows it.
bool ComesBefore(std::string_view a, std::string_view b) {
  const auto rank = [](char c) { return c == '/' ? 0 : static_cast<unsigned char>(c); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

bool IsBelow(std::string_view path, std::string_view directory) {
  if (directory.empty()) return true;
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

}  // namespace

void Usage::Add(const Usage& other) {
  size_bytes += other.size_bytes;
  count += other.count;
  newest_ns = std::max(newest_ns, other.newest_ns);
}

void DiskUsage::Add(EntryReader& reader, std::string_view below) {
  Item item;
  item.below = below;
  item.usage.size_bytes =
      options_.apparent_size
          ? static_cast<uint64_t>(std::max<int64_t>(0, reader.number(FileAttribute::kSize)))
          : static_cast<uint64_t>(reader.number(FileAttribute::kBlocks)) * 512;
  item.usage.count = 1;
  item.usage.newest_ns = reader.number(FileAttribute::kMtime);
  item.inode = static_cast<uint64_t>(reader.number(FileAttribute::kInode));
  item.device = static_cast<uint64_t>(reader.number(FileAttribute::kDevice));
  item.is_directory = reader.type() == 'd';
  item.is_linked = !item.is_directory && reader.number(FileAttribute::kLinks) > 1;
  items_.push_back(std::move(item));
}

bool DiskUsage::IsCounted(const Item& item) {
  if (!several_ && !item.is_linked) return true;
  return seen_.emplace(item.device, item.inode).second;
}

void DiskUsage::Close(const Print& print) {
  const Open closed = std::move(open_.back());
  open_.pop_back();
  if (!open_.empty()) open_.back().usage.Add(closed.usage);
  if (closed.depth <= options_.most_depth) print(closed.usage, closed.below);
}

void DiskUsage::Visit(const Item& item, const Print& print) {
  while (!open_.empty() && !IsBelow(item.below, open_.back().below)) Close(print);
  if (!IsCounted(item)) return;
  const auto depth = static_cast<uint32_t>(open_.size());
  if (item.is_directory) {
    open_.push_back({item.below, item.usage, depth});
    return;
  }
  if (!open_.empty()) open_.back().usage.Add(item.usage);
  const bool is_shown = options_.all_files || depth == 0;
  if (is_shown && depth <= options_.most_depth) print(item.usage, item.below);
}

bool DiskUsage::Finish(const Print& print) {
  std::sort(items_.begin(), items_.end(),
            [](const Item& a, const Item& b) { return ComesBefore(a.below, b.below); });
  const bool has_root = !items_.empty() && items_.front().below.empty();
  for (const Item& item : items_) {
    if (has_root) Visit(item, print);
  }
  while (!open_.empty()) Close(print);
  items_.clear();
  return has_root;
}

std::string UsageText(uint64_t size_bytes, UsageUnit unit) {
  if (unit == UsageUnit::kBytes) return std::to_string(size_bytes);
  if (unit == UsageUnit::kBlocks)
    return std::to_string(size_bytes / 1024 + (size_bytes % 1024 != 0));
  constexpr std::string_view kLetters = "KMGTPE";
  if (size_bytes < 1024) return std::to_string(size_bytes);
  uint64_t power = 1;
  for (size_t i = 0; i < kLetters.size(); ++i) {
    power *= 1024;
    // Rounded up to tenths below ten, to whole units otherwise.
    const auto tenths = static_cast<uint64_t>(
        (static_cast<unsigned __int128>(size_bytes) * 10 + power - 1) / power);
    if (tenths < 100) {
      return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + kLetters[i];
    }
    const uint64_t whole = size_bytes / power + (size_bytes % power != 0);
    if (whole < 1024 || i + 1 == kLetters.size()) return std::to_string(whole) + kLetters[i];
  }
  return {};
}

}  // namespace pmdex
