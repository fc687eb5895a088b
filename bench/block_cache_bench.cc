// What does an index cost that is larger than the block cache?
//
//   block_cache_bench INDEX QUERIES.txt...
//
// INDEX has compressed segments, on a disk. Asks all queries, one a line, through a cache that
// keeps all blocks that they read, and through one of a quarter of these blocks, always in the same
// shuffled order. The second of two rounds counts: how long its queries took, and how many waits
// for the disk they had, by length. The queries of both rounds find the same. Then it reads single
// blocks from random places of the largest segment, to tell what one wait is.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/snapshot.h"
#include "pmem/block_io/block_cache.h"
#include "pmem/block_io/uncached_file.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/searcher.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Round {
  std::vector<double> times_us;
  std::vector<Hit> hits;
};

Round AskAll(const Searcher& searcher, const std::vector<std::string>& queries) {
  Round round;
  for (const std::string& query : queries) {
    const Clock::time_point start = Clock::now();
    const auto result = searcher.Search(query, SearchOptions());
    round.times_us.push_back(MicrosecondsSince(start));
    PMDEX_CHECK(result.ok());
    round.hits.insert(round.hits.end(), result->hits.begin(), result->hits.end());
  }
  return round;
}

bool AreSame(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  return std::ranges::equal(
      a, b, [](const Hit& x, const Hit& y) { return x.doc == y.doc && x.score == y.score; });
}

void Print(const std::string& what, std::vector<double> times_us) {
  std::ranges::sort(times_us);
  const auto at = [&](double part) {
    return times_us[static_cast<size_t>(part * static_cast<double>(times_us.size() - 1))];
  };
  double sum = 0;
  for (const double time : times_us) sum += time;
  std::printf("%-24s mean %9.1f us, p50 %8.1f, p99 %9.1f, max %9.1f\n", what.c_str(),
              sum / static_cast<double>(times_us.size()), at(0.5), at(0.99), at(1));
}

// How many waits of a cache were in each bucket.
using Waits = std::array<uint64_t, LatencyHistogram::kBoundsUs.size() + 1>;

Waits WaitsOf(const BlockCache& cache) {
  Waits waits;
  for (size_t i = 0; i < waits.size(); ++i) waits[i] = cache.waits().count(i);
  return waits;
}

// How many waits there were between the two, by the upper bound of their buckets.
void PrintWaits(const Waits& before, const Waits& after) {
  std::printf("waits:");
  for (size_t i = 0; i < after.size(); ++i) {
    const uint64_t count = after[i] - before[i];
    if (count == 0) continue;
    if (i == LatencyHistogram::kBoundsUs.size()) {
      std::printf(" longer %llu", static_cast<unsigned long long>(count));
    } else {
      std::printf(" to %llu us %llu,",
                  static_cast<unsigned long long>(LatencyHistogram::kBoundsUs[i]),
                  static_cast<unsigned long long>(count));
    }
  }
  std::printf("\n");
}

// Asks twice through a new cache. Returns the hits, and the bytes that the first round read.
std::pair<std::vector<Hit>, uint64_t> Measure(const std::string& what, const char* index,
                                              const std::vector<std::string>& queries,
                                              size_t cache_bytes) {
  const auto directory = OpenFileDirectory(index, {});
  PMDEX_CHECK(directory.ok());
  SnapshotOptions options;
  options.unit_cache = std::make_shared<BlockCache>(cache_bytes, ReadQueue::Method::kIoUring);
  const auto snapshot = Snapshot::Open(**directory, options);
  PMDEX_CHECK(snapshot.ok());
  const Searcher searcher(*snapshot);
  Round round = AskAll(searcher, queries);
  const BlockCacheCounters first = options.unit_cache->counters();
  const Waits first_waits = WaitsOf(*options.unit_cache);
  round = AskAll(searcher, queries);
  const BlockCacheCounters second = options.unit_cache->counters();
  const auto hits = static_cast<double>(second.hits - first.hits);
  const auto misses = static_cast<double>(second.misses - first.misses);
  std::printf("cache of %.1f MB, %.4f of the blocks were there\n",
              static_cast<double>(cache_bytes) / 1e6, hits / std::max(hits + misses, 1.0));
  Print(what, std::move(round.times_us));
  PrintWaits(first_waits, WaitsOf(*options.unit_cache));
  return {std::move(round.hits), first.bytes_read};
}

void MeasureReads(const char* index, std::mt19937_64& random) {
  constexpr int kReads = 2000;
  std::filesystem::path largest;
  for (const auto& file : std::filesystem::directory_iterator(index)) {
    if (largest.empty() || file.file_size() > std::filesystem::file_size(largest)) {
      largest = file.path();
    }
  }
  const auto file = UncachedFile::Open(largest.string());
  PMDEX_CHECK(file.ok());
  BlockCache cache(0, ReadQueue::Method::kIoUring);
  const uint64_t blocks = std::filesystem::file_size(largest) / kCacheBlockBytes;
  std::vector<double> times_us;
  for (int read = 0; read < kReads; ++read) {
    const uint64_t misses = cache.counters().misses;
    const Clock::time_point start = Clock::now();
    const auto pin = cache.PinRange(**file, random() % blocks * kCacheBlockBytes, kCacheBlockBytes);
    const double time_us = MicrosecondsSince(start);
    PMDEX_CHECK(pin.ok());
    if (cache.counters().misses != misses) times_us.push_back(time_us);
  }
  Print("one block from the disk", std::move(times_us));
}

int RunBlockCacheBench(int argc, char** argv) {
  if (argc < 3) return 2;
  std::vector<std::string> queries;
  for (int i = 2; i < argc; ++i) {
    std::ifstream lines(argv[i]);
    for (std::string query; std::getline(lines, query);) queries.push_back(query);
  }
  std::mt19937_64 random(7);
  std::ranges::shuffle(queries, random);
  std::printf("%zu queries\n", queries.size());
  const auto [all, read_bytes] = Measure("all in the cache", argv[1], queries, size_t{4} << 30);
  const auto quarter = Measure("a quarter in the cache", argv[1], queries, read_bytes / 4).first;
  PMDEX_CHECK(AreSame(all, quarter));
  MeasureReads(argv[1], random);
  return 0;
}

}  // namespace
}  // namespace pmdex

int main(int argc, char** argv) {
  return pmdex::RunBlockCacheBench(argc, argv);
}
