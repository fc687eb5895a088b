// Would bitmaps make filters on columns of few distinct values faster, and what would they take?
//
//   column_bitmaps_bench
//
// 2,000,000 documents, each with one of D values by chance (the first argument). A filter is either
// one value or the lower half of the values, and is counted beside a word of every second document,
// which has bits. The raw loops do only that work, window by window:
//
//   Scan        compares the lane of values, as a query does today: a byte a value, or two bytes
//   Equality    reads the bitmap of one value
//   OrOfValues  reads the bitmaps of half the values: a range with equality encoding
//   Cumulative  reads one bitmap, or two for one value: range encoding
//   Interval    reads two bitmaps, or the one that stands for just this half: interval encoding
//   Order       sets the bits of the documents that the order of values names
//
// `bytes_a_value` is what that structure alone takes. WordAndValue, WordAndHalf and WordAndTerm are
// whole queries: the value in the column, half of the values, and the same value as a word, which
// is what a bitmap a value would give. Their second argument: the word's share in percent.
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/memtable/memtable.h"
#include "engine/segment/segment_writer.h"
#include "engine/store/snapshot.h"
#include "pmem/check.h"
#include "pmem/directory.h"
#include "query/kernel/kernels.h"
#include "query/kernel/window_bits.h"
#include "query/searcher.h"

namespace pmdex {
namespace {

constexpr uint32_t kDocs = 2'000'000;
constexpr uint32_t kWindows = WindowCount(kDocs);
using Bitmap = std::vector<uint64_t>;

struct Column {
  std::vector<std::byte> lane;
  uint32_t value_bytes = 1;
  std::vector<Bitmap> equal;    // of each value
  std::vector<Bitmap> at_most;  // of each value: the documents with it or a lesser one
  std::vector<Bitmap> halves;   // of each value of the lower half: D/2 values from it on
  std::vector<DocId> order;
  std::vector<uint32_t> order_begins;  // of each value, and the number of documents
  Bitmap word;
};

Column MakeColumn(uint32_t distinct) {
  Column column;
  column.value_bytes = distinct <= 256 ? 1 : 2;
  column.lane.resize(size_t{kDocs} * column.value_bytes + 64);
  column.equal.assign(distinct, Bitmap(size_t{kWindows} * kWindowWords));
  column.word.resize(size_t{kWindows} * kWindowWords);
  std::vector<std::vector<DocId>> docs(distinct);
  std::mt19937_64 random(1);
  for (DocId doc = 0; doc < kDocs; ++doc) {
    const auto value = static_cast<uint32_t>(random() % distinct);
    const uint64_t bit = uint64_t{1} << (doc % 64);
    for (uint32_t i = 0; i < column.value_bytes; ++i) {
      column.lane[size_t{doc} * column.value_bytes + i] = static_cast<std::byte>(value >> (8 * i));
    }
    column.equal[value][doc / 64] |= bit;
    if (random() % 2 == 0) column.word[doc / 64] |= bit;
    docs[value].push_back(doc);
  }
  column.at_most = column.equal;
  for (uint32_t value = 0; value < distinct; ++value) {
    for (size_t i = 0; value != 0 && i < column.word.size(); ++i) {
      column.at_most[value][i] |= column.at_most[value - 1][i];
    }
    column.order_begins.push_back(static_cast<uint32_t>(column.order.size()));
    column.order.insert(column.order.end(), docs[value].begin(), docs[value].end());
  }
  column.order_begins.push_back(kDocs);
  column.halves.assign(distinct / 2, Bitmap(column.word.size()));
  for (uint32_t low = 0; low < distinct / 2; ++low) {
    const Bitmap& last = column.at_most[low + distinct / 2 - 1];
    for (size_t i = 0; i < column.word.size(); ++i) {
      column.halves[low][i] = low == 0 ? last[i] : last[i] & ~column.at_most[low - 1][i];
    }
  }
  return column;
}

const Column& ColumnOf(uint32_t distinct) {
  static uint32_t made_for = 0;
  static std::unique_ptr<Column> column;
  if (made_for != distinct) {
    column.reset();
    column = std::make_unique<Column>(MakeColumn(distinct));
    made_for = distinct;
  }
  return *column;
}

uint64_t CountBoth(const uint64_t* a, const uint64_t* b) {
  uint64_t count = 0;
  for (size_t i = 0; i < kWindowWords; ++i) {
    count += static_cast<uint64_t>(std::popcount(a[i] & b[i]));
  }
  return count;
}

void Finish(benchmark::State& state, uint64_t count, double bytes_a_value) {
  state.counters["documents"] = static_cast<double>(count);
  state.counters["bytes_a_value"] = bytes_a_value;
}

// The values [0, last] of the filter: the second argument is 0 for one value, 1 for half of them.
uint32_t LastOf(const benchmark::State& state) {
  return state.range(1) == 0 ? 0 : static_cast<uint32_t>(state.range(0)) / 2 - 1;
}

void Scan(benchmark::State& state) {
  const Column& column = ColumnOf(static_cast<uint32_t>(state.range(0)));
  const QueryKernels& kernels = BestQueryKernels();
  uint64_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (uint32_t window = 0; window < kWindows; ++window) {
      const uint32_t docs = std::min(kWindowDocs, kDocs - window * kWindowDocs);
      const std::byte* const lane =
          column.lane.data() + size_t{window} * kWindowDocs * column.value_bytes;
      std::array<uint64_t, kWindowWords + 1> mask{};
      kernels.scan_range({lane, column.value_bytes, docs, 0, LastOf(state)}, mask.data());
      count += CountBoth(mask.data(), column.word.data() + size_t{window} * kWindowWords);
    }
  }
  Finish(state, count, column.value_bytes);
}

void Equality(benchmark::State& state) {
  const Column& column = ColumnOf(static_cast<uint32_t>(state.range(0)));
  uint64_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (size_t at = 0; at < column.word.size(); at += kWindowWords) {
      count += CountBoth(column.equal[0].data() + at, column.word.data() + at);
    }
    benchmark::DoNotOptimize(count);
  }
  Finish(state, count, static_cast<double>(state.range(0)) / 8);
}

void OrOfValues(benchmark::State& state) {
  const Column& column = ColumnOf(static_cast<uint32_t>(state.range(0)));
  uint64_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (size_t at = 0; at < column.word.size(); at += kWindowWords) {
      std::array<uint64_t, kWindowWords> any{};
      for (uint32_t value = 0; value <= LastOf(state); ++value) {
        const uint64_t* const bits = column.equal[value].data() + at;
        for (size_t i = 0; i < kWindowWords; ++i) any[i] |= bits[i];
      }
      count += CountBoth(any.data(), column.word.data() + at);
    }
    benchmark::DoNotOptimize(count);
  }
  Finish(state, count, static_cast<double>(state.range(0)) / 8);
}

void Cumulative(benchmark::State& state) {
  const Column& column = ColumnOf(static_cast<uint32_t>(state.range(0)));
  const bool is_half = state.range(1) == 1;
  const Bitmap& high = column.at_most[is_half ? LastOf(state) : 1];
  const Bitmap& low = column.at_most[0];
  uint64_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (size_t at = 0; at < column.word.size(); at += kWindowWords) {
      std::array<uint64_t, kWindowWords> both{};
      for (size_t i = 0; i < kWindowWords; ++i) {
        both[i] = is_half ? high[at + i] : high[at + i] & ~low[at + i];
      }
      count += CountBoth(both.data(), column.word.data() + at);
    }
    benchmark::DoNotOptimize(count);
  }
  Finish(state, count, static_cast<double>(state.range(0) - 1) / 8);
}

void Interval(benchmark::State& state) {
  const Column& column = ColumnOf(static_cast<uint32_t>(state.range(0)));
  const bool is_half = state.range(1) == 1;
  const Bitmap& first = column.halves[is_half ? 0 : 1];  // less the second: the value 1
  const Bitmap& second = column.halves[2];
  uint64_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (size_t at = 0; at < column.word.size(); at += kWindowWords) {
      std::array<uint64_t, kWindowWords> both{};
      for (size_t i = 0; i < kWindowWords; ++i) {
        both[i] = is_half ? first[at + i] : first[at + i] & ~second[at + i];
      }
      count += CountBoth(both.data(), column.word.data() + at);
    }
    benchmark::DoNotOptimize(count);
  }
  Finish(state, count, static_cast<double>(state.range(0)) / 16);
}

void Order(benchmark::State& state) {
  const Column& column = ColumnOf(static_cast<uint32_t>(state.range(0)));
  const uint32_t end = column.order_begins[LastOf(state) + 1];
  uint64_t count = 0;
  for (auto _ : state) {
    Bitmap bits(column.word.size());
    for (uint32_t i = 0; i < end; ++i) {
      bits[column.order[i] / 64] |= uint64_t{1} << (column.order[i] % 64);
    }
    count = 0;
    for (size_t at = 0; at < bits.size(); at += kWindowWords) {
      count += CountBoth(bits.data() + at, column.word.data() + at);
    }
    benchmark::DoNotOptimize(count);
  }
  Finish(state, count, sizeof(DocId));
}

const Searcher& SearcherOf(uint32_t distinct) {
  static uint32_t made_for = 0;
  static std::unique_ptr<Searcher> searcher;
  if (made_for == distinct) return *searcher;
  static const auto directory = NewDramDirectory("column-bitmaps");
  std::mt19937_64 random(2);
  MemtableOptions options;
  options.positions = false;
  Memtable memtable(options);
  for (uint32_t doc = 0; doc < kDocs; ++doc) {
    memtable.BeginDocument(std::to_string(doc));
    const uint64_t value = random() % distinct;
    const uint64_t share = random() % 100;
    std::string words = "v" + std::to_string(value);
    if (share < 50) words += " in50";
    if (share < 1) words += " in1";
    memtable.AddField("body", words);
    memtable.AddValue("n", FieldValue::U64(value));
    memtable.EndDocument();
  }
  const auto input = memtable.Freeze();
  PMDEX_CHECK(input.ok());
  const auto info = WriteSegment(*directory, distinct, **input);
  PMDEX_CHECK(info.ok());
  auto file = directory->Open(info->file_name);
  PMDEX_CHECK(file.ok());
  auto segment = Segment::Open(*std::move(file), info->file_name, std::nullopt);
  PMDEX_CHECK(segment.ok());
  IndexSettings settings;
  settings.positions = false;
  searcher = std::make_unique<Searcher>(Snapshot::Of(settings, {*std::move(segment)}));
  made_for = distinct;
  return *searcher;
}

void Count(benchmark::State& state, const std::string& filter) {
  const Searcher& searcher = SearcherOf(static_cast<uint32_t>(state.range(0)));
  const std::string query = "+body:in" + std::to_string(state.range(1)) + " " + filter;
  SearchOptions options;
  options.k = 0;
  options.count = true;
  uint64_t total = 0;
  for (auto _ : state) {
    const auto result = searcher.Search(query, options);
    PMDEX_CHECK(result.ok());
    total = result->total;
  }
  state.counters["documents"] = static_cast<double>(total);
}

void WordAndValue(benchmark::State& state) {
  Count(state, "+n:1");
}
void WordAndHalf(benchmark::State& state) {
  Count(state, "+n:<" + std::to_string(state.range(0) / 2));
}
void WordAndTerm(benchmark::State& state) {
  Count(state, "+body:v1");
}

void Columns(benchmark::internal::Benchmark* bench) {
  for (const int distinct : {2, 8, 32, 128, 1000}) {
    for (const int half : {0, 1}) bench->Args({distinct, half});
  }
  bench->Unit(benchmark::kMicrosecond);
}
void OfIntervals(benchmark::internal::Benchmark* bench) {
  for (const int distinct : {8, 32, 128, 1000}) {
    for (const int half : {0, 1}) bench->Args({distinct, half});
  }
  bench->Unit(benchmark::kMicrosecond);
}
void OfOneValue(benchmark::internal::Benchmark* bench) {
  for (const int distinct : {2, 8, 32, 128, 1000}) bench->Args({distinct, 0});
  bench->Unit(benchmark::kMicrosecond);
}
void Ranges(benchmark::internal::Benchmark* bench) {
  for (const int distinct : {2, 8, 32, 128, 1000}) bench->Args({distinct, 1});
  bench->Unit(benchmark::kMicrosecond);
}
void Queries(benchmark::internal::Benchmark* bench) {
  for (const int distinct : {2, 8, 32, 128, 1000}) {
    for (const int share : {50, 1}) bench->Args({distinct, share});
  }
  bench->Unit(benchmark::kMicrosecond);
}
BENCHMARK(Scan)->Apply(Columns);
BENCHMARK(Equality)->Apply(OfOneValue);
BENCHMARK(OrOfValues)->Apply(Ranges);
BENCHMARK(Cumulative)->Apply(Columns);
BENCHMARK(Interval)->Apply(OfIntervals);
BENCHMARK(Order)->Apply(Columns);
BENCHMARK(WordAndValue)->Apply(Queries);
BENCHMARK(WordAndHalf)->Apply(Queries);
BENCHMARK(WordAndTerm)->Apply(Queries);

}  // namespace
}  // namespace pmdex
