// What do ten typed fields cost, in bytes and in indexing, and what does a range take beside words?
//
//   TMPDIR=/path typed_fields_bench
//
// IndexJson indexes 200,000 JSON lines of about 400 bytes with one thread; argument: with ten typed
// fields (1) or with the same values under a name that --fields leaves out (0), so that the parser
// has the same work. `cpu_s` is the processor time of a run.
// BytesOfAColumn writes a column of 2,000,000 values. Argument: the bits of a value.
// `bytes_a_value` counts the whole section: values, zones, order and samples. CountRange counts the
// documents of a range among 2,000,000; argument: the share in millionths. CountWord counts those
// with a word that stands in the same share of documents.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/ingest/ingest.h"
#include "engine/memtable/memtable.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/index_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/searcher.h"

namespace pmdex {
namespace {

constexpr uint32_t kDocs = 2'000'000;
constexpr uint32_t kShares[] = {100, 10'000, 100'000, 500'000};  // in millionths

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// About 300 bytes of text, and ten values.
std::string MakeLines(uint32_t count) {
  std::mt19937_64 random(1);
  std::string lines;
  for (uint32_t i = 0; i < count; ++i) {
    lines += "{\"id\":\"d" + std::to_string(i) + "\",\"body\":\"";
    for (int word = 0; word < 45; ++word) lines += "w" + std::to_string(random() % 20000) + " ";
    lines += "\",\"v\":{";
    for (int field = 0; field < 4; ++field) {
      lines += "\"n" + std::to_string(field) + "\":" + std::to_string(random() % 1'000'000) + ",";
    }
    lines += "\"f0\":" + std::to_string(static_cast<double>(random() % 10000) / 8) + ",";
    lines += "\"f1\":" + std::to_string(static_cast<double>(random() % 10000) / 8) + ",";
    lines += "\"b\":" + std::string(random() % 2 == 0 ? "true" : "false") + ",";
    lines += "\"d0\":\"2026-0" + std::to_string(1 + random() % 9) + "-1" +
             std::to_string(random() % 10) + "T12:00:00Z\",";
    lines += "\"d1\":\"2025-1" + std::to_string(random() % 3) + "-0" +
             std::to_string(1 + random() % 9) + "T01:02:03Z\",";
    lines += "\"k\":\"key" + std::to_string(random() % 1000) + "\"}}\n";
  }
  return lines;
}

void IndexJson(benchmark::State& state) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("pmdex-typed-" + std::to_string(getpid()) + ".jsonl");
  std::ofstream(path) << MakeLines(200'000);
  IngestOptions options;
  options.inputs = {path.string()};
  options.format = InputFormat::kJsonl;
  options.indexer_threads = 1;
  options.schema["v.k"] = {FieldType::kKeyword, Multiplicity::kOne};
  if (state.range(0) == 0) {
    options.schema.clear();
    options.fields = {"body"};
  }
  double cpu_s = 0;
  uint64_t bytes = 0;
  for (auto _ : state) {
    const auto directory = NewDramDirectory("typed-fields");
    const double begin = CpuSeconds();
    const auto writer = IndexWriter::Open(*directory, OpenMode::kCreate, options.settings);
    PMDEX_CHECK(writer.ok());
    const auto report = Ingest(options, **writer, nullptr);
    PMDEX_CHECK(report.ok() && report->documents == 200'000);
    cpu_s += CpuSeconds() - begin;
    bytes = (*writer)->published().segments.at(0).file_bytes;
  }
  state.counters["cpu_s"] = cpu_s / static_cast<double>(state.iterations());
  state.counters["first_segment_bytes"] = static_cast<double>(bytes);
  std::filesystem::remove(path);
}
BENCHMARK(IndexJson)->Arg(0)->Arg(1)->Iterations(3)->Unit(benchmark::kMillisecond);

// A segment in DRAM with a word and a value for each document.
std::shared_ptr<const Segment> MakeSegment(int bits) {
  static const auto directory = NewDramDirectory("typed-fields-segment");
  std::mt19937_64 random(2);
  MemtableOptions options;
  options.positions = false;
  Memtable memtable(options);
  for (uint32_t doc = 0; doc < kDocs; ++doc) {
    memtable.BeginDocument(std::to_string(doc));
    const uint64_t value = random();
    std::string words = "all";
    for (const uint32_t share : kShares) {
      if (value % 1'000'000 < share) words += " share" + std::to_string(share);
    }
    memtable.AddField("body", words);
    memtable.AddValue("n", FieldValue::U64(bits == 0 ? value % 1'000'000 : value >> (64 - bits)));
    memtable.EndDocument();
  }
  const auto input = memtable.Freeze();
  PMDEX_CHECK(input.ok());
  static uint64_t next_id = 1;
  const auto info = WriteSegment(*directory, next_id++, **input);
  PMDEX_CHECK(info.ok());
  auto file = directory->Open(info->file_name);
  PMDEX_CHECK(file.ok());
  auto segment = Segment::Open(*std::move(file), info->file_name, std::nullopt);
  PMDEX_CHECK(segment.ok());
  return *std::move(segment);
}

void BytesOfAColumn(benchmark::State& state) {
  for (auto _ : state) {
    const auto segment = MakeSegment(static_cast<int>(state.range(0)));
    const auto section = segment->view().RawSection(kColumnsSection);
    state.counters["bytes_a_value"] = static_cast<double>(section.size()) / kDocs;
  }
}
BENCHMARK(BytesOfAColumn)
    ->Arg(64)
    ->Arg(32)
    ->Arg(16)
    ->Arg(8)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

const Searcher& SharedSearcher() {
  static const auto* const searcher = [] {
    IndexSettings settings;
    settings.positions = false;
    return new Searcher(Snapshot::Of(settings, {MakeSegment(0)}));
  }();
  return *searcher;
}

void Count(benchmark::State& state, const std::string& query) {
  SearchOptions options;
  options.k = 0;
  options.count = true;
  uint64_t total = 0;
  for (auto _ : state) {
    const auto result = SharedSearcher().Search(query, options);
    PMDEX_CHECK(result.ok());
    total = result->total;
  }
  state.counters["documents"] = static_cast<double>(total);
}

void CountRange(benchmark::State& state) {
  Count(state, "n:<" + std::to_string(state.range(0)));
}
void CountWord(benchmark::State& state) {
  Count(state, "+body:all +body:share" + std::to_string(state.range(0)));
}
void CountWordAndRange(benchmark::State& state) {
  Count(state, "+body:share10000 +n:<" + std::to_string(state.range(0)));
}
void TopOfSort(benchmark::State& state) {
  SearchOptions options;
  options.sort = {{"n", state.range(0) == 0}};
  for (auto _ : state) {
    const auto result = SharedSearcher().Search("body:share500000", options);
    PMDEX_CHECK(result.ok() && result->hits.size() == 10);
  }
}
#define PMDEX_SHARES Arg(100)->Arg(10'000)->Arg(100'000)->Arg(500'000)
BENCHMARK(CountRange)->PMDEX_SHARES->Unit(benchmark::kMicrosecond);
BENCHMARK(CountWord)->PMDEX_SHARES->Unit(benchmark::kMicrosecond);
BENCHMARK(CountWordAndRange)->PMDEX_SHARES->Unit(benchmark::kMicrosecond);
BENCHMARK(TopOfSort)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pmdex
