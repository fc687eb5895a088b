#include "engine/ingest/repeated_ids.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/ingest/hash_pass.h"
#include "engine/segment/format.h"
#include "engine/segment/live_docs.h"
#include "engine/segment/segment.h"
#include "pmem/checksum.h"

namespace pmdex {
namespace {

constexpr uint64_t kBytesPerNewDocument = 10;  // a hash, and 9 to 17 bits to look it up by

struct IdSource {
  const Segment* segment = nullptr;
  const LiveDocs* live_docs = nullptr;  // nullptr: all documents are live
};

template <typename Visit>
absl::Status ForEachHash(const IdSource& live, const HashPass& pass, const Visit& visit) {
  const Segment& segment = *live.segment;
  std::string buffer;
  for (DocId doc = 0; doc < segment.doc_count(); ++doc) {
    if (!IsLive(live.live_docs, doc)) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view id, segment.doc_id(doc, buffer));
    const uint64_t hash = Xxh3(std::as_bytes(std::span(id)));
    if (pass.Has(hash)) visit(hash);
  }
  return segment.Health();
}

// The different ids of the new documents, and which of them an old document has.
class NewIds {
 public:
  // Takes the hashes in any order.
  explicit NewIds(std::vector<uint64_t> hashes) : hashes_(std::move(hashes)) {
    std::sort(hashes_.begin(), hashes_.end());
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    is_old_.resize(hashes_.size());
    filter_.resize(std::bit_ceil(std::max<size_t>(512, hashes_.size() * 8)));
    for (const uint64_t hash : hashes_) filter_[FilterSlot(hash)] = true;
  }

  uint64_t count() const { return hashes_.size(); }

  // True the first time that an old document has this id.
  bool Meet(uint64_t hash) {
    if (!filter_[FilterSlot(hash)]) return false;
    const auto found = std::lower_bound(hashes_.begin(), hashes_.end(), hash);
    if (found == hashes_.end() || *found != hash) return false;
    const auto place = static_cast<size_t>(found - hashes_.begin());
    if (is_old_[place]) return false;
    is_old_[place] = true;
    return true;
  }

 private:
  size_t FilterSlot(uint64_t hash) const { return hash & (filter_.size() - 1); }

  std::vector<uint64_t> hashes_;  // sorted
  std::vector<bool> is_old_;      // for each hash
  std::vector<bool> filter_;      // by the lowest bits: most old documents miss here
};

}  // namespace

absl::StatusOr<uint64_t> CountRepeatedIds(const Snapshot& snapshot,
                                          const std::set<uint64_t>& old_segments,
                                          size_t memory_bytes) {
  std::vector<IdSource> olds;
  std::vector<IdSource> news;
  uint64_t new_documents = 0;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const Segment& segment = *snapshot.segments()[i];
    const bool is_new = !old_segments.contains(snapshot.listed(i).id);
    (is_new ? news : olds).push_back({&segment, snapshot.live_docs(i)});
    if (is_new) new_documents += segment.doc_count();
  }
  const uint64_t passes = HashPass::CountFor(new_documents * kBytesPerNewDocument, memory_bytes);
  uint64_t repeated = 0;
  for (HashPass pass{.number = 0, .count = passes}; pass.number < passes; ++pass.number) {
    std::vector<uint64_t> hashes;
    hashes.reserve(new_documents / passes + new_documents / passes / 16 + 1024);
    for (const IdSource& segment : news) {
      PMDEX_RETURN_IF_ERROR(
          ForEachHash(segment, pass, [&hashes](uint64_t hash) { hashes.push_back(hash); }));
    }
    const uint64_t in_pass = hashes.size();
    NewIds ids(std::move(hashes));
    repeated += in_pass - ids.count();
    for (const IdSource& segment : olds) {
      PMDEX_RETURN_IF_ERROR(ForEachHash(segment, pass, [&](uint64_t hash) {
        if (ids.Meet(hash)) ++repeated;
      }));
    }
  }
  return repeated;
}

}  // namespace pmdex
