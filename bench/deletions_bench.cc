// How much longer do queries take while a part of the documents is deleted, but not merged away?
//
//   deletions_bench INDEX PERCENT [QUERIES.txt...]
//
// Deletes PERCENT of the documents of the index in memory, at random, and writes nothing. Then it
// asks each query of the files, one a line, with and without the deletions in turns. It prints for
// each file and each way of asking the mean over the queries of the median time of a query, and
// what the deletions make of it. A first count is that of lists that nobody has counted since the
// deletions. It stops if a deleted document is found, if a hit that is not
// deleted has another score than without deletions, or if a count is not that of all such matches.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/peers/random.h"
#include "engine/store/snapshot.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/searcher.h"

namespace pmdex {
namespace {

constexpr int kTurns = 9;
constexpr int kAtOnce =
    8;  // answers of a turn, because one takes only a few times what a clock does

// What this process has used of its one core, in microseconds.
double CpuMicroseconds() {
  timespec now{};
  PMDEX_CHECK(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

std::shared_ptr<const Snapshot> Delete(const Snapshot& snapshot, uint64_t percent) {
  Random random(1);
  std::vector<std::shared_ptr<const LiveDocs>> live_docs;
  for (const auto& segment : snapshot.segments()) {
    std::vector<DocId> deleted;
    for (DocId doc = 0; doc < segment->doc_count(); ++doc) {
      if (random.Below(100) < percent) deleted.push_back(doc);
    }
    live_docs.push_back(
        std::make_shared<const LiveDocs>(LiveDocs::Without(segment->doc_count(), deleted)));
  }
  const auto segments = snapshot.segments();
  return Snapshot::Of(snapshot.settings(), {segments.begin(), segments.end()}, live_docs);
}

// The same snapshot, but nothing is known of its posting lists yet.
std::shared_ptr<const Snapshot> Anew(const Snapshot& snapshot) {
  std::vector<std::shared_ptr<const LiveDocs>> live_docs;
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const LiveDocs& same = *snapshot.live_docs(i);
    live_docs.push_back(std::make_shared<const LiveDocs>(same.doc_count(), same.live_count(),
                                                         same.words(), nullptr));
  }
  const auto segments = snapshot.segments();
  return Snapshot::Of(snapshot.settings(), {segments.begin(), segments.end()}, live_docs);
}

bool IsDeleted(const Snapshot& snapshot, uint64_t doc) {
  size_t segment = snapshot.segments().size() - 1;
  while (snapshot.doc_base(segment) > doc) --segment;
  return !IsLive(snapshot.live_docs(segment), static_cast<DocId>(doc - snapshot.doc_base(segment)));
}

SearchResult Ask(const Searcher& searcher, const std::string& query, const SearchOptions& options) {
  auto result = searcher.Search(query, options);
  PMDEX_CHECK(result.ok());
  return *std::move(result);
}

// Compares an answer with all matches of the index without deletions.
void Check(const SearchResult& whole, const SearchResult& found, const Snapshot& deleted) {
  uint64_t matches = 0;
  for (const Hit& hit : whole.hits) {
    if (IsDeleted(deleted, hit.doc)) continue;
    if (matches < found.hits.size()) {
      PMDEX_CHECK(found.hits[matches].doc == hit.doc && found.hits[matches].score == hit.score);
    }
    ++matches;
  }
  PMDEX_CHECK(found.hits.size() <= matches);
  PMDEX_CHECK(!found.total_exact || found.total == matches);
}

double Median(std::array<double, kTurns>& times) {
  std::nth_element(times.begin(), times.begin() + kTurns / 2, times.end());
  return times[kTurns / 2];
}

// The time of an answer of each of the searchers.
double TimeOf(std::span<const Searcher* const> searchers, const std::string& query,
              const SearchOptions& options) {
  const double start = CpuMicroseconds();
  for (const Searcher* searcher : searchers) Ask(*searcher, query, options);
  return (CpuMicroseconds() - start) / static_cast<double>(searchers.size());
}

// first: each answer is the first one after the deletions.
void AskAll(const std::string& file, const Searcher& whole, const Searcher& deleted,
            const SearchOptions& options, const char* way, bool first = false) {
  const std::vector<const Searcher*> wholes(kAtOnce, &whole);
  std::ifstream lines(file);
  std::array<double, 2> sums = {0, 0};
  int queries = 0;
  for (std::string query; std::getline(lines, query); ++queries) {
    SearchOptions every = options;
    every.k = whole.snapshot().doc_count();
    every.exhaustive = true;
    Check(Ask(whole, query, every), Ask(deleted, query, options), deleted.snapshot());
    std::vector<const Searcher*> others(kAtOnce, &deleted);
    std::array<std::array<double, kTurns>, 2> times;
    for (int turn = 0; turn < kTurns; ++turn) {
      std::vector<std::unique_ptr<const Searcher>> made;
      for (const Searcher*& other : others) {
        if (!first) break;
        made.push_back(std::make_unique<const Searcher>(Anew(deleted.snapshot())));
        other = made.back().get();
      }
      times[0][turn] = TimeOf(wholes, query, options);
      times[1][turn] = TimeOf(others, query, options);
    }
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += Median(times[i]);
  }
  std::printf("%-24s %-14s %10.1f %10.1f %8.2f\n",
              std::filesystem::path(file).stem().string().c_str(), way, sums[0] / queries,
              sums[1] / queries, sums[1] / sums[0]);
}

}  // namespace

int RunDeletionsBench(int argc, char** argv) {
  if (argc < 3) return 2;
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const auto index = OpenFileDirectory(argv[1], {});
  PMDEX_CHECK(index.ok());
  const auto snapshot = Snapshot::Open(**index);
  PMDEX_CHECK(snapshot.ok());
  const Searcher whole(*snapshot);
  const Searcher deleted(Delete(**snapshot, std::strtoull(argv[2], nullptr, 10)));
  std::printf("%-24s %-14s %10s %10s %8s\n", "queries", "way", "none us", "deleted us", "ratio");
  for (int i = 3; i < argc; ++i) {
    SearchOptions options;
    AskAll(argv[i], whole, deleted, options, "top 10");
    options.count_limit = 10'000;
    AskAll(argv[i], whole, deleted, options, "top 10, 10,000");
    options.count_limit.reset();
    options.count = true;
    AskAll(argv[i], whole, deleted, options, "top 10, count");
    options.k = 0;
    AskAll(argv[i], whole, deleted, options, "count");
    AskAll(argv[i], whole, deleted, options, "first count", true);
    options = {};
    options.k = 1000;
    AskAll(argv[i], whole, deleted, options, "top 1000");
    options = {};
    options.exhaustive = true;
    AskAll(argv[i], whole, deleted, options, "exhaustive");
  }
  return 0;
}

}  // namespace pmdex

int main(int argc, char** argv) {
  return pmdex::RunDeletionsBench(argc, argv);
}
