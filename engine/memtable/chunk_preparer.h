// Prepares the next chunks of memtables in a thread of its own: it makes the kernel map and clear
// their memory before a thread that indexes needs it. That takes such a thread up to a tenth of its
// time where nobody has touched the memory for some seconds. Builds of a few chunks start no work.
// Not thread-safe; its thread ends when it dies, or for good when memory runs out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "engine/memtable/chunk_pool.h"

namespace pmdex {

class ChunkPreparer {
 public:
  // So many chunks a group takes for itself before others are prepared for it.
  static constexpr uint64_t kFirstChunks = 8;

  struct Options {
    // How many prepared chunks each group of the pool shall have.
    std::vector<size_t> chunks;
    // How many bytes the pool may hold at present. The thread calls it.
    std::function<size_t()> free_bytes;
    // Puts the thread where the memory of a group shall lie.
    std::function<void(size_t group)> enter;
  };
  // The pool must outlive the preparer. If the system cannot start a thread, nothing is prepared.
  ChunkPreparer(ChunkPool& pool, Options options);
  ~ChunkPreparer();
  ChunkPreparer(const ChunkPreparer&) = delete;
  ChunkPreparer& operator=(const ChunkPreparer&) = delete;

 private:
  void Run();
  void Fill(size_t group);

  ChunkPool& pool_;
  const Options options_;
  std::thread thread_;
};

}  // namespace pmdex
