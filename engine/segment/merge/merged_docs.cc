#include "engine/segment/merge/merged_docs.h"

#include <algorithm>

#include "pmem/check.h"

namespace pmdex {
namespace {

// A search in a list takes some dozens of times as long as reading a posting.
constexpr uint32_t kPostingsOfASearch = 64;

bool HasFew(const LiveDocs* live_docs) {
  return live_docs != nullptr && live_docs->live_count() > 0 &&
         live_docs->live_count() <= live_docs->doc_count() / kPostingsOfASearch;
}

uint32_t LiveCount(const MergeSource& source) {
  return source.live_docs == nullptr ? source.segment->doc_count() : source.live_docs->live_count();
}

}  // namespace

MergedDocs::MergedDocs(std::span<const MergeSource> sources)
    : sources_(sources.begin(), sources.end()), few_(sources.size()), maps_(sources.size()) {}

absl::StatusOr<MergedDocs> MergedDocs::Concatenate(std::span<const MergeSource> sources) {
  MergedDocs docs(sources);
  uint64_t count = 0;
  for (size_t i = 0; i < sources.size(); ++i) {
    const LiveDocs* const live_docs = sources[i].live_docs;
    const uint32_t source_docs = sources[i].segment->doc_count();
    docs.bases_.push_back(static_cast<DocId>(count));
    PMDEX_CHECK(live_docs == nullptr || live_docs->doc_count() == source_docs);
    if (count + LiveCount(sources[i]) > kMaxDocsPerSegment) {
      return InvalidArgument("the segments have too many documents for one segment");
    }
    const bool has_few = HasFew(live_docs);
    docs.has_only_few_ = docs.has_only_few_ && has_few;
    if (live_docs != nullptr && live_docs->deleted_count() > 0) {
      auto next = static_cast<DocId>(count);
      docs.maps_[i].resize(source_docs, kDeleted);
      for (DocId doc = 0; doc < source_docs; ++doc) {
        if (!live_docs->IsLive(doc)) continue;
        docs.maps_[i][doc] = next++;
        if (has_few) docs.few_[i].push_back(doc);
      }
    }
    count += LiveCount(sources[i]);
  }
  docs.count_ = static_cast<uint32_t>(count);
  return docs;
}

absl::StatusOr<MergedDocs> MergedDocs::Permute(std::span<const MergeSource> sources,
                                               std::span<const DocId> order) {
  PMDEX_ASSIGN_OR_RETURN(MergedDocs docs, Concatenate(sources));
  PMDEX_CHECK(order.size() == docs.count_);
  std::vector<DocId> new_docs(order.size());  // by the docid in Concatenate
  for (size_t i = 0; i < order.size(); ++i) new_docs[order[i]] = static_cast<DocId>(i);
  std::vector<Place> places(order.size());
  for (size_t i = 0; i < sources.size(); ++i) {
    const uint32_t source_docs = sources[i].segment->doc_count();
    std::vector<DocId> map(source_docs, kDeleted);
    for (DocId doc = 0; doc < source_docs; ++doc) {
      const DocId concatenated = docs.New(i, doc);
      if (concatenated == kDeleted) continue;
      map[doc] = new_docs[concatenated];
      places[map[doc]] = {static_cast<uint32_t>(i), doc};
    }
    docs.maps_[i] = std::move(map);
  }
  docs.places_ = std::move(places);
  return docs;
}

MergedDocs::Place MergedDocs::PlaceOf(DocId doc, Place last) const {
  PMDEX_DCHECK(doc < count_);
  if (is_permuted()) return places_[doc];
  // The last source that begins at the document or before it. Sources without live documents begin
  // where the next one does.
  if (last.source >= bases_.size() || bases_[last.source] > doc ||
      doc - bases_[last.source] >= LiveCount(sources_[last.source])) {
    const auto after = std::upper_bound(bases_.begin(), bases_.end(), doc);
    last = {static_cast<uint32_t>(after - bases_.begin()) - 1, 0};
  }
  const std::vector<DocId>& map = maps_[last.source];
  if (map.empty()) return {last.source, doc - bases_[last.source]};
  const DocId at = map[last.doc];
  if (at == kDeleted || at > doc) last.doc = 0;
  while (map[last.doc] != doc) ++last.doc;
  return last;
}

}  // namespace pmdex
