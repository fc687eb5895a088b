#include "engine/ingest/pipeline/ingest_context.h"

namespace pmdex {
namespace {

// Of each group: blocks are made by readers, so only those who have some need any.
std::vector<size_t> BlockCounts(const IngestContext& context) {
  std::vector<size_t> counts(context.groups.count(), 0);
  const size_t readers = context.reader_groups.size();
  for (size_t i = 0; i < readers; ++i) {
    // The blocks are dealt to the readers, and the rest of the division to the first ones.
    counts[context.reader_groups[i]] += context.plan.block_count / readers;
    if (i < context.plan.block_count % readers) ++counts[context.reader_groups[i]];
  }
  return counts;
}

}  // namespace

IngestContext::IngestContext(const MemoryPlan& memory_plan, const std::vector<NumaNode>& nodes,
                             int indexer_threads, int reader_threads, const StopFlag* stop)
    : plan(memory_plan),
      stopped(stop),
      groups(nodes, indexer_threads),
      indexer_groups(groups.Deal(indexer_threads)),
      reader_groups(groups.Deal(reader_threads)),
      decoders(memory_plan.decoders_bytes),
      pool(memory_plan.block_bytes, BlockCounts(*this)),
      blocks(memory_plan.block_count) {}

}  // namespace pmdex
