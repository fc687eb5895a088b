#include "engine/store/deletions/id_lookup.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string_view>

#include "absl/base/thread_annotations.h"

#include "pmem/checksum.h"
#include "pmem/mutex.h"
#include "pmem/thread.h"

namespace pmdex {
namespace {

constexpr DocId kDocsPerRange = 1 << 16;

uint64_t HashOfId(std::string_view id) {
  return Xxh3(std::as_bytes(std::span(id)));
}

// The different ids, sorted by their hashes, behind a filter by which most other ids miss.
class WantedIds {
 public:
  explicit WantedIds(std::span<const std::string> ids) {
    entries_.reserve(ids.size());
    for (const std::string& id : ids) entries_.push_back({HashOfId(id), id});
    std::sort(entries_.begin(), entries_.end());
    entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
    filter_.resize(std::bit_ceil(std::max<size_t>(512, entries_.size() * 8)));
    for (const Entry& entry : entries_) filter_[FilterSlot(entry.hash)] = true;
    is_found_ = std::vector<std::atomic<bool>>(entries_.size());
  }

  bool Meet(std::string_view id) {
    const Entry wanted = {HashOfId(id), id};
    if (!filter_[FilterSlot(wanted.hash)]) return false;
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted);
    if (found == entries_.end() || *found != wanted) return false;
    is_found_[static_cast<size_t>(found - entries_.begin())].store(true, std::memory_order_relaxed);
    return true;
  }
  // Of all ids, after the calls of Meet.
  uint64_t missing() const {
    return static_cast<uint64_t>(std::count(is_found_.begin(), is_found_.end(), false));
  }

 private:
  struct Entry {
    uint64_t hash = 0;
    std::string_view id;
    auto operator<=>(const Entry&) const = default;
  };
  size_t FilterSlot(uint64_t hash) const { return hash & (filter_.size() - 1); }

  std::vector<Entry> entries_;
  std::vector<bool> filter_;  // by the lowest bits
  std::vector<std::atomic<bool>> is_found_;
};

// The documents that the threads find.
class FoundDocs {
 public:
  explicit FoundDocs(size_t segments) : docs_(segments) {}
  void Add(size_t segment, std::span<const DocId> docs) {
    if (docs.empty()) return;
    MutexLock lock(&mutex_);
    docs_[segment].insert(docs_[segment].end(), docs.begin(), docs.end());
  }
  std::vector<std::vector<DocId>> Take() {
    MutexLock lock(&mutex_);
    return std::move(docs_);
  }

 private:
  Mutex mutex_;
  std::vector<std::vector<DocId>> docs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::Status VisitRanges(std::span<const LiveSegment> segments, size_t threads,
                         const std::function<absl::Status(const DocRange&)>& visit) {
  std::vector<DocRange> ranges;
  for (size_t i = 0; i < segments.size(); ++i) {
    const uint32_t doc_count = segments[i].segment->doc_count();
    for (uint64_t begin = 0; begin < doc_count; begin += kDocsPerRange) {
      const auto end = std::min<uint64_t>(doc_count, begin + kDocsPerRange);
      ranges.push_back({i, static_cast<DocId>(begin), static_cast<DocId>(end)});
    }
  }
  if (ranges.empty()) return absl::OkStatus();
  std::atomic<size_t> next = 0;
  return RunOnThreads(std::clamp<size_t>(threads, 1, ranges.size()), [&](size_t) -> absl::Status {
    for (size_t i = next++; i < ranges.size(); i = next++) {
      absl::Status visited = visit(ranges[i]);
      if (visited.ok()) continue;
      next = ranges.size();
      return visited;
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<IdMatches> FindIds(std::span<const LiveSegment> segments,
                                  std::span<const std::string> ids, size_t threads) {
  WantedIds wanted(ids);
  FoundDocs found(segments.size());
  PMDEX_RETURN_IF_ERROR(VisitRanges(segments, threads, [&](const DocRange& range) -> absl::Status {
    const LiveSegment& live = segments[range.segment];
    std::vector<DocId> docs;
    std::string buffer;
    for (DocId doc = range.begin; doc < range.end; ++doc) {
      if (!IsLive(live.live_docs.get(), doc)) continue;
      PMDEX_ASSIGN_OR_RETURN(const std::string_view id,
                             live.segment->Checked(live.segment->doc_id(doc, buffer)));
      if (wanted.Meet(id)) docs.push_back(doc);
    }
    found.Add(range.segment, docs);
    return live.segment->Health();
  }));
  return IdMatches{found.Take(), wanted.missing()};
}

}  // namespace pmdex
