#include "engine/ingest/tuning/tuning.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

// Below this an indexer writes so many small segments that fewer indexers are faster.
constexpr uint64_t kLeastShareBytes = 2 * kMebibyte;
// Of a large file: its descriptor, and another one to read it directly.
constexpr uint64_t kDescriptorsPerReader = 2;
// For the index, its lock, the directory that is walked, a manifest, and what libraries open.
constexpr uint64_t kOtherDescriptors = 16;
// Each writer thread: a segment, and what is asked about its medium.
constexpr uint64_t kDescriptorsPerWriter = 2;

// What a stemmer remembers; every memtable has one. It does not fit into what an overhead leaves.
constexpr size_t kStemmerBytes = 2 * kMebibyte;

// One reader for four indexers. A single reader also fixes the order of documents.
int ReaderThreads(const IngestOptions& options) {
  if (options.reader_threads > 0) return options.reader_threads;
  return std::clamp(options.indexer_threads / 4, 1, 8);
}

// That readers may have; without a bound, very many.
uint64_t DescriptorsOfReaders(const IngestOptions& options) {
  if (options.most_open_files == 0) return UINT32_MAX;
  const uint64_t others =
      kOtherDescriptors + kDescriptorsPerWriter * static_cast<uint64_t>(options.indexer_threads);
  return options.most_open_files - std::min(options.most_open_files, others);
}

MemoryPlan PlanOf(const IngestOptions& options) {
  MemoryPlan plan =
      PlanMemory(options.memory_bytes, options.indexer_threads, ReaderThreads(options),
                 {options.block_bytes, options.index_memory_bytes});
  if (options.settings.analyzer != AnalyzerKind::kEnglish) return plan;
  plan.memtable_overhead_bytes += kStemmerBytes;
  if (options.index_memory_bytes == 0) {
    const size_t rest = plan.memtable_bytes - std::min(plan.memtable_bytes, kStemmerBytes);
    plan.memtable_bytes = std::max<size_t>(rest, kMinIndexMemoryBytes);
  }
  plan.memtables_bytes =
      std::max(plan.memtables_bytes, (plan.memtable_bytes + plan.memtable_overhead_bytes) *
                                         static_cast<size_t>(options.indexer_threads));
  return plan;
}

// True if the threads fit, and each indexer has a share that is worth it.
bool Fits(const IngestOptions& options) {
  const MemoryPlan plan = PlanOf(options);
  const bool has_share = options.index_memory_bytes != 0 || plan.memtable_bytes >= kLeastShareBytes;
  const auto readers = static_cast<uint64_t>(ReaderThreads(options));
  return has_share && PlannedBytes(plan, options.indexer_threads) <= options.memory_bytes &&
         readers * kDescriptorsPerReader <= DescriptorsOfReaders(options);
}

size_t FilesAhead(const IngestOptions& options) {
  const uint64_t each =
      DescriptorsOfReaders(options) / static_cast<uint64_t>(ReaderThreads(options));
  return std::clamp<uint64_t>(each, 1, kMostFilesAhead);
}

int WriterThreads(const IngestOptions& options, StoreGranularity medium) {
  int most = options.writer_threads;
  if (most <= 0) {
    // Writing into a page cache is computing, so every indexer may have a writer.
    const bool cached = medium == StoreGranularity::kPage;
    most = cached ? options.indexer_threads : kWritersOfPersistentMemory;
  }
  return std::min(most, options.indexer_threads);
}

MemtableOptions MemtableOf(const IngestOptions& options, const MemoryPlan& plan) {
  MemtableOptions memtable;
  memtable.analyzer = options.settings.analyzer;
  memtable.positions = options.settings.positions;
  memtable.store_text = options.settings.store_text;
  memtable.limit_bytes = plan.memtable_bytes;
  if (options.index_depth != 0) memtable.index_depth = std::bit_ceil(options.index_depth);
  if (options.split_factor != 0) memtable.split_factor = options.split_factor;
  memtable.simd = options.simd;
  return memtable;
}

absl::Status CheckMemtable(const IngestOptions& options) {
  const uint32_t depth = options.index_depth;
  if (depth != 0 &&
      (depth < MemtableOptions::kMinIndexDepth || depth > MemtableOptions::kMaxIndexDepth)) {
    return InvalidArgument(absl::StrCat("index depth ", depth, ": from ",
                                        MemtableOptions::kMinIndexDepth, " to ",
                                        MemtableOptions::kMaxIndexDepth, " postings"));
  }
  const uint32_t parts = options.split_factor;
  if (parts != 0 && (!std::has_single_bit(parts) || parts > MemtableOptions::kMaxSplitFactor)) {
    return InvalidArgument(absl::StrCat("split factor ", parts, ": a power of two, at most ",
                                        MemtableOptions::kMaxSplitFactor));
  }
  return absl::OkStatus();
}

absl::Status CheckBlockBytes(uint64_t bytes, const MemoryPlan& plan) {
  if (bytes == 0) return absl::OkStatus();
  if (bytes < kMinBlockBytes || bytes % kBlockUnitBytes != 0) {
    return InvalidArgument(absl::StrCat("block size ", SizeText(bytes), ": a multiple of ",
                                        SizeText(kBlockUnitBytes), " from ",
                                        SizeText(kMinBlockBytes)));
  }
  // Every indexer may have to parse a JSON line that fills a block, in memory that is not planned.
  if (bytes > std::max(kMebibyte, plan.document_limit_bytes / 15)) {
    return InvalidArgument(absl::StrCat("block size ", SizeText(bytes),
                                        ": at most a sixtieth of the memory (or 1MiB)"));
  }
  return absl::OkStatus();
}

}  // namespace

IngestOptions FitThreads(IngestOptions options) {
  while (!Fits(options)) {
    const int readers = ReaderThreads(options);
    if (readers > 1 && readers >= options.indexer_threads) {
      options.reader_threads = readers - 1;
    } else if (options.indexer_threads > 1) {
      --options.indexer_threads;
    } else {
      break;
    }
  }
  return options;
}

absl::Status CheckTuning(const IngestOptions& options) {
  if (options.indexer_threads < 1) return InvalidArgument("at least one indexer thread");
  const MemoryPlan plan = PlanOf(options);
  PMDEX_RETURN_IF_ERROR(CheckBlockBytes(options.block_bytes, plan));
  PMDEX_RETURN_IF_ERROR(CheckMemtable(options));
  const uint64_t index_memory = options.index_memory_bytes;
  if (index_memory == 0 && options.block_bytes == 0) return absl::OkStatus();
  if (index_memory != 0 && index_memory < kMinIndexMemoryBytes) {
    return InvalidArgument(absl::StrCat("index memory ", SizeText(index_memory), ": at least ",
                                        SizeText(kMinIndexMemoryBytes)));
  }
  const uint64_t planned = PlannedBytes(plan, options.indexer_threads);
  if (planned <= options.memory_bytes) return absl::OkStatus();
  return InvalidArgument(absl::StrCat(
      plan.block_count, " blocks of ", SizeText(plan.block_bytes), " and index memory of ",
      SizeText(plan.memtable_bytes), " for each of ", options.indexer_threads,
      " indexers take a memory of ", (planned + kMebibyte - 1) / kMebibyte, "MiB, more than ",
      SizeText(options.memory_bytes)));
}

BuildParameters ResolveParameters(const IngestOptions& options, StoreGranularity medium) {
  BuildParameters parameters;
  parameters.memory = PlanOf(options);
  parameters.reader_threads = ReaderThreads(options);
  parameters.indexer_threads = options.indexer_threads;
  parameters.writer_threads = WriterThreads(options, medium);
  parameters.files_ahead = FilesAhead(options);
  parameters.memtable = MemtableOf(options, parameters.memory);
  parameters.huge_pages = options.huge_pages;
  parameters.direct_io = options.direct_io;
  return parameters;
}

std::string ToString(const BuildParameters& parameters) {
  return absl::StrCat("block size ", SizeText(parameters.memory.block_bytes), ", reader threads ",
                      parameters.reader_threads, ", indexer threads ", parameters.indexer_threads,
                      ", writer threads ", parameters.writer_threads, ", index memory ",
                      SizeText(parameters.memory.memtable_bytes / kMebibyte * kMebibyte),
                      ", index depth ", parameters.memtable.index_depth, ", split factor ",
                      parameters.memtable.split_factor, ", huge pages ",
                      ToAbsl(ToString(parameters.huge_pages)), ", direct I/O ",
                      ToAbsl(ToString(parameters.direct_io)));
}

std::string SizeText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && bytes > 0 && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return absl::StrCat(bytes, kUnits[unit]);
}

}  // namespace pmdex
