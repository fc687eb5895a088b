#include "engine/store/statistics.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmem/thread.h"

namespace pmdex {
namespace {

// A term as the merge compares it. Most comparisons use only its first eight bytes, as a big-endian
// number.
struct MergeKey {
  uint64_t prefix = 0;
  std::string_view term;

  MergeKey() = default;
  explicit MergeKey(std::string_view bytes) : term(bytes) {
    std::memcpy(&prefix, bytes.data(), std::min(bytes.size(), sizeof(prefix)));
    prefix = __builtin_bswap64(prefix);
  }
  bool operator<(const MergeKey& other) const {
    return prefix != other.prefix ? prefix < other.prefix : term < other.term;
  }
};

// The terms from `begin` on, and before `end` if it is set.
struct TermRange {
  std::string begin;
  std::optional<std::string> end;
};

// The terms of one segment in a range. The range must outlive it. It copies some terms at a time
// and then releases the pages, because mapped pages count as memory of the process. The kernel maps
// many pages around each page that is read, which would be too much for many segments at once.
class TermSource {
 public:
  TermSource(const Segment& segment, FieldId field, const TermRange& range, bool release)
      : segment_(segment), terms_(segment.dictionary(), field), range_(range), release_(release) {
    if (range.end.has_value()) end_ = MergeKey(*range.end);
  }

  // Moves to the first, then to the next term. Returns false at the end.
  absl::StatusOr<bool> Next() {
    if (next_ == ends_.size()) PMDEX_RETURN_IF_ERROR(Refill());
    if (next_ == ends_.size()) return false;
    const size_t begin = next_ == 0 ? 0 : ends_[next_ - 1];
    key_ = MergeKey(std::string_view(bytes_).substr(begin, ends_[next_] - begin));
    ++next_;
    return !range_.end.has_value() || key_ < end_;
  }
  // The current term; valid until Next.
  const MergeKey& key() const { return key_; }

 private:
  static constexpr size_t kAtOnce = 128;

  absl::Status Refill() {
    bytes_.clear();
    ends_.clear();
    next_ = 0;
    while (ends_.size() < kAtOnce && Advance()) {
      bytes_ += terms_.term();
      ends_.push_back(bytes_.size());
    }
    if (release_) segment_.Release();
    return segment_.Checked(terms_.status());
  }
  bool Advance() {
    const bool first = !std::exchange(started_, true);
    return first && !range_.begin.empty() ? terms_.Seek(range_.begin) : terms_.Next();
  }

  const Segment& segment_;
  TermIterator terms_;
  const TermRange& range_;
  const bool release_;
  bool started_ = false;
  MergeKey end_;
  std::string bytes_;         // of the copied terms
  std::vector<size_t> ends_;  // of each
  size_t next_ = 0;
  MergeKey key_;
};

// Merges the terms of several segments with a heap. The root is the least term; the next term of
// its segment replaces it.
class TermMerge {
 public:
  absl::Status Add(std::unique_ptr<TermSource> source) {
    PMDEX_ASSIGN_OR_RETURN(const bool any, source->Next());
    if (!any) return absl::OkStatus();
    heads_.push_back({source->key(), source.get()});
    sources_.push_back(std::move(source));
    std::push_heap(heads_.begin(), heads_.end(),
                   [](const Head& a, const Head& b) { return b.key < a.key; });
    return absl::OkStatus();
  }

  bool empty() const { return heads_.empty(); }
  // The least term. A term of several segments comes several times. Requires !empty().
  const MergeKey& term() const { return heads_[0].key; }

  // Moves to the next term. Requires !empty().
  absl::Status Next() {
    Head& root = heads_[0];
    PMDEX_ASSIGN_OR_RETURN(const bool more, root.source->Next());
    root.key = root.source->key();
    if (!more) {
      std::swap(root, heads_.back());
      heads_.pop_back();
    }
    SinkRoot();
    return absl::OkStatus();
  }

 private:
  struct Head {
    MergeKey key;  // of the source
    TermSource* source;
  };

  void SinkRoot() {
    for (size_t at = 0;;) {
      size_t least = 2 * at + 1;
      if (least >= heads_.size()) return;
      if (least + 1 < heads_.size() && heads_[least + 1].key < heads_[least].key) ++least;
      if (!(heads_[least].key < heads_[at].key)) return;
      std::swap(heads_[at], heads_[least]);
      at = least;
    }
  }

  std::vector<std::unique_ptr<TermSource>> sources_;
  std::vector<Head> heads_;
};

// The number of different terms of a field in a range.
absl::StatusOr<uint64_t> CountRange(const Snapshot& snapshot, std::string_view field,
                                    const TermRange& range, bool release) {
  TermMerge merge;
  for (const auto& segment : snapshot.segments()) {
    const auto id = segment->FindField(field);
    if (!id) continue;
    PMDEX_RETURN_IF_ERROR(merge.Add(std::make_unique<TermSource>(*segment, *id, range, release)));
  }
  uint64_t count = 0;
  std::string last;
  uint64_t last_prefix = 0;
  while (!merge.empty()) {
    const MergeKey& key = merge.term();
    if (count == 0 || key.prefix != last_prefix || key.term != last) {
      last_prefix = key.prefix;
      last.assign(key.term);
      ++count;
    }
    PMDEX_RETURN_IF_ERROR(merge.Next());
  }
  return count;
}

// Divides the terms into at most so many ranges of about the same size, at quantiles of a sample
// from each segment. Any division gives the same result. Errors are ignored here, because the merge
// finds them again.
std::vector<TermRange> RangesOf(const Snapshot& snapshot, std::string_view field, size_t most) {
  constexpr uint64_t kSamplesPerRange = 16;
  const uint64_t samples = most > 1 ? most * kSamplesPerRange : 0;
  std::vector<std::string> sample;
  for (const auto& segment : snapshot.segments()) {
    const auto id = segment->FindField(field);
    if (!id) continue;
    TermIterator terms(segment->dictionary(), *id);
    for (uint64_t i = 0; i < samples && terms.SeekPart(i, samples); ++i) {
      sample.emplace_back(terms.term());
    }
  }
  std::sort(sample.begin(), sample.end());
  std::vector<TermRange> ranges(1);
  for (size_t i = 1; i < most && !sample.empty(); ++i) {
    const std::string& cut = sample[i * sample.size() / most];
    if (cut <= ranges.back().begin) continue;
    ranges.back().end = cut;
    ranges.push_back({cut, std::nullopt});
  }
  return ranges;
}

// The number of different terms of a field in all segments.
absl::StatusOr<uint64_t> CountTerms(const Snapshot& snapshot, std::string_view field,
                                    size_t threads, bool release) {
  if (snapshot.segments().size() == 1) {  // the field table knows
    const auto id = snapshot.segments()[0]->FindField(field);
    return id ? snapshot.segments()[0]->fields()[*id].term_count : 0;
  }
  const std::vector<TermRange> ranges = RangesOf(snapshot, field, threads);
  std::atomic<size_t> next = 0;
  std::atomic<uint64_t> sum = 0;
  const absl::Status counted = RunOnThreads(ranges.size(), [&](size_t /*thread*/) -> absl::Status {
    for (size_t i; (i = next.fetch_add(1)) < ranges.size();) {
      PMDEX_ASSIGN_OR_RETURN(const uint64_t terms, CountRange(snapshot, field, ranges[i], release));
      sum += terms;
    }
    return absl::OkStatus();
  });
  PMDEX_RETURN_IF_ERROR(counted);
  return sum.load();
}

uint64_t BytesOfOrderedTerms(const Snapshot& snapshot) {
  uint64_t bytes = 0;
  for (const auto& segment : snapshot.segments()) {
    for (const SectionEntry& section : segment->view().sections()) {
      if (section.kind == SectionKind::kTermBlocks) bytes += section.size_bytes;
    }
  }
  return bytes;
}

}  // namespace

absl::StatusOr<IndexStatistics> ComputeStatistics(const Snapshot& snapshot,
                                                  const StatisticsOptions& options) {
  const bool release = BytesOfOrderedTerms(snapshot) > options.memory_bytes;
  const size_t threads = release ? 1 : options.threads;
  IndexStatistics statistics;
  for (const auto& segment : snapshot.segments()) {
    statistics.posting_count += segment->posting_count();
    statistics.token_count += segment->token_count();
    statistics.file_bytes += segment->file_bytes();
    if (segment->is_compressed()) statistics.compressed_bytes += segment->file_bytes();
  }
  for (const std::string& name : snapshot.field_names()) {
    const FieldStatistics field = snapshot.field_statistics(name);
    PMDEX_ASSIGN_OR_RETURN(const uint64_t terms, CountTerms(snapshot, name, threads, release));
    statistics.fields.push_back({name, field.doc_count, field.token_count, terms});
    statistics.term_count += terms;
  }
  return statistics;
}

absl::StatusOr<SoundStatistics> ComputeSoundStatistics(std::shared_ptr<const Snapshot> snapshot,
                                                       const StatisticsOptions& options) {
  while (true) {
    auto statistics = ComputeStatistics(*snapshot, options);
    auto reduced = snapshot->WithoutDamaged();
    if (reduced == nullptr) {
      PMDEX_RETURN_IF_ERROR(statistics.status());
      return SoundStatistics{std::move(snapshot), *std::move(statistics)};
    }
    snapshot = std::move(reduced);
  }
}

}  // namespace pmdex
