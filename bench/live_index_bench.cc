// How soon can a document be found after it was added to a live index, and what does a durable
// commit of 1,000 small documents cost beside an fsync?
//
//   TMPDIR=/path live_index_bench
//
// AddToVisible adds documents of about 1 KB and takes a snapshot after each. The counters are
// microseconds: `add` of Add alone, `visible` of Add and TakeSnapshot, `found` with a query for a
// word that only this document has. Argument: how many documents are added between two commits.
// DurableCommit commits 1,000 documents of about 100 bytes; `fsync` is what appending 4 KiB to a
// file and fsync take in the same directory, in turn with the commits.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/live/live_index.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/searcher.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

class Workspace {
 public:
  Workspace()
      : path_(std::filesystem::temp_directory_path() / ("pmdex-live-" + std::to_string(getpid()))) {
    FileDirectoryOptions options;
    options.create = true;
    auto opened = OpenFileDirectory(path_.string(), options);
    PMDEX_CHECK(opened.ok());
    directory_ = *std::move(opened);
  }
  ~Workspace() { std::filesystem::remove_all(path_); }
  Directory& directory() { return *directory_; }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
  std::unique_ptr<Directory> directory_;
};

class Durations {
 public:
  void Add(Clock::time_point begin) {
    values_.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  void Report(const std::string& name, benchmark::State& state) {
    std::sort(values_.begin(), values_.end());
    state.counters[name + "_p50"] = At(0.5);
    state.counters[name + "_p99"] = At(0.99);
    state.counters[name + "_max"] = At(1);
  }

 private:
  double At(double share) const {
    return values_[static_cast<size_t>(share * static_cast<double>(values_.size() - 1))];
  }
  std::vector<double> values_;
};

std::string RandomText(std::mt19937& random, size_t size_bytes) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string text;
  while (text.size() < size_bytes) {
    text += "w" + std::to_string(static_cast<int>(std::pow(50000.0, uniform(random)))) + " ";
  }
  return text;
}

AddedDocument MakeDocument(std::mt19937& random, uint64_t number, size_t size_bytes) {
  return {"doc" + std::to_string(number),
          {{"title", "unique" + std::to_string(number)}, {"body", RandomText(random, size_bytes)}},
          ""};
}

std::unique_ptr<LiveIndex> OpenLive(Directory& directory) {
  LiveOptions options;
  options.create = true;
  auto index = LiveIndex::Open(directory, options);
  PMDEX_CHECK(index.ok());
  return *std::move(index);
}

void AddToVisible(benchmark::State& state) {
  Workspace workspace;
  const auto index = OpenLive(workspace.directory());
  std::mt19937 random(1);
  Durations add;
  Durations visible;
  Durations found;
  uint64_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    if (number % static_cast<uint64_t>(state.range(0)) == 0) PMDEX_CHECK(index->Commit().ok());
    AddedDocument document = MakeDocument(random, ++number, 1000);
    const std::string word = document.fields[0].second;
    state.ResumeTiming();
    const Clock::time_point begin = Clock::now();
    PMDEX_CHECK(index->Add(std::move(document)).ok());
    add.Add(begin);
    const auto snapshot = index->TakeSnapshot();
    PMDEX_CHECK(snapshot.ok());
    visible.Add(begin);
    const auto result = Searcher(*snapshot).Search(word, {});
    PMDEX_CHECK(result.ok() && result->hits.size() == 1);
    found.Add(begin);
  }
  add.Report("add", state);
  visible.Report("visible", state);
  found.Report("found", state);
}
BENCHMARK(AddToVisible)->Arg(1000)->Arg(20000)->Iterations(20000)->Unit(benchmark::kMicrosecond);

void DurableCommit(benchmark::State& state) {
  Workspace workspace;
  const auto index = OpenLive(workspace.directory());
  const std::string probe_path = workspace.path() + "-probe";
  const int probe = open(probe_path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  PMDEX_CHECK(probe >= 0);
  const std::string bytes(4096, 'x');
  std::mt19937 random(1);
  Durations commit;
  Durations sync;
  uint64_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Clock::time_point begin = Clock::now();
    PMDEX_CHECK(write(probe, bytes.data(), bytes.size()) == 4096 && fsync(probe) == 0);
    sync.Add(begin);
    for (int i = 0; i < 1000; ++i) {
      PMDEX_CHECK(index->Add(MakeDocument(random, ++number, 100)).ok());
    }
    state.ResumeTiming();
    begin = Clock::now();
    PMDEX_CHECK(index->Commit().ok());
    commit.Add(begin);
  }
  close(probe);
  std::filesystem::remove(probe_path);
  commit.Report("commit", state);
  sync.Report("fsync", state);
}
BENCHMARK(DurableCommit)->Iterations(200)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pmdex
