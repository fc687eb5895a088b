#include "engine/store/statistics.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace pmdex {
namespace {

// A term as a merge compares it: mostly by its first eight bytes, as a number that orders as they
// do.
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

// Merges the ordered dictionaries of segments: a heap with the smallest term at its root, which is
// replaced by the next one of its segment.
class TermMerge {
 public:
  absl::Status Add(const Segment& segment, FieldId field) {
    Head head{MergeKey(), &segment, std::make_unique<TermIterator>(segment.dictionary(), field)};
    PMDEX_ASSIGN_OR_RETURN(const bool any, Advance(head));
    if (!any) return absl::OkStatus();
    heads_.push_back(std::move(head));
    std::push_heap(heads_.begin(), heads_.end(),
                   [](const Head& a, const Head& b) { return b.key < a.key; });
    return absl::OkStatus();
  }

  bool empty() const { return heads_.empty(); }
  // The smallest; terms that several segments have come several times. Requires !empty().
  const MergeKey& term() const { return heads_[0].key; }

  // To the next. Requires !empty().
  absl::Status Next() {
    PMDEX_ASSIGN_OR_RETURN(const bool more, Advance(heads_[0]));
    if (!more) {
      std::swap(heads_[0], heads_.back());
      heads_.pop_back();
    }
    SinkRoot();
    return absl::OkStatus();
  }

 private:
  // What was read counts as memory, and nobody reads it again. The kernel maps as much around a
  // page as it has in one piece, so a segment lets go as soon as it comes to another piece of its
  // file: later, all segments of one size hold two pieces at once.
  static constexpr uintptr_t kBytesBetweenReleases = 64 << 10;

  struct Head {
    MergeKey key;  // of the term that terms is on
    const Segment* segment;
    std::unique_ptr<TermIterator> terms;
    uintptr_t piece = 0;  // that terms stands in
  };

  static absl::StatusOr<bool> Advance(Head& head) {
    if (!head.terms->Next()) {
      PMDEX_RETURN_IF_ERROR(head.segment->Checked(head.terms->status()));
      return false;
    }
    head.key = MergeKey(head.terms->term());
    const auto piece = reinterpret_cast<uintptr_t>(head.terms->position()) / kBytesBetweenReleases;
    if (piece != head.piece) head.segment->Release();
    head.piece = piece;
    return true;
  }

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

  std::vector<Head> heads_;
};

// Different terms of a field over all segments: a merge of their ordered dictionaries.
absl::StatusOr<uint64_t> CountTerms(const Snapshot& snapshot, std::string_view field) {
  if (snapshot.segments().size() == 1) {  // the field table knows
    const auto id = snapshot.segments()[0]->FindField(field);
    return id ? snapshot.segments()[0]->fields()[*id].term_count : 0;
  }
  TermMerge merge;
  for (const auto& segment : snapshot.segments()) {
    const auto id = segment->FindField(field);
    if (id) PMDEX_RETURN_IF_ERROR(merge.Add(*segment, *id));
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

}  // namespace

absl::StatusOr<IndexStatistics> ComputeStatistics(const Snapshot& snapshot) {
  IndexStatistics statistics;
  for (const auto& segment : snapshot.segments()) {
    statistics.posting_count += segment->posting_count();
    statistics.token_count += segment->token_count();
    statistics.file_bytes += segment->file_bytes();
  }
  for (const std::string& name : snapshot.field_names()) {
    const FieldStatistics field = snapshot.field_statistics(name);
    PMDEX_ASSIGN_OR_RETURN(const uint64_t terms, CountTerms(snapshot, name));
    statistics.fields.push_back({name, field.doc_count, field.token_count, terms});
    statistics.term_count += terms;
  }
  return statistics;
}

absl::StatusOr<SoundStatistics> ComputeSoundStatistics(std::shared_ptr<const Snapshot> snapshot) {
  while (true) {
    auto statistics = ComputeStatistics(*snapshot);
    auto reduced = snapshot->WithoutDamaged();
    if (reduced == nullptr) {
      PMDEX_RETURN_IF_ERROR(statistics.status());
      return SoundStatistics{std::move(snapshot), *std::move(statistics)};
    }
    snapshot = std::move(reduced);
  }
}

}  // namespace pmdex
