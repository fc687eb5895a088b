// How many integers a second do published codecs decode to, and how many bits do they take, on the
// samples that `codec_bench INDEX --dump FILE` writes? Not part of the build, which fetches
// nothing: the codecs come from FastPFor (https://github.com/fast-pack/FastPFor, also in the source
// package `pyfastpfor` of PyPI).
//
//   g++ -std=c++17 -O3 -march=native -I FASTPFOR/headers published.cc FASTPFOR/src/*.cpp
//   FASTPFOR/src/*.o
//   ./a.out FILE
//
// Docids are stored as differences to the docid before, and the time of adding them up is included.
// partitioned-ef is uniformly partitioned Elias-Fano (Ottaviano and Venturini, SIGIR 2014, without
// its optimal partitions), written here: blocks of 128 docids with high bits in unary.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "codecfactory.h"
#include "deltautil.h"

namespace {

struct List {
  std::vector<uint32_t> docids;
  std::vector<uint8_t> freqs;
};

std::vector<std::vector<List>> ReadSamples(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::vector<List>> samples;
  uint32_t head[2];
  while (file.read(reinterpret_cast<char*>(head), sizeof(head))) {
    std::vector<List>& lists = samples.emplace_back(head[1]);
    for (List& list : lists) {
      uint32_t count = 0;
      file.read(reinterpret_cast<char*>(&count), sizeof(count));
      list.docids.resize(count);
      list.freqs.resize(count);
      file.read(reinterpret_cast<char*>(list.docids.data()), count * 4l);
      file.read(reinterpret_cast<char*>(list.freqs.data()), count);
    }
  }
  return samples;
}

double Seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The least time of a run of `decode`, over a second of runs.
template <typename F>
double Measure(F decode) {
  double best = 1e9;
  for (const double end = Seconds() + 0.5; Seconds() < end;) {
    const double start = Seconds();
    decode();
    best = std::min(best, Seconds() - start);
  }
  return best;
}

void Report(const char* codec, const char* lane, size_t sample, size_t bytes, size_t count,
            double s) {
  std::printf("%-20s %-7s class %zu: %6.2f bits, %6.2f G integers/s\n", codec, lane, sample,
              8.0 * static_cast<double>(bytes) / static_cast<double>(count),
              static_cast<double>(count) / s / 1e9);
}

void MeasureCodec(FastPForLib::IntegerCODEC& codec, const char* name,
                  const std::vector<List>& lists, size_t sample, bool docids) {
  std::vector<std::vector<uint32_t>> packed;
  size_t bytes = 0, total = 0, most = 0;
  for (const List& list : lists) {
    std::vector<uint32_t> values(list.docids);
    if (docids) {
      for (size_t i = values.size() - 1; i > 0; --i) values[i] -= values[i - 1];
    } else {
      for (size_t i = 0; i < values.size(); ++i) values[i] = list.freqs[i] - 1u;
    }
    std::vector<uint32_t>& out = packed.emplace_back(values.size() * 2 + 1024);
    size_t words = out.size();
    codec.encodeArray(values.data(), values.size(), out.data(), words);
    out.resize(words);
    bytes += words * 4;
    total += values.size();
    most = std::max(most, values.size());
  }
  std::vector<uint32_t> buffer(total + 4096);
  bool right = true;
  const auto decode = [&] {
    size_t at = 0;
    for (size_t i = 0; i < packed.size(); ++i) {
      size_t n = lists[i].docids.size() + 1024;
      codec.decodeArray(packed[i].data(), packed[i].size(), buffer.data() + at, n);
      if (docids) FastPForLib::Delta::fastinverseDelta2(buffer.data() + at, n);
      right &= n == lists[i].docids.size();
      at += n;
    }
  };
  const double seconds = Measure(decode);
  size_t at = 0;
  for (const List& list : lists) {
    if (docids)
      right &= std::memcmp(buffer.data() + at, list.docids.data(), list.docids.size() * 4) == 0;
    at += list.docids.size();
  }
  Report(right ? name : "WRONG", docids ? "docids" : "freqs", sample, bytes, total, seconds);
}

// One block of at most 128 docids: low bits packed in words, high bits in unary.
struct EfBlock {
  uint32_t base, count, low_bits;
  size_t low, high;  // where they begin in the words
};

void MeasureEliasFano(const std::vector<List>& lists, size_t sample) {
  std::vector<EfBlock> blocks;
  std::vector<uint64_t> words;
  size_t total = 0, bits = 0;
  for (const List& list : lists) {
    uint32_t before = 0xffffffff;
    for (size_t begin = 0; begin < list.docids.size(); begin += 128) {
      const auto n = static_cast<uint32_t>(std::min<size_t>(128, list.docids.size() - begin));
      const uint32_t span = list.docids[begin + n - 1] - before;
      uint32_t low_bits = 0;
      while ((span >> low_bits) > n) ++low_bits;
      EfBlock block{before + 1, n, low_bits, words.size(), 0};
      words.resize(words.size() + (n * low_bits + 63) / 64 + 1);
      block.high = words.size();
      words.resize(words.size() + (n + (span >> low_bits) + 64) / 64 + 1);
      for (uint32_t i = 0; i < n; ++i) {
        const uint32_t value = list.docids[begin + i] - block.base;
        const uint64_t low = value & ((uint64_t{1} << low_bits) - 1);
        const size_t at = size_t{i} * low_bits;
        words[block.low + at / 64] |= low << (at % 64);
        if (at % 64 + low_bits > 64) words[block.low + at / 64 + 1] |= low >> (64 - at % 64);
        const size_t one = (value >> low_bits) + i;
        words[block.high + one / 64] |= uint64_t{1} << (one % 64);
      }
      bits += n * low_bits + n + (span >> low_bits) + 1 + 32 + 8;  // base and number of low bits
      before = list.docids[begin + n - 1];
      blocks.push_back(block);
      total += n;
    }
  }
  std::vector<uint32_t> buffer(total);
  const double seconds = Measure([&] {
    size_t out = 0;
    for (const EfBlock& block : blocks) {
      size_t word = block.high;
      uint64_t left = words[word];
      const uint64_t mask = (uint64_t{1} << block.low_bits) - 1;
      for (uint32_t i = 0; i < block.count; ++i) {
        while (left == 0) left = words[++word];
        const uint64_t one =
            (word - block.high) * 64 + static_cast<unsigned>(__builtin_ctzll(left));
        left &= left - 1;
        const size_t at = size_t{i} * block.low_bits;
        uint64_t low;
        std::memcpy(&low, reinterpret_cast<const char*>(words.data() + block.low) + at / 8, 8);
        buffer[out++] = block.base + static_cast<uint32_t>(((one - i) << block.low_bits) |
                                                           (low >> (at % 8) & mask));
      }
    }
  });
  size_t at = 0;
  bool right = true;
  for (const List& list : lists) {
    right &= std::memcmp(buffer.data() + at, list.docids.data(), list.docids.size() * 4) == 0;
    at += list.docids.size();
  }
  Report(right ? "partitioned-ef" : "WRONG", "docids", sample, bits / 8, total, seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto samples = ReadSamples(argv[1]);
  FastPForLib::CODECFactory factory;
  for (const char* name :
       {"streamvbyte", "simdbinarypacking", "simdfastpfor128", "maskedvbyte", "vbyte"}) {
    const auto codec = factory.getFromName(name);
    for (size_t i = 0; i < samples.size(); ++i) {
      MeasureCodec(*codec, name, samples[i], i, true);
      MeasureCodec(*codec, name, samples[i], i, false);
    }
  }
  for (size_t i = 0; i < samples.size(); ++i) MeasureEliasFano(samples[i], i);
}
