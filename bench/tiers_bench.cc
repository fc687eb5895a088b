// How large are the compressed segments of an index, how fast are segments converted, and how long
// do queries take on both tiers?
//
//   tiers_bench INDEX SCRATCH [QUERIES.txt...]
//
// Converts every segment of the index into the directory SCRATCH and back, and compares the bytes
// of what comes back. Then it asks each query of the files, one a line, five times on each tier in
// turns, and compares the answers. It prints the sum over the queries of the shortest times.
// SCRATCH should be on tmpfs; what was written there stays for a look at it.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/segment/compressed/convert_segment.h"
#include "engine/segment/file/header_page.h"
#include "engine/store/snapshot.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/searcher.h"

namespace pmdex {
namespace {

using Segments = std::vector<std::shared_ptr<const Segment>>;

constexpr uint64_t kBackIds = uint64_t{1} << 40;  // of the segments that were converted back

// What this process has used of its one core.
double CpuSeconds() {
  timespec now{};
  PMDEX_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::shared_ptr<const Segment> OpenSegment(const Directory& directory,
                                           const SegmentFileInfo& info) {
  auto file = directory.Open(info.file_name);
  PMDEX_CHECK(file.ok());
  auto segment = Segment::Open(*std::move(file), info.file_name, std::nullopt);
  PMDEX_CHECK(segment.ok());
  return *segment;
}

// Everything behind the header page, which has the id.
std::span<const std::byte> Body(const Segment& segment) {
  return segment.view().bytes().subspan(kHeaderPageBytes);
}

Segments Convert(const Snapshot& snapshot, Directory& directory) {
  Segments compressed;
  double there = 0;
  double back = 0;
  uint64_t raw_bytes = 0;
  std::map<std::string, std::pair<uint64_t, uint64_t>> sections;
  for (const auto& segment : snapshot.segments()) {
    PMDEX_CHECK(segment->Prefault(true).ok());
    double start = CpuSeconds();
    const auto info = WriteCompressedSegment(*segment, directory, segment->segment_id());
    there += CpuSeconds() - start;
    PMDEX_CHECK(info.ok());
    compressed.push_back(OpenSegment(directory, *info));
    start = CpuSeconds();
    const auto raw =
        WriteUncompressedSegment(*compressed.back(), directory, segment->segment_id() + kBackIds);
    back += CpuSeconds() - start;
    PMDEX_CHECK(raw.ok());
    const auto same = OpenSegment(directory, *raw);
    PMDEX_CHECK(std::ranges::equal(Body(*same), Body(*segment)));
    PMDEX_CHECK(directory.Remove(raw->file_name).ok());
    raw_bytes += segment->file_bytes();
    for (const SectionEntry& entry : segment->view().sections()) {
      sections[std::string(ToString(entry.kind))].first += entry.size_bytes;
    }
    for (const SectionEntry& entry : compressed.back()->view().sections()) {
      sections[std::string(ToString(entry.kind))].second += entry.size_bytes;
    }
  }
  const double megabytes = static_cast<double>(raw_bytes) / 1e6;
  std::printf("compress   %.0f MB/s of uncompressed segment\ndecompress %.0f MB/s\n\n",
              megabytes / there, megabytes / back);
  std::printf("%-20s %14s %14s\n", "section", "uncompressed", "compressed");
  std::pair<uint64_t, uint64_t> all;
  for (const auto& [name, bytes] : sections) {
    std::printf("%-20s %14zu %14zu\n", name.c_str(), size_t{bytes.first}, size_t{bytes.second});
    all.first += bytes.first;
    all.second += bytes.second;
  }
  std::printf("%-20s %14zu %14zu\n\n", "all", size_t{all.first}, size_t{all.second});
  return compressed;
}

SearchResult Ask(const Searcher& searcher, const std::string& query, const SearchOptions& options,
                 double& shortest) {
  const double start = CpuSeconds();
  auto result = searcher.Search(query, options);
  shortest = std::min(shortest, CpuSeconds() - start);
  PMDEX_CHECK(result.ok());
  return *std::move(result);
}

bool IsSame(const SearchResult& a, const SearchResult& b) {
  return a.hits.size() == b.hits.size() &&
         std::equal(a.hits.begin(), a.hits.end(), b.hits.begin(), [](const Hit& x, const Hit& y) {
           return x.doc == y.doc && x.score == y.score;
         });
}

void AskAll(const std::string& file, const Searcher& uncompressed, const Searcher& compressed,
            const SearchOptions& options, const char* way) {
  constexpr int kTurns = 5;
  std::ifstream lines(file);
  double sums[2] = {0, 0};
  int queries = 0;
  for (std::string query; std::getline(lines, query); ++queries) {
    double shortest[2] = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
    for (int turn = 0; turn < kTurns; ++turn) {
      const SearchResult expected = Ask(uncompressed, query, options, shortest[0]);
      PMDEX_CHECK(IsSame(Ask(compressed, query, options, shortest[1]), expected));
    }
    sums[0] += shortest[0];
    sums[1] += shortest[1];
  }
  std::printf("%-28s %-10s %10.1f %10.1f %8.2f\n",
              std::filesystem::path(file).stem().string().c_str(), way, sums[0] / queries * 1e6,
              sums[1] / queries * 1e6, sums[1] / sums[0]);
}

}  // namespace

int RunTiersBench(int argc, char** argv) {
  if (argc < 3) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const auto index = OpenFileDirectory(argv[1], {});
  PMDEX_CHECK(index.ok());
  const auto snapshot = Snapshot::Open(**index);
  PMDEX_CHECK(snapshot.ok());
  std::filesystem::create_directories(argv[2]);
  const auto scratch = OpenFileDirectory(argv[2], {});
  PMDEX_CHECK(scratch.ok());
  const Searcher uncompressed(*snapshot);
  const Searcher compressed(Snapshot::Of((*snapshot)->settings(), Convert(**snapshot, **scratch)));
  std::printf("%-28s %-10s %10s %10s %8s\n", "queries", "way", "uncompr us", "compr us", "ratio");
  for (int i = 3; i < argc; ++i) {
    SearchOptions options;
    AskAll(argv[i], uncompressed, compressed, options, "top 10");
    options.exhaustive = true;
    AskAll(argv[i], uncompressed, compressed, options, "exhaustive");
  }
  return 0;
}

}  // namespace pmdex

int main(int argc, char** argv) {
  return pmdex::RunTiersBench(argc, argv);
}
