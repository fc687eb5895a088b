#include "engine/segment/order/repeated_id_order.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "pmem/checksum.h"

namespace pmdex {
namespace {

// The hash of the id of each live document, by its number in MergedDocs::Concatenate.
absl::StatusOr<std::vector<uint64_t>> HashIds(std::span<const MergeSource> sources) {
  std::vector<uint64_t> hashes;
  std::string buffer;
  for (const MergeSource& source : sources) {
    for (DocId doc = 0; doc < source.segment->doc_count(); ++doc) {
      if (!IsLive(source.live_docs, doc)) continue;
      PMDEX_ASSIGN_OR_RETURN(const std::string_view id, source.segment->doc_id(doc, buffer));
      hashes.push_back(Xxh3(std::as_bytes(std::span(id))));
    }
    PMDEX_RETURN_IF_ERROR(source.segment->Health());
  }
  return hashes;
}

}  // namespace

absl::StatusOr<std::vector<DocId>> KeepOrderOfRepeatedIds(std::span<const MergeSource> sources,
                                                          std::vector<DocId> order) {
  PMDEX_ASSIGN_OR_RETURN(const std::vector<uint64_t> hashes, HashIds(sources));
  // The places of all documents, those of one id together and ascending.
  std::vector<DocId> places(order.size());
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<DocId>(i);
  std::sort(places.begin(), places.end(), [&](DocId a, DocId b) {
    const uint64_t hash_a = hashes[order[a]];
    const uint64_t hash_b = hashes[order[b]];
    return hash_a != hash_b ? hash_a < hash_b : a < b;
  });
  std::vector<DocId> documents;
  for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
    const uint64_t hash = hashes[order[places[begin]]];
    documents.clear();
    for (; end < places.size() && hashes[order[places[end]]] == hash; ++end) {
      documents.push_back(order[places[end]]);
    }
    std::sort(documents.begin(), documents.end());
    for (size_t i = begin; i < end; ++i) order[places[i]] = documents[i - begin];
  }
  return order;
}

}  // namespace pmdex
