#include "engine/ingest/replaced_documents.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"

#include "engine/ingest/hash_pass.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/deletions/id_lookup.h"
#include "engine/store/deletions/live_segment.h"
#include "pmem/checksum.h"
#include "pmem/mutex.h"

namespace pmdex {
namespace {

constexpr uint64_t kBytesPerSlotOfNewDocument = 22;

// The documents to delete, keyed by segment id. Thread-safe.
class ReplacedDocs {
 public:
  void Add(uint64_t segment_id, std::span<const DocId> docs) {
    if (docs.empty()) return;
    MutexLock lock(&mutex_);
    std::vector<DocId>& all = docs_[segment_id];
    all.insert(all.end(), docs.begin(), docs.end());
  }
  absl::StatusOr<uint64_t> DeleteFrom(IndexWriter& writer) {
    MutexLock lock(&mutex_);
    uint64_t deleted = 0;
    for (const auto& [segment_id, docs] : docs_) {
      PMDEX_ASSIGN_OR_RETURN(const uint64_t live, writer.Delete(segment_id, docs));
      deleted += live;
    }
    docs_.clear();
    return deleted;
  }

 private:
  Mutex mutex_;
  std::map<uint64_t, std::vector<DocId>> docs_ ABSL_GUARDED_BY(mutex_);
};

// The order of new documents as numbers: documents of greater runs are later, and in a run those
// with greater docids.
class DocOrder {
 public:
  // orders: of each new segment.
  explicit DocOrder(std::span<const SegmentOrder* const> orders) : starts_(orders.size()) {
    std::vector<std::pair<const InputRun*, size_t>> runs;  // with the segment
    for (size_t i = 0; i < orders.size(); ++i) {
      for (const InputRun& run : orders[i]->runs) runs.emplace_back(&run, i);
    }
    std::stable_sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
      return ComesBefore(a.first->place, b.first->place);
    });
    for (uint64_t rank = 0; rank < runs.size(); ++rank) {
      starts_[runs[rank].second].push_back({runs[rank].first->first_doc, rank});
    }
    for (auto& starts : starts_) std::sort(starts.begin(), starts.end());
  }

  bool IsLater(size_t segment, DocId doc, size_t other_segment, DocId other_doc) const {
    return std::pair(RankOf(segment, doc), doc) >
           std::pair(RankOf(other_segment, other_doc), other_doc);
  }

 private:
  using Start = std::pair<DocId, uint64_t>;  // first document, rank of the run

  uint64_t RankOf(size_t segment, DocId doc) const {
    const std::vector<Start>& starts = starts_[segment];
    return (std::upper_bound(starts.begin(), starts.end(), Start{doc, UINT64_MAX}) - 1)->second;
  }

  std::vector<std::vector<Start>> starts_;  // of each segment, ascending
};

// The last document of each id among the new ones whose hash is in a pass.
class NewestDocs {
 public:
  NewestDocs(std::span<const LiveSegment> segments, const DocOrder& order, uint64_t expected)
      : segments_(segments),
        order_(order),
        slots_(std::bit_ceil(std::max<uint64_t>(8, expected + expected / 3 + 1))) {
    uint64_t base = 0;
    for (const LiveSegment& live : segments_) {
      bases_.push_back(base);
      base += live.segment->doc_count();
    }
  }

  // Adds a document, and returns the one that it replaces or that replaces it, if there is one.
  absl::StatusOr<std::optional<std::pair<size_t, DocId>>> Add(size_t segment, DocId doc,
                                                              std::string_view id, uint64_t hash) {
    PMDEX_ASSIGN_OR_RETURN(const size_t slot, SlotOf(id, hash));
    std::optional<std::pair<size_t, DocId>> replaced;
    if (slots_[slot] == 0) {
      if (++used_ > slots_.size() / 8 * 7) {
        PMDEX_RETURN_IF_ERROR(Grow());
        return Add(segment, doc, id, hash);
      }
    } else {
      replaced = DocOf(slots_[slot]);
      if (!order_.IsLater(segment, doc, replaced->first, replaced->second)) {
        return std::optional(std::pair(segment, doc));
      }
    }
    slots_[slot] = (hash & ~kDocMask) | (bases_[segment] + doc + 1);
    return replaced;
  }

  absl::StatusOr<bool> Has(std::string_view id, uint64_t hash) const {
    PMDEX_ASSIGN_OR_RETURN(const size_t slot, SlotOf(id, hash));
    return slots_[slot] != 0;
  }

 private:
  // A slot has 16 bits of the hash above the number of the document plus 1; 0 is an empty slot.
  static constexpr uint64_t kDocMask = (uint64_t{1} << 48) - 1;

  std::pair<size_t, DocId> DocOf(uint64_t slot) const {
    const uint64_t number = (slot & kDocMask) - 1;
    const auto segment =
        static_cast<size_t>(std::upper_bound(bases_.begin(), bases_.end(), number) -
                            bases_.begin()) -
        1;
    return {segment, static_cast<DocId>(number - bases_[segment])};
  }
  absl::StatusOr<std::string_view> IdOf(uint64_t slot, std::string& buffer) const {
    const auto [segment, doc] = DocOf(slot);
    const Segment& holder = *segments_[segment].segment;
    return holder.Checked(holder.doc_id(doc, buffer));
  }
  absl::StatusOr<size_t> SlotOf(std::string_view id, uint64_t hash) const {
    const size_t mask = slots_.size() - 1;
    std::string buffer;
    for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      const uint64_t value = slots_[slot];
      if (value == 0) return slot;
      if ((value & ~kDocMask) != (hash & ~kDocMask)) continue;
      PMDEX_ASSIGN_OR_RETURN(const std::string_view other, IdOf(value, buffer));
      if (other == id) return slot;
    }
  }
  // Where more hashes than expected fall into a pass.
  absl::Status Grow() {
    std::vector<uint64_t> before(slots_.size() * 2);
    before.swap(slots_);
    used_ = 0;
    std::string buffer;
    for (const uint64_t value : before) {
      if (value == 0) continue;
      PMDEX_ASSIGN_OR_RETURN(const std::string_view id, IdOf(value, buffer));
      PMDEX_ASSIGN_OR_RETURN(const size_t slot, SlotOf(id, Xxh3(std::as_bytes(std::span(id)))));
      slots_[slot] = value;
      ++used_;
    }
    return absl::OkStatus();
  }

  const std::span<const LiveSegment> segments_;
  const DocOrder& order_;
  std::vector<uint64_t> bases_;  // the number of each segment's first document
  std::vector<uint64_t> slots_;
  uint64_t used_ = 0;
};

// Calls visit(doc, id, hash) for the live documents of a range whose hash is in the pass.
template <typename Visit>
absl::Status ForEachIdIn(const LiveSegment& live, DocId begin, DocId end, const HashPass& pass,
                         const Visit& visit) {
  std::string buffer;
  for (DocId doc = begin; doc < end; ++doc) {
    if (!IsLive(live.live_docs.get(), doc)) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view id,
                           live.segment->Checked(live.segment->doc_id(doc, buffer)));
    const uint64_t hash = Xxh3(std::as_bytes(std::span(id)));
    if (pass.Has(hash)) PMDEX_RETURN_IF_ERROR(visit(doc, id, hash));
  }
  return live.segment->Health();
}

struct Sources {
  std::vector<LiveSegment> news;
  std::vector<LiveSegment> olds;
  std::vector<const SegmentOrder*> orders;  // of the new ones
  uint64_t new_documents = 0;
};

absl::StatusOr<Sources> OpenSources(IndexWriter& writer, BuildScope scope,
                                    const std::set<uint64_t>& old_segments,
                                    std::span<const SegmentOrder> orders) {
  std::map<uint64_t, const SegmentOrder*> order_of;
  for (const SegmentOrder& order : orders) order_of[order.segment_id] = &order;
  Sources sources;
  for (const ManifestSegment& listed : writer.NextSegments()) {
    const bool is_old = old_segments.contains(listed.id);
    const auto order = order_of.find(listed.id);
    if (!is_old && order == order_of.end() && scope == BuildScope::kPart) continue;
    PMDEX_ASSIGN_OR_RETURN(LiveSegment opened, writer.OpenNext(listed));
    if (is_old) {
      sources.olds.push_back(std::move(opened));
      continue;
    }
    if (order == order_of.end()) {
      return DataLoss(absl::StrCat("the progress of the build does not say where ",
                                   SegmentFileName(listed.id), " comes from"));
    }
    sources.new_documents += opened.segment->doc_count();
    sources.news.push_back(std::move(opened));
    sources.orders.push_back(order->second);
  }
  return sources;
}

absl::Status AddNewDocs(const Sources& sources, const HashPass& pass, NewestDocs& newest,
                        ReplacedDocs& replaced) {
  for (size_t i = 0; i < sources.news.size(); ++i) {
    const auto add = [&](DocId doc, std::string_view id, uint64_t hash) -> absl::Status {
      PMDEX_ASSIGN_OR_RETURN(const auto earlier, newest.Add(i, doc, id, hash));
      if (earlier.has_value()) {
        replaced.Add(sources.news[earlier->first].listed_id, {{earlier->second}});
      }
      return absl::OkStatus();
    };
    const uint32_t doc_count = sources.news[i].segment->doc_count();
    PMDEX_RETURN_IF_ERROR(ForEachIdIn(sources.news[i], 0, doc_count, pass, add));
  }
  return absl::OkStatus();
}

absl::Status FindOldDocs(const Sources& sources, const HashPass& pass, const NewestDocs& newest,
                         size_t threads, ReplacedDocs& replaced) {
  return VisitRanges(sources.olds, threads, [&](const DocRange& range) -> absl::Status {
    const LiveSegment& live = sources.olds[range.segment];
    std::vector<DocId> docs;
    const auto look_up = [&](DocId doc, std::string_view id, uint64_t hash) -> absl::Status {
      PMDEX_ASSIGN_OR_RETURN(const bool is_replaced, newest.Has(id, hash));
      if (is_replaced) docs.push_back(doc);
      return absl::OkStatus();
    };
    PMDEX_RETURN_IF_ERROR(ForEachIdIn(live, range.begin, range.end, pass, look_up));
    replaced.Add(live.listed_id, docs);
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<uint64_t> DeleteReplacedDocuments(IndexWriter& writer, BuildScope scope,
                                                 const std::set<uint64_t>& old_segments,
                                                 std::span<const SegmentOrder> orders,
                                                 size_t memory_bytes, size_t threads) {
  PMDEX_ASSIGN_OR_RETURN(const Sources sources, OpenSources(writer, scope, old_segments, orders));
  const DocOrder order(sources.orders);
  const uint64_t passes =
      HashPass::CountFor(sources.new_documents * kBytesPerSlotOfNewDocument, memory_bytes);
  uint64_t deleted = 0;
  for (HashPass pass{.number = 0, .count = passes}; pass.number < passes; ++pass.number) {
    NewestDocs newest(sources.news, order, sources.new_documents / passes);
    ReplacedDocs replaced;
    PMDEX_RETURN_IF_ERROR(AddNewDocs(sources, pass, newest, replaced));
    PMDEX_RETURN_IF_ERROR(FindOldDocs(sources, pass, newest, threads, replaced));
    PMDEX_ASSIGN_OR_RETURN(const uint64_t in_pass, replaced.DeleteFrom(writer));
    deleted += in_pass;
  }
  return deleted;
}

}  // namespace pmdex
