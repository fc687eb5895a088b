// From input to segments: the front door of ingest.
//
//   walk -> files -> readers -> blocks -> indexers: parse, tokenise, memtable -> full memtables ->
//   writers: sort, write a segment, checkpoint
//
// Every stage has threads of its own and a bounded queue behind it. Readers hand over whole blocks;
// indexers own the memtable they fill and share nothing on the hot path.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/node_groups.h"
#include "engine/ingest/stage_report.h"
#include "engine/ingest/stop_flag.h"
#include "engine/memtable/field_names.h"
#include "engine/store/index_writer.h"
#include "pmem/directory.h"
#include "pmem/huge_pages.h"
#include "pmem/numa_topology.h"
#include "pmem/status.h"

namespace pmdex {

enum class InputFormat { kAuto, kFiles, kLines, kJsonl, kTrec };
absl::StatusOr<InputFormat> ParseInputFormat(std::string_view name);
std::string_view ToString(InputFormat format);

// Whether large files are read past the page cache: auto where the cache does not have them.
enum class DirectIo { kAuto, kOn, kOff };

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

// How many threads write segments: as many as index, on persistent memory no more than
// kDefaultConcurrentWriters; less when the options say so. An IndexWriter for these options is
// opened with as many.
int WriterThreads(const IngestOptions& options, const Directory& directory);

// Why something was not indexed, or not whole. ToString gives the words users see.
enum class ProblemKind {
  kBinaryFile,
  kUnreadableFile,
  kVanishedFile,
  kSymlinkLoop,
  kSpecialFile,
  kDocumentTooLarge,
  kLineTooLong,
  kInvalidJson,
  kMissingId,
  kInvalidUtf8,
  kMalformedTrec,
  kTooManyFields,
  kFileChanged,         // since an earlier run read a part of it
  kDamagedCompression,  // what came before the damage is indexed
  kDecoderMemory,       // decompressing the file takes more memory than there is
};
inline constexpr ProblemKind kAllProblemKinds[] = {
    ProblemKind::kBinaryFile,  ProblemKind::kUnreadableFile,     ProblemKind::kVanishedFile,
    ProblemKind::kSymlinkLoop, ProblemKind::kSpecialFile,        ProblemKind::kDocumentTooLarge,
    ProblemKind::kLineTooLong, ProblemKind::kInvalidJson,        ProblemKind::kMissingId,
    ProblemKind::kInvalidUtf8, ProblemKind::kMalformedTrec,      ProblemKind::kTooManyFields,
    ProblemKind::kFileChanged, ProblemKind::kDamagedCompression, ProblemKind::kDecoderMemory,
};
std::string_view ToString(ProblemKind kind);
// Whether the document was lost (counted in `skipped`), or indexed all the same (missing id,
// invalid UTF-8).
bool IsSkipped(ProblemKind kind);

struct ProblemSummary {
  uint64_t count = 0;
  std::vector<std::string> first_places;  // "PATH", "PATH:LINE", at most 3, with the reason
};

// A moment of the run, for the progress bar. Read with relaxed atomics: approximate.
struct IngestProgress {
  uint64_t bytes_done = 0;
  uint64_t bytes_total = 0;  // 0 while unknown
  uint64_t documents = 0;
  double elapsed_seconds = 0;
};

// Of the whole build: this run, and what it has taken up.
struct IngestReport {
  uint64_t documents = 0;
  uint64_t resumed_documents = 0;  // of these, from earlier runs
  uint64_t skipped = 0;
  uint64_t bytes_in = 0;
  uint64_t tokens = 0;
  uint64_t segments = 0;
  uint64_t repeated_ids = 0;  // documents whose id came before, in this index
  double seconds = 0;
  std::map<ProblemKind, ProblemSummary> problems;
  NodeGroups::Report numa;  // of this run
  PipelineReport stages;    // of this run
  // PeakRssBytes() at the end of the build, which --memory is to bound.
  uint64_t peak_rss_bytes = 0;
};

// The largest resident memory of this process so far; 0: unknown.
uint64_t PeakRssBytes();

// Runs to the end of the input and publishes one generation. An input that cannot be opened at all
// is an error before anything is written (kNotFound); everything inside an input is counted
// instead. `progress` (may be empty) is called about ten times a second from one thread.
//
// What is done becomes durable in checkpoints meanwhile. A writer that has taken up an unfinished
// build (OpenToResume) goes on behind it: nothing is indexed twice, nothing is lost. After an error
// writer.published().pending says what may still be taken up.
//
// Once options.stop is set, no more input is read; what was read is indexed and checkpointed, and
// the error is kCancelled, or what went wrong with that. The build has then been begun even if
// nothing is done of it. A stop that comes when all input has been read changes nothing.
absl::StatusOr<IngestReport> Ingest(const IngestOptions& options, IndexWriter& writer,
                                    const std::function<void(const IngestProgress&)>& progress);

}  // namespace pmdex
