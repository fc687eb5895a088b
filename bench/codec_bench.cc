// How many postings a second do the units of the compressed tier decode to, and how many bytes do
// they take, on the posting lists of an index?
//
//   codec_bench INDEX [--sizes] [--dump FILE] [--benchmark_filter=...]
//
// The rates are those of samples of 65,536 postings, which stay in the cache, from lists of four
// classes of density: the part of the segment's documents in which the term is. --sizes prints what
// the units of all lists take, lane by lane. --dump writes the samples for programs that measure
// other codecs (bench/codecs/published.cc): for each sample a u32 class, a u32 number of lists, and
// for each list a u32 count, that many u32 docids, and as many u8 frequencies.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/compressed_unit.h"
#include "engine/codec/value_unit.h"
#include "engine/store/snapshot.h"
#include "pmem/check.h"
#include "pmem/directory.h"

namespace pmdex {
namespace {

constexpr size_t kSamplePostings = 1 << 16;
constexpr uint32_t kLeastPostings = 1024;
constexpr const char* kClassNames[] = {"df>=N/4", "df>=N/32", "df>=N/256", "rarer"};

struct PostingLanes {
  std::vector<DocId> docids;
  std::vector<uint8_t> freqs, codes;
};

size_t ClassOf(uint32_t df, uint32_t docs) {
  return df >= docs / 4 ? 0 : df >= docs / 32 ? 1 : df >= docs / 256 ? 2 : 3;
}

PostingLanes LanesOf(const PostingListView& list) {
  PostingLanes lanes;
  if (list.bits == nullptr) {
    lanes.docids.assign(list.docids, list.docids + list.df);
  } else {
    for (DocId doc = list.FirstFrom(0); doc < list.doc_count; doc = list.FirstFrom(doc + 1)) {
      lanes.docids.push_back(doc);
    }
  }
  lanes.freqs.assign(list.freqs, list.freqs + list.df);
  lanes.codes.assign(list.codes, list.codes + list.df);
  return lanes;
}

// The units of a list, one behind the other, with slack behind them.
struct Units {
  std::vector<std::byte> bytes;
  std::vector<size_t> begins;  // of each unit, and the end

  size_t count() const { return begins.size() - 1; }
  std::span<const std::byte> Unit(size_t i) const {
    return std::span(bytes).subspan(begins[i], begins[i + 1] - begins[i]);
  }
};

Units Encode(const PostingLanes& lanes) {
  Units units;
  std::array<std::byte, kMostUnitBytes> unit;
  for (size_t at = 0; at < lanes.docids.size(); at += kUnitPostings) {
    const size_t count = std::min<size_t>(lanes.docids.size() - at, kUnitPostings);
    const UnitSource source{
        std::span(lanes.docids).subspan(at, count), std::span(lanes.freqs).subspan(at, count),
        std::span(lanes.codes).subspan(at, count), at == 0 ? 0xffffffff : lanes.docids[at - 1]};
    units.begins.push_back(units.bytes.size());
    const size_t size = EncodeUnit(source, units.bytes.size(), unit);
    units.bytes.insert(units.bytes.end(), unit.begin(), unit.begin() + static_cast<long>(size));
  }
  units.begins.push_back(units.bytes.size());
  units.bytes.resize(units.bytes.size() + kUnpackSlack);
  return units;
}

using Samples = std::array<std::vector<PostingLanes>, 4>;

template <typename F>
void ForEachList(const Segment& segment, F visit) {
  TermIterator terms(segment.dictionary(), 0);
  while (terms.Next()) {
    const auto entry = terms.entry();
    PMDEX_CHECK(entry.ok());
    if (entry->df < kLeastPostings) continue;
    const auto list = segment.Postings(*entry, ListParts::kScores);
    PMDEX_CHECK(list.ok());
    visit(*list);
  }
}

Samples SampleLists(const Segment& segment) {
  Samples samples;
  std::array<size_t, 4> postings{};
  ForEachList(segment, [&](const PostingListView& list) {
    const size_t number = ClassOf(list.df, segment.doc_count());
    if (postings[number] >= kSamplePostings) return;
    PostingLanes lanes = LanesOf(list);
    const size_t left = std::min<size_t>(kSamplePostings - postings[number], lanes.docids.size());
    lanes.docids.resize(left);
    lanes.freqs.resize(left);
    lanes.codes.resize(left);
    postings[number] += left;
    samples[number].push_back(std::move(lanes));
  });
  return samples;
}

void PrintSizes(const Segment& segment) {
  struct Sizes {
    uint64_t lists = 0, postings = 0, units = 0, bytes = 0, docs = 0, freqs = 0, codes = 0,
             lanes = 0;
  };
  std::array<Sizes, 4> sizes;
  ForEachList(segment, [&](const PostingListView& list) {
    Sizes& size = sizes[ClassOf(list.df, segment.doc_count())];
    const PostingLanes lanes = LanesOf(list);
    const Units units = Encode(lanes);
    ++size.lists;
    size.postings += list.df;
    size.units += units.count();
    size.bytes += units.begins.back();
    size.lanes +=
        LayOutPostings(list.df, list.cf == list.df, segment.doc_count(), false).size_bytes;
    for (size_t i = 0; i < units.count(); ++i) {
      const auto unit = ParseUnit(units.Unit(i));
      PMDEX_CHECK(unit.has_value());
      size.docs += static_cast<uint64_t>(unit->freqs - unit->docs) + unit->doc_exceptions * 5u;
      size.freqs += static_cast<uint64_t>(unit->codes - unit->freqs) + unit->freq_exceptions * 2u;
      size.codes += static_cast<uint64_t>(unit->doc_places - unit->codes);
    }
  });
  std::printf("%-10s %8s %12s %9s %9s %9s %9s %9s %9s\n", "class", "lists", "postings", "post/unit",
              "B/post", "doc bits", "freq bits", "code bits", "lanes B");
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Sizes& size = sizes[i];
    const auto per = [&](uint64_t value) {
      return static_cast<double>(value) / static_cast<double>(std::max<uint64_t>(size.postings, 1));
    };
    std::printf("%-10s %8zu %12zu %9.1f %9.3f %9.2f %9.2f %9.2f %9.3f\n", kClassNames[i],
                size_t{size.lists}, size_t{size.postings}, 1 / per(size.units), per(size.bytes),
                8 * per(size.docs), 8 * per(size.freqs), 8 * per(size.codes), per(size.lanes));
  }
}

void Dump(const Samples& samples, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const auto put = [&file](const void* data, size_t bytes) {
    file.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  };
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::array<uint32_t, 2> head = {static_cast<uint32_t>(i),
                                          static_cast<uint32_t>(samples[i].size())};
    put(head.data(), sizeof(head));
    for (const PostingLanes& lanes : samples[i]) {
      const auto count = static_cast<uint32_t>(lanes.docids.size());
      put(&count, sizeof(count));
      put(lanes.docids.data(), count * sizeof(DocId));
      put(lanes.freqs.data(), count);
    }
  }
}

enum class Lanes { kDocids, kFreqs, kAll };

void BenchDecode(benchmark::State& state, const std::vector<PostingLanes>& sample, Lanes which,
                 const UnitKernels& kernels) {
  std::vector<Units> lists;
  size_t postings = 0;
  for (const PostingLanes& lanes : sample) {
    lists.push_back(Encode(lanes));
    postings += lanes.docids.size();
  }
  std::vector<DocId> docids(postings);
  std::vector<uint8_t> freqs(postings), codes(postings);
  for (auto _ : state) {
    size_t at = 0;
    for (const Units& units : lists) {
      for (size_t i = 0; i < units.count(); ++i) {
        const auto unit = ParseUnit(units.Unit(i));
        const DocId before = i == 0 ? 0xffffffff : docids[at - 1];
        if (which != Lanes::kFreqs) DecodeDocids(*unit, before, kernels, docids.data() + at);
        if (which != Lanes::kDocids) DecodeFreqs(*unit, kernels, freqs.data() + at);
        if (which == Lanes::kAll) DecodeCodes(*unit, kernels, codes.data() + at);
        at += unit->count;
      }
    }
    benchmark::ClobberMemory();
  }
  const size_t lanes = which == Lanes::kAll ? 3 : 1;
  state.counters["integers/s"] = benchmark::Counter(static_cast<double>(postings * lanes),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

void BenchEncode(benchmark::State& state, const std::vector<PostingLanes>& sample) {
  size_t postings = 0;
  for (const PostingLanes& lanes : sample) postings += lanes.docids.size();
  for (auto _ : state) {
    for (const PostingLanes& lanes : sample) benchmark::DoNotOptimize(Encode(lanes).bytes.data());
  }
  state.counters["postings/s"] = benchmark::Counter(static_cast<double>(postings),
                                                    benchmark::Counter::kIsIterationInvariantRate);
}

void Register(const Samples& samples) {
  constexpr const char* kLaneNames[] = {"docids", "freqs", "all"};
  for (size_t i = 0; i < samples.size(); ++i) {
    for (const SimdLevel level : UsableSimdLevels()) {
      for (const Lanes which : {Lanes::kDocids, Lanes::kFreqs, Lanes::kAll}) {
        const std::string name = "Decode/" + std::string(ToString(level)) + "/" +
                                 kLaneNames[static_cast<size_t>(which)] + "/" + kClassNames[i];
        benchmark::RegisterBenchmark(name.c_str(), [&samples, i, which, level](auto& state) {
          BenchDecode(state, samples[i], which, UnitKernelsOf(level));
        });
      }
    }
    benchmark::RegisterBenchmark(("Encode/" + std::string(kClassNames[i])).c_str(),
                                 [&samples, i](auto& state) { BenchEncode(state, samples[i]); });
  }
}

}  // namespace
}  // namespace pmdex

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "usage: codec_bench INDEX [--sizes] [--dump FILE]\n");
    return 2;
  }
  const auto directory = pmdex::OpenFileDirectory(argv[1], {});
  PMDEX_CHECK(directory.ok());
  const auto snapshot = pmdex::Snapshot::Open(**directory);
  PMDEX_CHECK(snapshot.ok());
  const pmdex::Segment& segment = *(*snapshot)->segments()[0];
  const pmdex::Samples samples = pmdex::SampleLists(segment);
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--sizes") pmdex::PrintSizes(segment);
    if (std::string_view(argv[i]) == "--dump" && i + 1 < argc) pmdex::Dump(samples, argv[i + 1]);
  }
  pmdex::Register(samples);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
