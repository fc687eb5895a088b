#include "engine/ingest/tuning/tuning.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/memory_plan.h"
#include "engine/memtable/memtable_options.h"
#include "pmem/forwarding_directory.h"
#include "tests/engine/ingest/ingest_fixture.h"

namespace pmdex {
namespace tuning_test {

constexpr uint64_t kMiB = uint64_t{1} << 20;

IngestOptions Options(uint64_t memory_bytes, int indexers) {
  IngestOptions options;
  options.memory_bytes = memory_bytes;
  options.indexer_threads = indexers;
  return options;
}

BuildParameters Resolved(const IngestOptions& options) {
  return ResolveParameters(options, StoreGranularity::kPage);
}

TEST(ResolveParameters, FillsInEveryDefault) {
  for (const int indexers : {1, 2, 8, 64}) {
    const BuildParameters parameters = Resolved(Options(1024 * kMiB, indexers));
    EXPECT_EQ(parameters.indexer_threads, indexers);
    EXPECT_GE(parameters.reader_threads, 1);
    EXPECT_GE(parameters.writer_threads, 1);
    EXPECT_GE(parameters.files_ahead, 1u);
    EXPECT_GE(parameters.memory.block_bytes, kMinBlockBytes);
    EXPECT_GE(parameters.memory.memtable_bytes, kMinIndexMemoryBytes);
    EXPECT_EQ(parameters.memtable.limit_bytes, parameters.memory.memtable_bytes);
    EXPECT_EQ(parameters.memtable.index_depth, MemtableOptions::kDefaultIndexDepth);
    EXPECT_EQ(parameters.memtable.split_factor, MemtableOptions::kDefaultSplitFactor);
    EXPECT_EQ(parameters.memtable.simd, BestSimdLevel());
    EXPECT_TRUE(CheckTuning(Options(1024 * kMiB, indexers)).ok());
  }
}

TEST(ResolveParameters, KeepsWhatIsGiven) {
  IngestOptions options = Options(1024 * kMiB, 2);
  options.block_bytes = 256 << 10;
  options.reader_threads = 3;
  options.index_memory_bytes = 100 * kMiB;
  options.writer_threads = 5;  // never more than indexers
  options.index_depth = 100;
  options.split_factor = 16;
  options.huge_pages = HugePageUse::kOff;
  options.direct_io = DirectIo::kOn;
  ASSERT_TRUE(CheckTuning(options).ok());
  options.simd = SimdLevel::kScalar;
  options.settings.analyzer = AnalyzerKind::kLog;
  options.settings.positions = false;
  options.settings.store_text = true;
  const BuildParameters parameters = Resolved(options);
  EXPECT_EQ(ToString(parameters),
            "block size 256KiB, reader threads 3, indexer threads 2, writer threads 2, "
            "index memory 100MiB, index depth 128, split factor 16, huge pages off, direct I/O on");
  EXPECT_EQ(parameters.memory.block_bytes, uint64_t{256} << 10);
  EXPECT_EQ(parameters.memory.memtable_bytes, 100 * kMiB);
  EXPECT_EQ(parameters.memtable.simd, SimdLevel::kScalar);
  EXPECT_EQ(parameters.memtable.analyzer, AnalyzerKind::kLog);
  EXPECT_FALSE(parameters.memtable.positions);
  EXPECT_TRUE(parameters.memtable.store_text);
}

TEST(ResolveParameters, TakesAtMostFourWritersOnPersistentMemoryUnlessToldOtherwise) {
  IngestOptions options = Options(4096 * kMiB, 16);
  const auto writers = [&options](StoreGranularity medium) {
    return ResolveParameters(options, medium).writer_threads;
  };
  EXPECT_EQ(writers(StoreGranularity::kByte), 4);
  EXPECT_EQ(writers(StoreGranularity::kCacheLine), 4);
  EXPECT_EQ(writers(StoreGranularity::kPage), 16);
  options.writer_threads = 9;
  EXPECT_EQ(writers(StoreGranularity::kCacheLine), 9);
  EXPECT_EQ(writers(StoreGranularity::kPage), 9);
  options.indexer_threads = 2;
  EXPECT_EQ(writers(StoreGranularity::kCacheLine), 2) << "never more than indexers";
}

TEST(Tuning, RefusesWhatIsOutOfRange) {
  const auto refuses_block = [](uint64_t bytes) {
    IngestOptions options = Options(1024 * kMiB, 2);
    options.block_bytes = bytes;
    return CheckTuning(options).code() == absl::StatusCode::kInvalidArgument;
  };
  EXPECT_TRUE(refuses_block(1));
  EXPECT_TRUE(refuses_block(kMinBlockBytes - kBlockUnitBytes));
  EXPECT_TRUE(refuses_block(kMinBlockBytes + 1));
  EXPECT_FALSE(refuses_block(kMinBlockBytes));
  EXPECT_FALSE(refuses_block(8 * kMiB));
  EXPECT_TRUE(refuses_block(32 * kMiB));  // a line in it could not be parsed
  IngestOptions options = Options(1024 * kMiB, 2);
  options.index_memory_bytes = kMinIndexMemoryBytes - 1;
  EXPECT_FALSE(CheckTuning(options).ok());
  options.index_memory_bytes = kMinIndexMemoryBytes;
  EXPECT_TRUE(CheckTuning(options).ok());
  EXPECT_FALSE(CheckTuning(Options(1024 * kMiB, 0)).ok());
}

TEST(Tuning, RefusesIndexDepthsAndSplitFactorsThatAMemtableCannotHave) {
  const auto code = [](uint32_t depth, uint32_t parts) {
    IngestOptions options = Options(1024 * kMiB, 2);
    options.index_depth = depth;
    options.split_factor = parts;
    return CheckTuning(options).code();
  };
  for (const uint32_t depth : {0u, 2u, 3u, 1024u}) EXPECT_EQ(code(depth, 0), absl::StatusCode::kOk);
  for (const uint32_t parts : {0u, 1u, 2u, 256u}) EXPECT_EQ(code(0, parts), absl::StatusCode::kOk);
  for (const uint32_t depth : {1u, 1025u}) {
    EXPECT_EQ(code(depth, 0), absl::StatusCode::kInvalidArgument);
  }
  for (const uint32_t parts : {3u, 512u}) {
    EXPECT_EQ(code(0, parts), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Tuning, RefusesWhatDoesNotFitIntoTheMemory) {
  IngestOptions options = Options(1024 * kMiB, 4);
  options.index_memory_bytes = 140 * kMiB;
  EXPECT_TRUE(CheckTuning(options).ok()) << CheckTuning(options);
  options.indexer_threads = 8;
  const absl::Status status = CheckTuning(options);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("more than 1GiB"), std::string::npos) << status;
}

TEST(FitThreads, LeavesThreadsThatFit) {
  for (const int indexers : {1, 2, 4}) {
    const IngestOptions fitted = FitThreads(Options(256 * kMiB, indexers));
    EXPECT_EQ(fitted.indexer_threads, indexers);
    EXPECT_EQ(fitted.reader_threads, 0) << "still for the default to say";
  }
}

TEST(FitThreads, TakesAsManyAsTheMemoryHolds) {
  int before = 0;
  for (const uint64_t mebibytes : {32, 64, 128, 400, 4096}) {
    IngestOptions options = Options(mebibytes * kMiB, 64);
    const IngestOptions fitted = FitThreads(options);
    EXPECT_GE(fitted.indexer_threads, 1);
    EXPECT_GT(fitted.indexer_threads, before);
    EXPECT_EQ(fitted.indexer_threads == 64, mebibytes == 4096) << mebibytes;
    EXPECT_LE(PlannedBytes(Resolved(fitted).memory, fitted.indexer_threads), options.memory_bytes);
    EXPECT_TRUE(CheckTuning(fitted).ok());
    before = fitted.indexer_threads;
  }
}

TEST(FitThreads, CountsTheStemmerOfEveryMemtable) {
  IngestOptions options = Options(64 * kMiB, 64);
  const int plain = FitThreads(options).indexer_threads;
  options.settings.analyzer = AnalyzerKind::kEnglish;
  const IngestOptions fitted = FitThreads(options);
  EXPECT_LT(fitted.indexer_threads, plain);
  EXPECT_LE(PlannedBytes(Resolved(fitted).memory, fitted.indexer_threads), options.memory_bytes);
  const MemoryPlan plan = Resolved(fitted).memory;
  EXPECT_GE(plan.memtables_bytes, (plan.memtable_bytes + plan.memtable_overhead_bytes) *
                                      static_cast<size_t>(fitted.indexer_threads));
}

TEST(FitThreads, TakesFewerReadersBeforeItTakesFewerIndexers) {
  IngestOptions options = Options(64 * kMiB, 2);
  options.reader_threads = 1000;
  const IngestOptions fitted = FitThreads(options);
  EXPECT_EQ(fitted.indexer_threads, 2);
  EXPECT_GT(fitted.reader_threads, 1);
  EXPECT_LE(PlannedBytes(Resolved(fitted).memory, 2), options.memory_bytes);
}

TEST(FitThreads, TakesNoMoreReadersThanDescriptorsAllow) {
  IngestOptions options = Options(8192 * kMiB, 2);
  options.reader_threads = 64;
  EXPECT_EQ(FitThreads(options).reader_threads, 64);
  EXPECT_EQ(Resolved(options).files_ahead, kMostFilesAhead);
  options.most_open_files = 61;
  const IngestOptions fitted = FitThreads(options);
  EXPECT_EQ(fitted.indexer_threads, 2);
  EXPECT_GE(fitted.reader_threads, 10);
  EXPECT_LE(fitted.reader_threads * 2, 61);
  EXPECT_LE(Resolved(fitted).files_ahead * static_cast<size_t>(fitted.reader_threads), 61u);
  options.most_open_files = 1;
  EXPECT_EQ(FitThreads(options).reader_threads, 1) << "what must fail fails";
  EXPECT_EQ(Resolved(FitThreads(options)).files_ahead, 1u);
}

TEST(Tuning, WritesSizesAsTheFlagsTakeThem) {
  EXPECT_EQ(SizeText(0), "0");
  EXPECT_EQ(SizeText(1023), "1023");
  EXPECT_EQ(SizeText(64 << 10), "64KiB");
  EXPECT_EQ(SizeText(1536 << 10), "1536KiB");
  EXPECT_EQ(SizeText(kMiB), "1MiB");
  EXPECT_EQ(SizeText(3 * 1024 * kMiB), "3GiB");
}

std::string Lines(size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "line " + std::to_string(i) + " of input\n";
  return text;
}

TEST_F(IngestFixture, ASmallerBlockSizeMakesMoreBlocks) {
  Write("a.txt", Lines(900 << 10));
  options_.format = InputFormat::kLines;
  options_.checkpoint_interval = {};  // a segment a block
  options_.block_bytes = 512 << 10;
  const IngestReport large = Run({Path("a.txt")});
  EXPECT_EQ(large.segments, 2u);
  options_.block_bytes = 128 << 10;
  const IngestReport small = Run({Path("a.txt")});
  EXPECT_GE(small.segments, 7u);
  EXPECT_EQ(small.documents, large.documents);
}

TEST_F(IngestFixture, LessIndexMemoryMakesMoreSegments) {
  Write("a.txt", Lines(4 << 20));
  options_.format = InputFormat::kLines;
  options_.memory_bytes = 256 * kMiB;
  EXPECT_EQ(Run({Path("a.txt")}).segments, 1u);
  options_.index_memory_bytes = 4 * kMiB;
  EXPECT_GE(Run({Path("a.txt")}).segments, 4u);
}

TEST_F(IngestFixture, IndexDepthAndSplitFactorReachTheMemtables) {
  Write("a.txt", Lines(2 << 20));
  options_.format = InputFormat::kLines;
  options_.index_memory_bytes = kMiB;
  const IngestReport usual = Run({Path("a.txt")});
  options_.split_factor = MemtableOptions::kMaxSplitFactor;  // half a MiB of empty tables
  EXPECT_GT(Run({Path("a.txt")}).segments, usual.segments);
  options_.split_factor = 0;
  options_.index_depth = MemtableOptions::kMaxIndexDepth;  // four KiB for every frequent term
  const IngestReport deep = Run({Path("a.txt")});
  EXPECT_GE(deep.segments, usual.segments);
  EXPECT_EQ(deep.documents, usual.documents);
  EXPECT_EQ(deep.tokens, usual.tokens);
}

TEST_F(IngestFixture, KeepsTheResolvedParametersInTheManifest) {
  Write("a.txt", "one two");
  options_.reader_threads = 2;
  Run({Path("a.txt")});
  const auto manifest = LoadNewestManifest(*directory_, nullptr);
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(manifest->properties.at(kTuningProperty),
            ToString(ResolveParameters(options_, directory_->granularity())));
}

TEST_F(IngestFixture, RefusesATuningThatCannotBeBeforeItWrites) {
  Write("a.txt", "one two");
  options_.index_memory_bytes = 1;
  EXPECT_EQ(TryRun({Path("a.txt")}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(Snapshot::Open(*directory_).ok());
}

// Which threads begin segments.
class ThreadLog : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    if (name.starts_with("segment")) {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
      ++segments_;
    }
    return ForwardingDirectory::Create(name, capacity_bytes);
  }
  size_t threads() const { return threads_.size(); }
  int segments() const { return segments_; }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> threads_;
  int segments_ = 0;
};

TEST_F(IngestFixture, AllSegmentsComeFromTheWriterThreads) {
  Write("a.txt", Lines(6 << 20));
  options_.format = InputFormat::kLines;
  options_.memory_bytes = 256 * kMiB;
  options_.index_memory_bytes = 2 * kMiB;
  options_.indexer_threads = 3;
  options_.inputs = {Path("a.txt")};
  for (const int writers : {1, 2}) {
    options_.writer_threads = writers;
    const auto memory = NewDramDirectory("writers");
    ThreadLog directory(*memory);
    auto writer = IndexWriter::Open(directory, OpenMode::kCreate, options_.settings);
    ASSERT_TRUE(Ingest(options_, **writer, nullptr).ok());
    EXPECT_GT(directory.segments(), 3);
    EXPECT_GE(directory.threads(), 1u);
    EXPECT_LE(directory.threads(), static_cast<size_t>(writers));
  }
}

// The most KiB of 2 MiB pages that the process has when a file is begun: at that of a segment the
// memtable is full.
class HugePageCount : public ForwardingDirectory {
 public:
  using ForwardingDirectory::ForwardingDirectory;
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(std::string_view name,
                                                       uint64_t capacity_bytes) override {
    kib_ = std::max(kib_, Now());
    return ForwardingDirectory::Create(name, capacity_bytes);
  }
  static long Now() {
    std::ifstream rollup("/proc/self/smaps_rollup");
    for (std::string line; std::getline(rollup, line);) {
      if (line.starts_with("AnonHugePages:")) return std::strtol(line.c_str() + 14, nullptr, 10);
    }
    return 0;
  }
  long kib() const { return kib_; }

 private:
  long kib_ = 0;
};

TEST_F(IngestFixture, ABuildWithoutHugePagesHasNone) {
  Write("a.txt", Lines(4 << 20));
  options_.format = InputFormat::kLines;
  options_.inputs = {Path("a.txt")};
  const auto grown_kib = [this](HugePageUse use) {
    options_.huge_pages = use;
    const auto memory = NewDramDirectory("huge-pages");
    HugePageCount directory(*memory);
    const long before = HugePageCount::Now();
    auto writer = IndexWriter::Open(directory, OpenMode::kCreate, options_.settings);
    EXPECT_TRUE(Ingest(options_, **writer, nullptr).ok());
    return directory.kib() - before;
  };
  const long usual = grown_kib(HugePageUse::kAuto);
  if (usual <= 0) GTEST_SKIP() << "this kernel gives no 2 MiB pages";
  EXPECT_LE(grown_kib(HugePageUse::kOff), 0);
  EXPECT_GT(grown_kib(HugePageUse::kOn), 0);
}

}  // namespace tuning_test
}  // namespace pmdex
