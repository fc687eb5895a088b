// What does a copy into a file of the store cost, compared with a memcpy into warm memory? It
// varies the size of the copies and the medium, to find the size from which the persister no longer
// matters.
//
// On each medium it writes one file of 64 MiB from front to back again and again, as a segment
// writer does, and drains once per pass. The files are opened without durability, because the copy
// is measured and not the disk. "ForcedCacheLine" runs libpmem2's real CACHE_LINE functions on an
// ordinary file.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pmem/directory.h"

namespace pmdex {
namespace {

constexpr uint64_t kFileBytes = uint64_t{64} << 20;

void BM_Memcpy(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  const std::vector<std::byte> source(size, std::byte{1});
  std::vector<std::byte> target(kFileBytes);
  uint64_t offset = 0;
  for (auto _ : state) {
    std::memcpy(target.data() + offset, source.data(), size);
    benchmark::ClobberMemory();
    offset = offset + 2 * size > kFileBytes ? 0 : offset + size;
  }
  state.SetBytesProcessed(static_cast<int64_t>(size) * state.iterations());
}

absl::StatusOr<std::unique_ptr<WritableFile>> NewFile(Directory& directory) {
  (void)directory.Remove("bench");  // the file of the previous run, if any
  return directory.Create("bench", kFileBytes);
}

void Copy(benchmark::State& state, Directory& directory) {
  const auto size = static_cast<size_t>(state.range(0));
  const std::vector<std::byte> source(size, std::byte{1});
  auto file = NewFile(directory);
  uint64_t offset = 0;
  for (auto _ : state) {
    if (!file.ok()) {
      state.SkipWithError(std::string(Message(file.status())).c_str());
      return;
    }
    (*file)->CopyNonTemporal(offset, source);
    offset += size;
    if (offset + size <= kFileBytes) continue;
    if (!(*file)->Drain().ok()) state.SkipWithError("drain failed");
    state.PauseTiming();
    offset = 0;
    file->reset();
    file = NewFile(directory);
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<int64_t>(size) * state.iterations());
  state.SetLabel(std::string(ToString(directory.granularity())));
}

void BM_Dram(benchmark::State& state) {
  const auto directory = NewDramDirectory("bench");
  Copy(state, *directory);
}

// Runs in a new directory below $TMPDIR and removes it afterwards.
void CopyToFile(benchmark::State& state) {
  std::string path = std::filesystem::temp_directory_path() / "pmdex_persister_bench_XXXXXX";
  if (mkdtemp(path.data()) == nullptr) {
    state.SkipWithError("cannot create a directory");
    return;
  }
  if (auto directory = OpenFileDirectory(path, {.create = false, .durable = false});
      directory.ok()) {
    Copy(state, **directory);
  } else {
    state.SkipWithError("cannot open the directory");
  }
  std::filesystem::remove_all(path);
}

void BM_File(benchmark::State& state) {
  CopyToFile(state);
}

void BM_ForcedCacheLine(benchmark::State& state) {
  setenv("PMEM2_FORCE_GRANULARITY", "CACHE_LINE", 1);
  CopyToFile(state);
  unsetenv("PMEM2_FORCE_GRANULARITY");
}

BENCHMARK(BM_Memcpy)->RangeMultiplier(4)->Range(64, 4 << 20);
BENCHMARK(BM_Dram)->RangeMultiplier(4)->Range(64, 4 << 20);
BENCHMARK(BM_File)->RangeMultiplier(4)->Range(64, 4 << 20);
BENCHMARK(BM_ForcedCacheLine)->RangeMultiplier(4)->Range(64, 4 << 20);

}  // namespace
}  // namespace pmdex
