// Makes the queries on which pmdex, Lucene and Tantivy are compared. It makes them from the
// document frequencies and the text of the corpus, so that every class means the same on any
// corpus.
//
//   peers_queries CORPUS.jsonl DIRECTORY COUNT [SEED]
//
// writes a file DIRECTORY/CLASS.txt for each class named in WriteClasses. It has at most COUNT
// different queries, one per line, in Lucene's classic syntax. The corpus must come from
// peers_corpus: its words are ASCII letters and digits. A "frequent" word is in at least 4 % of the
// documents, a "medium" one in 0.4 to 4 %, and a "rare" one in at least 5 documents, and in at most
// 0.04 % of them or 20. Phrases are taken from the text, uniformly over its words. The same corpus
// and seed give the same queries. Needs memory for the vocabulary.
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bench/peers/random.h"

namespace {

using pmdex::Random;

constexpr uint64_t kDefaultSeed = 5;
constexpr size_t kLongestWord = 32;
constexpr size_t kStopwords = 30;  // the words of most documents that stand for stop words
constexpr double kFrequent = 0.04;
constexpr double kMedium = 0.004;
constexpr double kRare = 0.0004;
constexpr uint64_t kLeastRare = 5;      // documents
constexpr uint64_t kRareAnywhere = 20;  // documents: so many are few in a small corpus, too

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Folds `text` in place and splits it into words, which are views of it.
void Cut(std::string& text, std::vector<std::string_view>& words) {
  words.clear();
  size_t begin = 0;  // of the word that the character before belongs to
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && IsWord(text[i])) {
      if (text[i] >= 'A' && text[i] <= 'Z') text[i] = static_cast<char>(text[i] - 'A' + 'a');
    } else {
      if (i > begin) words.push_back(std::string_view(text).substr(begin, i - begin));
      begin = i + 1;
    }
  }
}

// Calls a function with the folded words of every document. The views are valid during the call.
void ForEachDocument(const std::string& path,
                     const std::function<void(const std::vector<std::string_view>&)>& sink) {
  std::ifstream file(path);
  simdjson::dom::parser parser;
  std::string body;
  std::vector<std::string_view> words;
  for (std::string line; std::getline(file, line);) {
    std::string_view text;
    if (parser.parse(line)["body"].get(text) != simdjson::SUCCESS) {
      throw std::runtime_error(path + ": a line without a body");
    }
    body = text;
    Cut(body, words);
    sink(words);
  }
  if (!file.eof()) throw std::runtime_error(path + ": cannot be read");
}

// The words of the corpus with their shares of the documents, most frequent words first.
struct Vocabulary {
  std::vector<std::string> frequent;
  std::vector<std::string> medium;
  std::vector<std::string> rare;
  std::unordered_set<std::string> stopwords;
};

Vocabulary CountDocuments(const std::string& path) {
  struct Entry {
    uint64_t documents = 0;
    uint64_t last = 0;
  };
  std::unordered_map<std::string, Entry> entries;
  uint64_t documents = 0;
  std::string key;
  ForEachDocument(path, [&](const std::vector<std::string_view>& words) {
    ++documents;
    for (const std::string_view word : words) {
      Entry& entry = entries[key = word];
      entry.documents += entry.last != documents;
      entry.last = documents;
    }
  });
  std::vector<std::pair<uint64_t, std::string>> sorted;
  for (const auto& [word, entry] : entries) {
    if (word.size() <= kLongestWord && entry.documents >= kLeastRare) {
      sorted.emplace_back(entry.documents, word);
    }
  }
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  Vocabulary vocabulary;
  for (const auto& [count, word] : sorted) {
    const double share = static_cast<double>(count) / static_cast<double>(documents);
    if (share >= kFrequent) {
      vocabulary.frequent.push_back(word);
    } else if (share > kMedium) {
      vocabulary.medium.push_back(word);
    } else if (share <= kRare || count <= kRareAnywhere) {
      vocabulary.rare.push_back(word);
    }
    if (vocabulary.stopwords.size() < kStopwords) vocabulary.stopwords.insert(word);
  }
  if (vocabulary.frequent.size() < 2 || vocabulary.medium.empty()) {
    throw std::runtime_error(path + ": too few words for queries");
  }
  return vocabulary;
}

// A uniform sample of a sequence of unknown length (reservoir sampling).
class Sample {
 public:
  Sample(size_t size, uint64_t seed) : size_(size), random_(seed) {}
  template <typename MakeText>
  void Offer(const MakeText& make_text) {
    const uint64_t place = ++offered_ <= size_ ? offered_ - 1 : random_.Below(offered_);
    if (place >= size_) return;
    if (place == chosen_.size()) chosen_.emplace_back();
    chosen_[place] = make_text();
  }
  const std::vector<std::string>& chosen() const { return chosen_; }

 private:
  const size_t size_;
  Random random_;
  uint64_t offered_ = 0;
  std::vector<std::string> chosen_;
};

std::string Phrase(const std::vector<std::string_view>& words, size_t at, size_t length) {
  std::string text = "\"";
  for (size_t i = 0; i < length; ++i) text += std::string(i > 0, ' ') + std::string(words[at + i]);
  return text + '"';
}

struct Phrases {
  Sample of_two;
  Sample of_three;
  Sample of_stopwords;
};

Phrases SamplePhrases(const std::string& path, const Vocabulary& vocabulary, size_t count,
                      uint64_t seed) {
  const size_t size = 4 * count;  // some come more than once
  Phrases phrases{{size, seed + 1}, {size, seed + 2}, {size, seed + 3}};
  Random random(seed);
  std::string key;
  ForEachDocument(path, [&](const std::vector<std::string_view>& words) {
    size_t short_words = 0;  // that end here, each fit for a query
    size_t stopwords = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      short_words = words[i].size() <= kLongestWord ? short_words + 1 : 0;
      stopwords = vocabulary.stopwords.contains(key = words[i]) ? stopwords + 1 : 0;
      if (short_words >= 2) phrases.of_two.Offer([&] { return Phrase(words, i - 1, 2); });
      if (short_words >= 3) phrases.of_three.Offer([&] { return Phrase(words, i - 2, 3); });
      const size_t length = 4 + random.Below(3);
      if (stopwords >= length) {
        phrases.of_stopwords.Offer([&] { return Phrase(words, i + 1 - length, length); });
      }
    }
  });
  return phrases;
}

// Writes `count` different queries, or fewer if the corpus does not have as many.
void WriteClass(const std::string& path, size_t count, const std::function<std::string()>& next) {
  std::ofstream file(path);
  std::set<std::string> seen;
  for (size_t tries = 0; tries < 20 * count && seen.size() < count; ++tries) {
    const std::string query = next();
    if (!query.empty() && seen.insert(query).second) file << query << '\n';
  }
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

std::function<std::string()> Chosen(const Sample& sample) {
  return [&sample, i = size_t{0}]() mutable {
    return i < sample.chosen().size() ? sample.chosen()[i++] : std::string();
  };
}

class ClassWriter {
 public:
  ClassWriter(const Vocabulary& vocabulary, std::string directory, size_t count, uint64_t seed)
      : vocabulary_(vocabulary), directory_(std::move(directory)), count_(count), random_(seed) {}

  void WriteClasses(const Phrases& phrases) {
    Write("single-frequent", [&] { return Frequent(); });
    Write("single-medium", [&] { return Medium(); });
    Write("single-rare", [&] { return Rare(); });
    WritePairs("and", " AND ");
    WritePairs("or", " ");
    Write("and-three", [&] { return Several(" AND ", 2, Frequent()); });
    Write("and-five", [&] { return Several(" AND ", 4, Frequent()); });
    Write("or-three", [&] { return Several(" ", 2, Either()); });
    Write("or-five", [&] { return Several(" ", 4, Either()); });
    Write("or-2-to-5", [&] { return Several(" ", 1 + random_.Below(4), Either()); });
    Write("or-stopwords", [&] { return Several(" ", 1 + random_.Below(3), Stopword(), true); });
    Write("phrase-2", Chosen(phrases.of_two));
    Write("phrase-3", Chosen(phrases.of_three));
    Write("phrase-stopwords", Chosen(phrases.of_stopwords));
    Write("prefix", [&] { return Prefix(); });
    Write("not", [&] { return Join(" -", "+" + Either(), Frequent()); });
  }

 private:
  void Write(const std::string& name, const std::function<std::string()>& next) {
    WriteClass(directory_ + "/" + name + ".txt", count_, next);
  }
  const std::string& One(const std::vector<std::string>& words) {
    return words[random_.Below(words.size())];
  }
  // All pairs of frequent, medium and rare words.
  void WritePairs(const std::string& name, const char* between) {
    Write(name + "-two-frequent", [=, this] { return Join(between, Frequent(), Frequent()); });
    Write(name + "-frequent-medium", [=, this] { return Join(between, Frequent(), Medium()); });
    Write(name + "-frequent-rare", [=, this] { return Join(between, Frequent(), Rare()); });
    Write(name + "-two-medium", [=, this] { return Join(between, Medium(), Medium()); });
    Write(name + "-medium-rare", [=, this] { return Join(between, Medium(), Rare()); });
    Write(name + "-two-rare", [=, this] { return Join(between, Rare(), Rare()); });
  }
  // The query followed by `more` words.
  std::string Several(const char* between, uint64_t more, std::string query,
                      bool stopwords = false) {
    for (; more > 0; --more) query = Join(between, query, stopwords ? Stopword() : Either());
    return query;
  }
  std::string Frequent() { return One(vocabulary_.frequent); }
  std::string Medium() { return One(vocabulary_.medium); }
  std::string Rare() { return vocabulary_.rare.empty() ? std::string() : One(vocabulary_.rare); }
  // The first words are the most frequent ones.
  std::string Stopword() {
    return vocabulary_.frequent[random_.Below(std::min(kStopwords, vocabulary_.frequent.size()))];
  }
  std::string Either() { return random_.Below(2) == 0 ? Frequent() : Medium(); }
  std::string Prefix() {
    const std::string word = Either();
    const size_t length = 3 + random_.Below(3);
    return word.size() > length ? word.substr(0, length) + "*" : std::string();
  }
  // Empty if the right word is one of the left words, because no query has a word twice.
  static std::string Join(const char* between, const std::string& left, const std::string& right) {
    if (right.empty()) return right;
    const bool repeated =
        (" " + left + " ").find(" " + right + " ") != std::string::npos || left == "+" + right;
    return left.empty() || repeated ? std::string() : left + between + right;
  }

  const Vocabulary& vocabulary_;
  const std::string directory_;
  const size_t count_;
  Random random_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fputs("usage: peers_queries CORPUS.jsonl DIRECTORY COUNT [SEED]\n", stderr);
    return 2;
  }
  const size_t count = std::stoull(argv[3]);
  const uint64_t seed = argc > 4 ? std::stoull(argv[4]) : kDefaultSeed;
  const Vocabulary vocabulary = CountDocuments(argv[1]);
  const Phrases phrases = SamplePhrases(argv[1], vocabulary, count, seed);
  ClassWriter(vocabulary, argv[2], count, seed).WriteClasses(phrases);
  std::printf("{\"frequent\": %zu, \"medium\": %zu, \"rare\": %zu}\n", vocabulary.frequent.size(),
              vocabulary.medium.size(), vocabulary.rare.size());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "peers_queries: error: %s\n", error.what());
  return 1;
}
