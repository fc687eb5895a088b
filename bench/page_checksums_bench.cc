// What do page checksums cost? For writing it streams a section into a directory in memory. For
// reading it verifies pages for the first time, and asks for ranges of pages that are verified
// already. bytes_per_second is the bytes of the section; one thread.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/segment/file/page_checksums.h"
#include "engine/segment/file/section_stream.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr uint64_t kSectionBytes = uint64_t{64} << 20;

// One section of 64 MiB and its page checksums.
struct File {
  File() : sections(2), bytes(kSectionBytes, std::byte{0x5a}) {
    sections[0] = {SectionKind::kPostings, 0, 0, kSectionBytes, 0};
    std::vector<uint32_t> checksums;
    AppendPageChecksums(bytes, checksums);
    SealPageChecksums(checksums);
    sections[1] = {SectionKind::kPageChecksums, 0, kSectionBytes, checksums.size() * 4, 0};
    const auto content = std::as_bytes(std::span(checksums));
    bytes.insert(bytes.end(), content.begin(), content.end());
  }
  std::unique_ptr<PageChecksums> Open() const {
    const auto stored = PageChecksums::Find(bytes, sections);
    PMDEX_CHECK(stored.has_value());
    return std::make_unique<PageChecksums>(bytes, sections, *stored, false);
  }

  std::vector<SectionEntry> sections;
  std::vector<std::byte> bytes;
};

const File& SomeFile() {
  static const File kFile;
  return kFile;
}

void WriteSection(benchmark::State& state) {
  const auto directory = NewDramDirectory("bench");
  const std::vector<std::byte> block(size_t{64} << 10, std::byte{0x5a});
  for (auto _ : state) {
    auto file = directory->Create("file", kSectionBytes);
    PMDEX_CHECK(file.ok());
    SectionStream stream(**file, SectionKind::kPostings, 0, kSectionBytes);
    for (uint64_t at = 0; at < kSectionBytes; at += block.size()) stream.Append(block);
    benchmark::DoNotOptimize(stream.Finish());
    file->reset();
    PMDEX_CHECK(directory->Remove("file").ok());
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kSectionBytes));
}
BENCHMARK(WriteSection);

void FirstTouch(benchmark::State& state) {
  const File& file = SomeFile();
  for (auto _ : state) {
    const auto checksums = file.Open();
    PMDEX_CHECK(checksums->Check(SectionKind::kPostings, 0, kSectionBytes));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kSectionBytes));
}
BENCHMARK(FirstTouch);

// Verifies a range of state.range(0) bytes at changing places.
void Verified(benchmark::State& state) {
  const auto checksums = SomeFile().Open();
  PMDEX_CHECK(checksums->Check(SectionKind::kPostings, 0, kSectionBytes));
  const auto size_bytes = static_cast<uint64_t>(state.range(0));
  uint64_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(checksums->Check(SectionKind::kPostings, at, size_bytes));
    at = (at + 64 * 8191) % (kSectionBytes - size_bytes);
  }
}
BENCHMARK(Verified)->Arg(64)->Arg(64 << 10)->Arg(16 << 20);

}  // namespace
}  // namespace pmdex
