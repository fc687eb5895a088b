#include "engine/segment/order/graph_order.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/segment/order/forward_index.h"
#include "engine/segment/order/graph_bisection.h"
#include "engine/segment/order/repeated_id_order.h"
#include "pmem/exhaustion.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr size_t kThreads = 2;
// The start of its terms, what the bisection takes, and its place in the result.
constexpr uint64_t kBytesPerDocument =
    sizeof(uint64_t) + kBisectionBytesPerDocument + sizeof(DocId);

uint64_t LiveCount(std::span<const MergeSource> sources) {
  uint64_t count = 0;
  for (const MergeSource& source : sources) {
    count +=
        source.live_docs == nullptr ? source.segment->doc_count() : source.live_docs->live_count();
  }
  return count;
}

absl::StatusOr<std::vector<DocId>> Bisect(std::span<const MergeSource> sources,
                                          const ForwardIndexOptions& index_options,
                                          const BisectionOptions& options) {
  PMDEX_ASSIGN_OR_RETURN(const ForwardIndex index, BuildForwardIndex(sources, index_options));
  return BisectDocuments(index, options);
}

}  // namespace

absl::StatusOr<std::vector<DocId>> OrderByGraph(std::span<const MergeSource> sources,
                                                const GraphOrderOptions& options) {
  const uint64_t documents = LiveCount(sources);
  if (documents > kMostBisectedDocuments) {
    return InvalidArgument(
        absl::StrCat("an order by graph takes at most ", kMostBisectedDocuments, " documents"));
  }
  const uint64_t needed = documents * kBytesPerDocument;
  if (needed > options.memory_bytes) {
    return Exhausted(Resource::kMemory,
                     absl::StrCat("the order of ", documents, " documents takes ", needed,
                                  " bytes of memory, and may take ", options.memory_bytes,
                                  " (hint: a larger --memory)"));
  }
  const ForwardIndexOptions index_options{.memory_bytes = options.memory_bytes - needed,
                                          .bytes_per_term = kBisectionBytesPerTerm * kThreads,
                                          .stop = options.stop};
  BisectionOptions bisection;
  bisection.threads = kThreads;
  bisection.stop = options.stop;
  bisection.progress = options.progress;
  PMDEX_ASSIGN_OR_RETURN(std::vector<DocId> order, Bisect(sources, index_options, bisection));
  return KeepOrderOfRepeatedIds(sources, std::move(order));
}

}  // namespace pmdex
