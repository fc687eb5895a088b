// How fast do the readers of an index build read their input? It reads one large file of lines, and
// many small files, with one to four readers. The files are in the page cache or not, and are read
// with or without direct I/O. The text is not processed. CPU time is that of the whole process. Set
// TMPDIR to measure another file system.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/reader.h"

namespace pmdex {
namespace {

constexpr size_t kLargeBytes = size_t{512} << 20;
constexpr size_t kLineBytes = 138;  // a line of a log
constexpr size_t kSmallFiles = 20000;
constexpr size_t kSmallBytes = 6000;

// The files of one benchmark, completely written to the disk.
class Workspace {
 public:
  Workspace(size_t files, size_t size_bytes, InputFormat format)
      : path_(std::filesystem::temp_directory_path() /
              ("pmdex-reader-bench-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
    std::string text;
    while (text.size() < (1 << 20)) text += std::string(kLineBytes - 1, 'x') + "\n";
    for (size_t i = 0; i < files; ++i) {
      InputFile& file = files_.emplace_back();
      file.path = path_ / std::to_string(i);
      file.format = format;
      file.ordinal = i;
      file.size_bytes = size_bytes;
      std::ofstream out(file.path);
      for (size_t left = size_bytes; left > 0; left -= std::min(left, text.size())) {
        out.write(text.data(), static_cast<std::streamsize>(std::min(left, text.size())));
      }
    }
    sync();
  }
  ~Workspace() { std::filesystem::remove_all(path_); }

  const std::vector<InputFile>& files() const { return files_; }
  // Loads all files into the page cache, or removes them from it.
  void SetCached(bool cached) const {
    std::string bytes(1 << 20, ' ');
    for (const InputFile& file : files_) {
      const FileDescriptor fd(open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
      posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
      while (cached && read(fd.get(), bytes.data(), bytes.size()) > 0) continue;
    }
  }

 private:
  const std::filesystem::path path_;
  std::vector<InputFile> files_;
};

void ReadAll(const Workspace& workspace, int readers, DirectIo direct_io) {
  IngestContext context(
      {.memory = PlanMemory(uint64_t{1} << 30, 2, readers), .direct_io = direct_io});
  FileSchedule schedule(workspace.files().size(), true, context.pool);
  for (const InputFile& file : workspace.files()) schedule.Push(file);
  schedule.Close();
  std::vector<std::thread> threads;
  for (int i = 0; i < readers; ++i) {
    threads.emplace_back([&] {
      ReaderWork work;
      ReadScheduledFiles(context, schedule, work);
    });
  }
  std::thread indexer([&] {
    while (const auto block = context.blocks.Pop()) benchmark::DoNotOptimize((*block)->size);
  });
  for (std::thread& thread : threads) thread.join();
  context.blocks.Close();
  indexer.join();
}

void Run(benchmark::State& state, const Workspace& workspace, size_t size_bytes) {
  const auto readers = static_cast<int>(state.range(0));
  const auto direct_io = static_cast<DirectIo>(state.range(1));
  const bool cached = state.range(2) != 0;
  for (auto _ : state) {
    state.PauseTiming();
    workspace.SetCached(cached);
    state.ResumeTiming();
    ReadAll(workspace, readers, direct_io);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * size_bytes));
}

void OneLargeFile(benchmark::State& state) {
  static const Workspace workspace(1, kLargeBytes, InputFormat::kLines);
  Run(state, workspace, kLargeBytes);
}
BENCHMARK(OneLargeFile)
    ->ArgNames({"readers", "direct", "cached"})  // direct: auto, on, off
    ->ArgsProduct({{1, 2, 4},
                   {static_cast<int>(DirectIo::kAuto), static_cast<int>(DirectIo::kOn),
                    static_cast<int>(DirectIo::kOff)},
                   {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void ManySmallFiles(benchmark::State& state) {
  static const Workspace workspace(kSmallFiles, kSmallBytes, InputFormat::kFiles);
  Run(state, workspace, kSmallFiles * kSmallBytes);
}
BENCHMARK(ManySmallFiles)
    ->ArgNames({"readers", "direct", "cached"})  // direct: auto, on, off
    ->ArgsProduct({{1, 2, 4}, {static_cast<int>(DirectIo::kAuto)}, {0, 1}})
    ->MeasureProcessCPUTime()
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pmdex
