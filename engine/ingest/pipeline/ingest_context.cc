#include "engine/ingest/pipeline/ingest_context.h"

namespace pmdex {
namespace {

// How many blocks each group has. Readers fill blocks, so a group without readers needs none.
std::vector<size_t> BlockCounts(const IngestContext& context) {
  std::vector<size_t> counts(context.groups.count(), 0);
  const size_t blocks = context.parameters.memory.block_count;
  const size_t readers = context.reader_groups.size();
  for (size_t i = 0; i < readers; ++i) {
    // The blocks are dealt to the readers; the first ones get the remainder of the division.
    counts[context.reader_groups[i]] += blocks / readers;
    if (i < blocks % readers) ++counts[context.reader_groups[i]];
  }
  return counts;
}

}  // namespace

IngestContext::IngestContext(const BuildParameters& build_parameters,
                             const std::vector<NumaNode>& nodes, const StopFlag* stop)
    : parameters(build_parameters),
      stopped(stop),
      groups(nodes, parameters.indexer_threads),
      indexer_groups(groups.Deal(parameters.indexer_threads)),
      reader_groups(groups.Deal(parameters.reader_threads)),
      decoders(parameters.memory.decoders_bytes),
      pool(parameters.memory.block_bytes, BlockCounts(*this)),
      blocks(parameters.memory.block_count) {}

}  // namespace pmdex
