// What does durability cost? The benchmark writes the bytes of a segment and of a manifest as a
// store does, once with and once without waiting for the medium. Without means the same calls on a
// directory that skips fsync and msync.
//
//   durability_bench
//       in the temporary directory, with what its file system supports
//   PMEM2_FORCE_GRANULARITY=CACHE_LINE durability_bench
//       on libpmem2's path, with real flushes and fences
//
// The label is the store granularity. Arguments: MiB of the segment, durable.
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/store/manifest.h"
#include "pmem/check.h"
#include "pmem/directory.h"

namespace pmdex {
namespace {

class Workspace {
 public:
  explicit Workspace(bool durable)
      : path_(std::filesystem::temp_directory_path() /
              ("pmdex-durability-" + std::to_string(getpid()))) {
    FileDirectoryOptions options;
    options.create = true;
    options.durable = durable;
    auto opened = OpenFileDirectory(path_.string(), options);
    PMDEX_CHECK(opened.ok());
    directory_ = *std::move(opened);
  }
  ~Workspace() { std::filesystem::remove_all(path_); }
  Directory& directory() { return *directory_; }

 private:
  const std::filesystem::path path_;
  std::unique_ptr<Directory> directory_;
};

absl::Status WriteFile(Directory& directory, std::span<const std::byte> piece,
                       uint64_t size_bytes) {
  constexpr uint64_t kHeaderBytes = 4096;
  PMDEX_ASSIGN_OR_RETURN(auto file, directory.Create("segment.tmp", kHeaderBytes + size_bytes));
  for (uint64_t offset = 0; offset < size_bytes; offset += piece.size()) {
    file->CopyNonTemporal(kHeaderBytes + offset, piece);
  }
  PMDEX_RETURN_IF_ERROR(file->Drain());
  file->StoreAndFlush(0, piece.first(kHeaderBytes));
  PMDEX_RETURN_IF_ERROR(file->Drain());
  PMDEX_RETURN_IF_ERROR(file->Seal(kHeaderBytes + size_bytes));
  PMDEX_RETURN_IF_ERROR(directory.Rename("segment.tmp", "segment"));
  return directory.Sync();
}

void Segment(benchmark::State& state) {
  Workspace workspace(state.range(1) != 0);
  const std::vector<std::byte> piece(size_t{1} << 20, std::byte{0x5a});
  const uint64_t size_bytes = static_cast<uint64_t>(state.range(0)) << 20;
  for (auto _ : state) {
    PMDEX_CHECK(WriteFile(workspace.directory(), piece, size_bytes).ok());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size_bytes));
  state.SetLabel(std::string(ToString(workspace.directory().granularity())));
}
BENCHMARK(Segment)
    ->ArgNames({"mib", "durable"})
    ->ArgsProduct({{1, 16, 256}, {0, 1}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void Publish(benchmark::State& state) {
  Workspace workspace(state.range(0) != 0);
  Manifest manifest;
  manifest.segments.resize(10);
  for (auto _ : state) {
    ++manifest.generation;
    PMDEX_CHECK(PublishManifest(workspace.directory(), manifest).ok());
    if (manifest.generation == 1) continue;
    PMDEX_CHECK(workspace.directory().Remove(ManifestFileName(manifest.generation - 1)).ok());
  }
  state.SetLabel(std::string(ToString(workspace.directory().granularity())));
}
BENCHMARK(Publish)->ArgName("durable")->Arg(0)->Arg(1)->UseRealTime()->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace pmdex
