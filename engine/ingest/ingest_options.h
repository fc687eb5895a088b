// What a build is to index, and how. Plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/memtable/field_names.h"
#include "engine/store/manifest.h"
#include "pmem/huge_pages.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

enum class InputFormat { kAuto, kFiles, kLines, kJsonl, kTrec };
absl::StatusOr<InputFormat> ParseInputFormat(std::string_view name);
std::string_view ToString(InputFormat format);

// Whether large files are read past the page cache: auto where the cache does not have them.
enum class DirectIo { kAuto, kOn, kOff };
absl::StatusOr<DirectIo> ParseDirectIo(std::string_view name);
std::string_view ToString(DirectIo use);  // "auto", "on", "off"

struct IngestOptions {
  std::vector<std::string> inputs;  // paths; "-" is standard input
  InputFormat format = InputFormat::kAuto;
  std::string id_field = "id";      // jsonl
  std::vector<std::string> fields;  // jsonl: empty means every string field but the id field
  size_t max_fields = kMaxFields;   // less for tests
  IndexSettings settings;
  int indexer_threads = 1;
  int reader_threads = 0;  // 0: chosen
  int writer_threads = 0;  // 0: chosen; never more than indexers
  DirectIo direct_io = DirectIo::kAuto;
  uint64_t memory_bytes = uint64_t{1} << 30;  // of the whole build
  uint64_t most_open_files = 0;               // descriptors that the build may open; 0: any number
  // How it is done, where 0 stands for the default (tuning.h).
  uint64_t block_bytes = 0;         // of input, from a reader to an indexer
  uint64_t index_memory_bytes = 0;  // memtable of one indexer; 0: its share of memory_bytes
  uint32_t index_depth = 0;         // postings of a term's first slice (memtable.h)
  uint32_t split_factor = 0;        // parts of a memtable's vocabulary (memtable.h)
  HugePageUse huge_pages = HugePageUse::kAuto;
  // To group the threads by (numa_placement.h: UsableNumaNodes); fewer than two: nothing is bound.
  std::vector<NumaNode> numa_nodes;
  std::string exclude_directory;  // never walked into: the index itself
  // Set by somebody else to end the build early, at a checkpoint. May be null; outlives the build.
  const StopFlag* stop = nullptr;
  // What an indexer thread has in memory becomes durable after this time at the latest (0: after
  // every block).
  std::chrono::milliseconds checkpoint_interval{60'000};
};

}  // namespace pmdex
