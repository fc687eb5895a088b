#include "engine/memtable/chunk_preparer.h"

#include <optional>
#include <utility>

#include "pmem/exhaustion.h"
#include "pmem/thread.h"

namespace pmdex {

ChunkPreparer::ChunkPreparer(ChunkPool& pool, Options options)
    : pool_(pool), options_(std::move(options)) {
  auto thread = StartThread([this] {
    // Without memory for more the threads that index will find out themselves.
    CatchOutOfMemory([this] {
      Run();
      return absl::OkStatus();
    }).IgnoreError();
  });
  if (thread.ok()) thread_ = *std::move(thread);
}

ChunkPreparer::~ChunkPreparer() {
  pool_.EndWaiting();
  if (thread_.joinable()) thread_.join();
}

void ChunkPreparer::Run() {
  uint64_t taken = 0;
  while (const std::optional<uint64_t> now = pool_.AwaitTake(taken)) {
    taken = *now;
    for (size_t group = 0; group < options_.chunks.size(); ++group) {
      if (pool_.taken(group) >= kFirstChunks) Fill(group);
    }
  }
}

void ChunkPreparer::Fill(size_t group) {
  for (size_t held = pool_.held(group); held < options_.chunks[group]; ++held) {
    if (pool_.held_bytes() + ChunkPool::kChunkBytes > options_.free_bytes()) return;
    options_.enter(group);
    HugeBuffer chunk(ChunkPool::kChunkBytes);
    chunk.Populate();
    pool_.Return(group, std::move(chunk));
    pool_.TrimTo(options_.free_bytes());  // others may have taken some meanwhile
  }
}

}  // namespace pmdex
