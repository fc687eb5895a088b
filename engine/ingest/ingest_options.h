// What a build shall index, and how. Plain values.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/columns/field_spec.h"
#include "engine/ingest/pipeline/stage_observer.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/memtable/field_names.h"
#include "engine/store/manifest.h"
#include "pmem/cpu_features.h"
#include "pmem/huge_pages.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

enum class InputFormat { kAuto, kFiles, kLines, kJsonl, kTrec };
absl::StatusOr<InputFormat> ParseInputFormat(std::string_view name);
std::string_view ToString(InputFormat format);

// Whether large files are read past the page cache. kAuto: those that the cache does not have.
enum class DirectIo { kAuto, kOn, kOff };
absl::StatusOr<DirectIo> ParseDirectIo(std::string_view name);
std::string_view ToString(DirectIo use);  // "auto", "on", "off"

struct IngestOptions {
  std::vector<std::string> inputs;  // paths; "-" is standard input
  InputFormat format = InputFormat::kAuto;
  std::string id_field = "id";      // jsonl
  std::vector<std::string> fields;  // jsonl: empty means every field but the id field
  FieldSpecs schema;                // jsonl: the types of fields; those of others are inferred
  // lines: the zone (log_clock.h) of times without one. Empty: lines have no field `time`.
  std::string log_zone;
  size_t max_fields = kMaxFields;  // tests take fewer
  IndexSettings settings;
  // Files: every entry becomes a document, also directories, links and what has no text.
  bool attributes = false;
  // A document replaces those with the same id that the index has, or that came before it in the
  // input. Otherwise all of them stay.
  bool update = false;
  // How the build works. 0 stands for the default; ResolveParameters (tuning.h) fills it in.
  int indexer_threads = 1;  // at least 1
  int reader_threads = 0;
  int writer_threads = 0;  // a build has never more writers than indexers
  DirectIo direct_io = DirectIo::kAuto;
  uint64_t memory_bytes = uint64_t{1} << 30;  // of the whole build
  uint64_t most_open_files = 0;               // descriptors that the build may open; 0: any number
  uint64_t block_bytes = 0;         // of input that a reader hands to an indexer at a time
  uint64_t index_memory_bytes = 0;  // of one indexer's memtable
  uint32_t index_depth = 0;         // MemtableOptions::index_depth
  uint32_t split_factor = 0;        // MemtableOptions::split_factor
  HugePageUse huge_pages = HugePageUse::kAuto;
  SimdLevel simd = BestSimdLevel();  // of the kernels; the index does not depend on it
  // The nodes that threads are grouped by (numa_placement.h: UsableNumaNodes). With fewer than two
  // nodes, threads are not bound.
  std::vector<NumaNode> numa_nodes;
  std::string exclude_directory;  // the walk never enters it: the index itself
  // The caller sets the flag to end the build early, at a checkpoint. May be null; outlives the
  // build.
  const StopFlag* stop = nullptr;
  // Is told of each thread of the build. May be null; outlives the build.
  StageObserver* observer = nullptr;
  // An indexer thread hands its memtable over after this time at the latest, so that its documents
  // become durable; 0: after every block.
  std::chrono::milliseconds checkpoint_interval{60'000};
  // Each checkpoint also makes its documents visible to readers, and comes after this time, or
  // after so many bytes of input, at the latest; 0: no limit of this kind. Both 0: readers see the
  // documents at the end of the build. Not with `update`. A field that no document of the sample
  // has takes the type of the value that an indexer meets first.
  std::chrono::milliseconds publish_interval{0};
  uint64_t publish_bytes = 0;
  bool publishes_parts() const { return publish_interval.count() > 0 || publish_bytes > 0; }
};

// When an indexer thread hands over its memtable at the latest.
struct CheckpointLimits {
  std::chrono::milliseconds interval;
  uint64_t bytes_in = UINT64_MAX;  // of input
};
CheckpointLimits CheckpointLimitsOf(const IngestOptions& options);

}  // namespace pmdex
