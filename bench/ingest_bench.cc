// How fast does text become a published index? It indexes English-like text with positions, end to
// end, with one and two indexer threads, into memory and into an ordinary directory. It also
// measures the memtable alone.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "benchmark/benchmark.h"

#include "engine/ingest/ingest.h"
#include "engine/ingest/ingest_options.h"
#include "engine/memtable/memtable.h"
#include "engine/store/index_writer.h"
#include "pmem/directory.h"

namespace pmdex {
namespace {

constexpr size_t kCorpusBytes = size_t{64} << 20;
constexpr size_t kWordsPerLine = 300;

// Words with Zipf's distribution over a vocabulary that is made of syllables.
std::string MakeText(size_t size_bytes) {
  constexpr uint32_t kVocabulary = 200000;
  constexpr std::string_view kSyllables[] = {"the", "an", "re", "sto", "mi", "ca", "ver", "ing"};
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::string text;
  text.reserve(size_bytes + 64);
  for (size_t words = 1; text.size() < size_bytes; ++words) {
    const double rank = std::pow(kVocabulary, uniform(random)) - 1;
    for (uint32_t id = static_cast<uint32_t>(rank) + 1; id > 0; id /= 8) {
      text += kSyllables[id % 8];
    }
    text += words % kWordsPerLine == 0 ? "\n" : words % 12 == 0 ? ". " : " ";
  }
  return text;
}

const std::string& Text() {
  static const std::string text = MakeText(kCorpusBytes);
  return text;
}

void MemtableAlone(benchmark::State& state) {
  const std::string_view text = Text();
  for (auto _ : state) {
    Memtable memtable({});
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      memtable.BeginDocument("id");
      memtable.AddField("body", text.substr(begin, end - begin));
      memtable.EndDocument();
      begin = end;
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * text.size()));
}
BENCHMARK(MemtableAlone)->Unit(benchmark::kMillisecond);

void RunIngest(benchmark::State& state, Directory& directory, const std::string& input) {
  IngestOptions options;
  options.inputs = {input};
  options.format = InputFormat::kLines;
  options.indexer_threads = static_cast<int>(state.range(0));
  for (auto _ : state) {
    auto writer = IndexWriter::Open(directory, OpenMode::kOverwrite, options.settings);
    if (!writer.ok() || !Ingest(options, **writer, nullptr).ok()) {
      state.SkipWithError("ingest failed");
      return;
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * Text().size()));
}

class Workspace {
 public:
  Workspace()
      : path_(std::filesystem::temp_directory_path() /
              ("pmdex-bench-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
    std::ofstream(input()) << Text();
  }
  ~Workspace() { std::filesystem::remove_all(path_); }
  std::string input() const { return path_ / "input"; }
  std::string index() const { return path_ / "index"; }

 private:
  const std::filesystem::path path_;
};

void IngestIntoMemory(benchmark::State& state) {
  const Workspace workspace;
  const auto directory = NewDramDirectory("bench");
  RunIngest(state, *directory, workspace.input());
}
BENCHMARK(IngestIntoMemory)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void IngestIntoFiles(benchmark::State& state) {
  const Workspace workspace;
  FileDirectoryOptions options;
  options.create = true;
  const auto directory = OpenFileDirectory(workspace.index(), options);
  if (!directory.ok()) {
    state.SkipWithError("no directory");
    return;
  }
  RunIngest(state, **directory, workspace.input());
}
BENCHMARK(IngestIntoFiles)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pmdex
