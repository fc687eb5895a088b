// How many MiB of text per second does each analyzer turn into tokens, on one core, with each
// instruction set that this CPU supports?
//
// It uses three generated, seeded texts of 8 MiB: English-like ASCII with Zipf's word frequencies,
// the same with words in Latin, Greek, Cyrillic, Han, Hangul and Devanagari script mixed in (three
// words in ten), and log lines. It also measures small texts: the log line by line, and English in
// fields of 20 bytes. The sink reads the length and the last byte of each token, which is about the
// least that a consumer does.
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/benchmark.h"

#include "engine/analysis/analyzer.h"
#include "pmem/cpu_features.h"

namespace pmdex {
namespace {

constexpr size_t kTextBytes = size_t{8} << 20;

class CountingSink final : public TokenSink {
 public:
  void Accept(std::span<const Token> batch) override {
    tokens += batch.size();
    for (const Token& token : batch)
      sum += token.term.size() + static_cast<size_t>(token.term.back());
  }

  size_t tokens = 0;
  size_t sum = 0;
};

using Random = std::mt19937_64;

// A random rank below count; rank r has a probability of about 1 / r.
size_t ZipfRank(Random& random, size_t count) {
  const double u = std::uniform_real_distribution<double>(0, 1)(random);
  return std::min(count - 1, static_cast<size_t>(std::pow(static_cast<double>(count), u)) - 1);
}

// 50,000 words, among them the stop words and endings of English. Frequent words are short.
std::vector<std::string> MakeVocabulary(Random& random) {
  std::vector<std::string> words = {"the", "of", "and", "in",   "to", "a",    "is",   "was", "for",
                                    "as",  "on", "by",  "with", "he", "that", "from", "at",  "it"};
  const std::string letters = "etaoinshrdlucmfwypvbgkjqxz";
  const std::vector<std::string> endings = {"",   "",    "",   "",      "s",
                                            "ed", "ing", "ly", "ation", "ness"};
  while (words.size() < 50'000) {
    std::string word;
    const size_t length = 2 + static_cast<size_t>(std::log(words.size())) / 3 + random() % 4;
    for (size_t i = 0; i < length; ++i) word += letters[ZipfRank(random, letters.size())];
    words.push_back(word + endings[random() % endings.size()]);
  }
  return words;
}

std::string Sentences(double foreign_share) {
  Random random(1);
  const std::vector<std::string> words = MakeVocabulary(random);
  const std::vector<std::string> foreign = {
      "Größe",    "café",     "naïve", "señor",  "αλήθεια", "Οδυσσεύς", "привет",     "Москва",
      "книга",    "漢字仮名", "検索",  "한국어", "데이터",  "भाषा",     "cœur",       "Ångström",
      "ｗｉｄｅ", "Škoda",    "İzmir", "עברית",  "العربية", "ﬁne",      "e\u0301cole"};
  std::bernoulli_distribution is_foreign(foreign_share);
  std::string text;
  size_t in_sentence = 0;
  while (text.size() < kTextBytes) {
    std::string word = is_foreign(random) ? foreign[random() % foreign.size()]
                                          : words[ZipfRank(random, words.size())];
    if (in_sentence == 0 && word[0] >= 'a' && word[0] <= 'z') word[0] -= 'a' - 'A';
    text += word;
    const uint64_t dice = random() % 100;
    if (dice < 6) {
      text += ". ";
      in_sentence = 0;
    } else {
      text += dice < 12 ? ", " : dice < 13 ? "'s " : dice < 14 ? "-" : dice < 15 ? "\n" : " ";
      ++in_sentence;
    }
  }
  return text;
}

std::string LogLines() {
  Random random(2);
  const std::vector<std::string> words = MakeVocabulary(random);
  const std::vector<std::string> levels = {"INFO", "INFO", "INFO", "WARN", "ERROR", "DEBUG"};
  const auto number = [&random](uint64_t below) { return std::to_string(random() % below); };
  const auto word = [&] { return words[ZipfRank(random, words.size())]; };
  std::string text;
  while (text.size() < kTextBytes) {
    text += "2024-0" + number(10) + "-1" + number(10) + "T1" + number(10) + ":3" + number(10) +
            ":" + number(60) + "." + number(1000) + "Z " + levels[random() % levels.size()] +
            " [worker-" + number(64) + "] com.example." + word() + "." + word() +
            "_handler: request_id=" + number(1'000'000'000) + " 10.0." + number(256) + "." +
            number(256) + " GET /var/" + word() + "/" + word() + ".log took " + number(5000) +
            " ms\n";
  }
  return text;
}

using Texts = std::vector<std::string_view>;

// The text in the pieces in which it is analyzed: whole, line by line, or in fields of 20 bytes.
Texts Cut(std::string_view text, std::string_view unit) {
  if (unit.empty()) return {text};
  Texts texts;
  while (!text.empty()) {
    const size_t line = text.find('\n') + 1;
    const size_t bytes = unit == "fields" ? 20 : line == 0 ? text.size() : line;
    texts.push_back(text.substr(0, bytes));
    text.remove_prefix(texts.back().size());
  }
  return texts;
}

void Analyze(benchmark::State& state, AnalyzerKind kind, SimdLevel level, const Texts& texts) {
  const std::unique_ptr<Analyzer> analyzer = NewAnalyzer(kind, level);
  size_t tokens = 0;
  for (auto _ : state) {
    CountingSink sink;
    for (const std::string_view text : texts) analyzer->Analyze(text, 0, sink);
    benchmark::DoNotOptimize(sink.sum);
    tokens += sink.tokens;
  }
  size_t bytes = 0;
  for (const std::string_view text : texts) bytes += text.size();
  const double mebibytes = static_cast<double>(bytes) / (1 << 20);
  state.counters["MiB/s"] =
      benchmark::Counter(mebibytes, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["Mtokens/s"] =
      benchmark::Counter(static_cast<double>(tokens) / 1e6, benchmark::Counter::kIsRate);
}

const std::string& Text(std::string_view name) {
  static const std::string ascii = Sentences(0);
  static const std::string mixed = Sentences(0.3);
  static const std::string logs = LogLines();
  return name == "ascii" ? ascii : name == "mixed" ? mixed : logs;
}

struct Workload {
  std::string_view name;
  std::string_view text;
  std::string_view unit;
};
constexpr Workload kWorkloads[] = {{"ascii", "ascii", ""},
                                   {"mixed", "mixed", ""},
                                   {"logs", "logs", ""},
                                   {"log_lines", "logs", "lines"},
                                   {"fields", "ascii", "fields"}};

const bool kRegistered = [] {
  for (const AnalyzerKind kind : {AnalyzerKind::kStandard, AnalyzerKind::kWhitespace,
                                  AnalyzerKind::kEnglish, AnalyzerKind::kLog}) {
    for (const Workload& workload : kWorkloads) {
      for (const SimdLevel level : UsableSimdLevels()) {
        const std::string name = std::string(ToString(kind)) + "/" + std::string(workload.name) +
                                 "/" + std::string(ToString(level));
        benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
          Analyze(state, kind, level, Cut(Text(workload.text), workload.unit));
        })->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace pmdex
