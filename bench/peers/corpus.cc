// Makes the corpora on which pmdex, Lucene and Tantivy are compared: real text, reduced to words on
// which the tokenizers of all three agree, and seeded corpora, which are the same on every machine.
//
//   peers_corpus tree DIRECTORY...       JSON lines {"id", "body"}: one document per text file
//                                        below the directories
//   peers_corpus pieces DIRECTORY...     the same text in documents of 3 to 8 KB
//   peers_corpus words [FIELD...]        JSON lines in, JSON lines out: the fields (default: all
//                                        strings), their ASCII letters and digits kept
//   peers_corpus lines                   lines in, JSON lines out: one document per line with words
//   peers_corpus templates FILE SIZE [SEED]  log lines made from templates (log_templates.h)
//   peers_corpus text SIZE [SEED]        JSON lines: English-like documents of Zipf words
//   peers_corpus log SIZE [SEED]         log lines of about 138 bytes of a data centre's daemons
//   peers_corpus dump SIZE [SEED]        lines: path, owner, size and times of a file system's
//                                        entries
//
// Words are ASCII letters and digits, so that UAX #29, Lucene's StandardTokenizer and Tantivy's
// SimpleTokenizer split them alike. Capitals stay, so that every engine has to fold them.
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/log_templates.h"
#include "bench/peers/plain_words.h"
#include "bench/peers/random.h"

namespace {

using pmdex::Random;

constexpr uint64_t kDefaultSeed = 20;

// Different words made of syllables, by rank; frequent words are short.
std::vector<std::string> MakeVocabulary(size_t count, Random& random) {
  static constexpr std::string_view kSyllables[] = {
      "a",  "e",  "i",   "o",   "an",  "in",  "er",  "on",  "th",  "st",   "re",   "en",
      "al", "ti", "ing", "com", "pro", "con", "ter", "ver", "men", "ble",  "ous",  "sta",
      "ra", "li", "no",  "per", "cal", "tra", "der", "ly",  "est", "ment", "tion", "ness"};
  std::vector<std::string> words;
  words.reserve(count);
  for (size_t rank = 0; rank < count; ++rank) {
    std::string word;
    const size_t syllables = 1 + (rank > 400) + random.Below(1 + (rank > 30) + (rank > 20000));
    for (size_t i = 0; i < syllables; ++i) word += kSyllables[random.Below(std::size(kSyllables))];
    words.push_back(std::move(word));
  }
  // Equal words get a suffix of letters made from their rank.
  std::vector<size_t> order(count);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return words[a] < words[b]; });
  std::vector<size_t> repeated;
  for (size_t i = 1; i < count; ++i) {
    if (words[order[i]] == words[order[i - 1]]) repeated.push_back(order[i]);
  }
  for (const size_t rank : repeated) {
    words[rank] += 'q';
    for (size_t rest = rank + 1; rest > 0; rest /= 20)
      words[rank] += "bcdfghjklmnpqrstvwxz"[rest % 20];
  }
  return words;
}

// Random ranks with a probability proportional to 1 / (rank + 1.5)^1.07. A table holds quantiles;
// between two of them all ranks have the same probability.
class ZipfMandelbrot {
 public:
  explicit ZipfMandelbrot(size_t count) : quantiles_(kQuantiles + 1) {
    constexpr double kShift = 1.5;
    constexpr double kPower = 1 - 1.07;
    const double low = std::pow(kShift, kPower);
    const double high = std::pow(static_cast<double>(count) + kShift, kPower);
    for (size_t i = 0; i <= kQuantiles; ++i) {
      const double at = low + (high - low) * static_cast<double>(i) / kQuantiles;
      const double rank = std::max(0.0, std::pow(at, 1 / kPower) - kShift);
      quantiles_[i] = static_cast<uint32_t>(std::min(rank, static_cast<double>(count - 1)));
    }
  }
  size_t Rank(Random& random) const {
    const uint64_t draw = random.Next();
    const size_t i = draw % kQuantiles;
    return quantiles_[i] + (draw >> 40) % (quantiles_[i + 1] - quantiles_[i] + 1);
  }

 private:
  static constexpr size_t kQuantiles = size_t{1} << 20;
  std::vector<uint32_t> quantiles_;
};

// Writes to standard output in large pieces and counts the bytes.
class Output {
 public:
  ~Output() { Flush(); }
  void Write(std::string_view text) {
    buffer_ += text;
    written_ += text.size();
    if (buffer_.size() > (size_t{1} << 20)) Flush();
  }
  uint64_t written() const { return written_; }

 private:
  void Flush() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size()) std::exit(1);
    buffer_.clear();
  }
  std::string buffer_;
  uint64_t written_ = 0;
};

void AppendSentence(const std::vector<std::string>& words, const ZipfMandelbrot& ranks,
                    Random& random, std::string& out) {
  const size_t length = 4 + random.Below(24);
  for (size_t i = 0; i < length; ++i) {
    if (random.Chance(0.004)) {
      // Numbers and identifiers, because of which real vocabularies never stop growing.
      out += std::to_string(random.Below(random.Chance(0.5) ? 3000 : 100000000));
    } else {
      const size_t begin = out.size();
      out += words[ranks.Rank(random)];
      if (i == 0 || random.Chance(0.03)) out[begin] = static_cast<char>(out[begin] - 'a' + 'A');
    }
    if (i + 1 < length) out += random.Chance(0.06) ? ", " : " ";
  }
  out += random.Chance(0.12) ? ".\\n" : ". ";
}

void WriteText(uint64_t size_bytes, uint64_t seed) {
  constexpr size_t kVocabulary = 600000;
  Random random(seed);
  const std::vector<std::string> words = MakeVocabulary(kVocabulary, random);
  const ZipfMandelbrot ranks(kVocabulary);
  Output output;
  std::string line;
  for (uint64_t id = 0; output.written() < size_bytes; ++id) {
    line = "{\"id\":\"doc" + std::to_string(id) + "\",\"body\":\"";
    const size_t end =
        line.size() + static_cast<size_t>(std::clamp(random.LogNormal(1500, 1.0), 40.0, 4e6));
    while (line.size() < end) AppendSentence(words, ranks, random, line);
    line += "\"}\n";
    output.Write(line);
  }
}

std::string TwoDigits(uint64_t value) {
  return {static_cast<char>('0' + value / 10 % 10), static_cast<char>('0' + value % 10)};
}

std::string TimeStamp(uint64_t milliseconds) {
  const uint64_t seconds = milliseconds / 1000;
  return "2026-03-" + TwoDigits(1 + seconds / 86400 % 28) + "T" + TwoDigits(seconds / 3600 % 24) +
         ":" + TwoDigits(seconds / 60 % 60) + ":" + TwoDigits(seconds % 60) + "." +
         std::to_string(100 + milliseconds % 900) + "Z";
}

std::string Hexadecimal(uint64_t value) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
  return {digits, end};
}

void WriteLog(uint64_t size_bytes, uint64_t seed) {
  static constexpr std::string_view kServices[] = {
      "sshd",    "slurmd", "kernel", "lustre", "mpirun",    "httpd",   "cron",  "ntpd",
      "systemd", "smartd", "nfsd",   "opensm", "slurmctld", "chronyd", "auditd"};
  static constexpr std::string_view kLevels[] = {"INFO", "INFO",  "INFO", "INFO",
                                                 "WARN", "DEBUG", "ERROR"};
  static constexpr std::string_view kMessages[] = {"accepted publickey for user",
                                                   "connection closed by remote host",
                                                   "job step completed with exit code",
                                                   "transmission timed out on interface",
                                                   "object storage target is now active",
                                                   "failed to allocate memory for request",
                                                   "checkpoint written to scratch file system",
                                                   "link state changed to up on port",
                                                   "session opened for user by uid",
                                                   "retrying read of block after error",
                                                   "temperature above threshold on sensor",
                                                   "quota exceeded for project on volume"};
  Random random(seed);
  Output output;
  std::string line;
  uint64_t milliseconds = 0;
  while (output.written() < size_bytes) {
    milliseconds += random.Below(40);
    line = TimeStamp(milliseconds) + " node" + std::to_string(random.Below(4608)) + " ";
    line += kServices[random.Below(std::size(kServices))];
    line += "[" + std::to_string(300 + random.Below(32000)) + "]: ";
    line += kLevels[random.Below(std::size(kLevels))];
    line += " ";
    line += kMessages[random.Below(std::size(kMessages))];
    line += " " + std::to_string(random.Below(70000)) + " from 10." +
            std::to_string(random.Below(16)) + "." + std::to_string(random.Below(256)) + "." +
            std::to_string(random.Below(256)) + " id=" + Hexadecimal(random.Next() >> 16) +
            " elapsed=" + std::to_string(random.Below(5000)) + "us\n";
    output.Write(line);
  }
}

// Lines like SCIPIS's inputs: the output of a policy run over a parallel file system, one entry per
// line.
void WriteDump(uint64_t size_bytes, uint64_t seed) {
  static constexpr std::string_view kSuffixes[] = {".h5", ".nc",  ".log", ".dat",
                                                   ".py", ".txt", ".out", ".root"};
  Random random(seed);
  const std::vector<std::string> words = MakeVocabulary(40000, random);
  const ZipfMandelbrot ranks(words.size());
  Output output;
  std::string directory;
  uint64_t inode = 144115188193296385;
  while (output.written() < size_bytes) {
    directory = "/lustre/project" + std::to_string(random.Below(300)) + "/user" +
                std::to_string(random.Below(4000));
    for (uint64_t depth = random.Below(5); depth > 0; --depth)
      directory += "/" + words[ranks.Rank(random)];
    for (uint64_t files = 1 + random.Below(60); files > 0; --files) {
      inode += 1 + random.Below(9);
      output.Write(
          std::to_string(inode) + " -rw-r--r-- uid=" + std::to_string(10000 + random.Below(4000)) +
          " gid=" + std::to_string(2000 + random.Below(300)) +
          " size=" + std::to_string(static_cast<uint64_t>(random.LogNormal(30000, 3))) +
          " mtime=" + std::to_string(1700000000 + random.Below(70000000)) + " " + directory + "/" +
          words[ranks.Rank(random)] + "-" + std::to_string(random.Below(100000)) +
          std::string(kSuffixes[random.Below(std::size(kSuffixes))]) + "\n");
    }
  }
}

// The regular files below the directories, in the order of their names.
std::vector<std::string> TextFiles(const std::vector<std::string>& directories) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const std::string& directory : directories) {
    const size_t begin = paths.size();
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
      if (entry.is_regular_file() && !entry.is_symlink()) paths.push_back(entry.path().string());
    }
    std::sort(paths.begin() + static_cast<ptrdiff_t>(begin), paths.end());
  }
  return paths;
}

// The text of the file, for a web page (by its name) without tags; empty for a binary file.
std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  if (std::string_view(text).substr(0, 8192).find('\0') != std::string_view::npos) return {};
  if (!path.ends_with(".html") && !path.ends_with(".htm") && !path.ends_with(".xhtml")) return text;
  bool tag = false;
  for (char& c : text) {
    if (c == '<') tag = true;
    const bool end = c == '>';
    if (tag) c = ' ';
    if (end) tag = false;
  }
  return text;
}

// Text without a word makes no document: Lucene and pmdex do not count it among the documents that
// have the field, and Tantivy does.
void WriteDocument(const std::string& id, std::string_view text, Output& output) {
  std::string line = "{\"id\":\"";
  for (const char c : id)
    line += c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
  line += "\",\"body\":\"";
  const size_t begin = line.size();
  pmdex::AppendPlainWords(text, line);
  if (line.size() == begin) return;
  line += "\"}\n";
  output.Write(line);
}

void WriteTree(const std::vector<std::string>& directories) {
  Output output;
  for (const std::string& path : TextFiles(directories)) {
    if (const std::string text = ReadText(path); !text.empty()) WriteDocument(path, text, output);
  }
}

// Pieces end at the end of a line or, if the line is long, at a space.
void WritePieces(const std::vector<std::string>& directories) {
  constexpr size_t kLeast = 3000;
  constexpr size_t kRange = 5000;
  Random random(kDefaultSeed);
  Output output;
  for (const std::string& path : TextFiles(directories)) {
    const std::string text = ReadText(path);
    std::string_view rest = text;
    for (size_t number = 0; !rest.empty(); ++number) {
      size_t size = std::min(rest.size(), kLeast + random.Below(kRange));
      if (size < rest.size()) {
        const size_t end = rest.find_last_of(
            rest.substr(0, size).find('\n', kLeast / 2) != std::string_view::npos ? "\n" : " ",
            size);
        if (end != std::string_view::npos && end > kLeast / 2) size = end + 1;
      }
      WriteDocument(path + "#" + std::to_string(number), rest.substr(0, size), output);
      rest.remove_prefix(size);
    }
  }
}

void WriteTemplates(const std::string& file, uint64_t size_bytes, uint64_t seed) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  const std::string templates((std::istreambuf_iterator<char>(in)), {});
  pmdex::LogTemplates lines(templates, seed);
  Output output;
  std::string line;
  while (output.written() < size_bytes) {
    line.clear();
    lines.AppendLine(line);
    output.Write(line += '\n');
  }
}

int RewriteLines() {
  Output output;
  uint64_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    WriteDocument("line" + std::to_string(number++), line, output);
  }
  return std::cin.bad() ? 1 : 0;
}

int RewriteWords(const std::vector<std::string>& fields) {
  simdjson::dom::parser parser;
  Output output;
  std::string rewritten;
  uint64_t number = 0;
  for (std::string line; std::getline(std::cin, line);) {
    simdjson::dom::object object;
    if (parser.parse(line).get(object) != simdjson::SUCCESS) continue;
    rewritten = "{\"id\":\"doc" + std::to_string(number++) + "\",\"body\":\"";
    for (const auto [key, value] : object) {
      std::string_view text;
      const bool wanted =
          fields.empty() || std::find(fields.begin(), fields.end(), key) != fields.end();
      if (!wanted || value.get(text) != simdjson::SUCCESS) continue;
      pmdex::AppendPlainWords(text, rewritten);
      rewritten += ' ';
    }
    output.Write(rewritten + "\"}\n");
  }
  return std::cin.bad() ? 1 : 0;
}

uint64_t ParseSize(const std::string& text) {
  size_t end = 0;
  const uint64_t number = std::stoull(text, &end);
  const char unit = end < text.size() ? text[end] : ' ';
  return number << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string kind = arguments.empty() ? "" : arguments[0];
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1),
                                      arguments.end());
  const auto seed = [&](size_t at) {
    return rest.size() > at ? std::stoull(rest[at]) : kDefaultSeed;
  };
  if (kind == "words") return RewriteWords(rest);
  if (kind == "lines") return RewriteLines();
  if (!rest.empty() && kind == "tree") return WriteTree(rest), 0;
  if (!rest.empty() && kind == "pieces") return WritePieces(rest), 0;
  if (!rest.empty() && kind == "text") return WriteText(ParseSize(rest[0]), seed(1)), 0;
  if (!rest.empty() && kind == "log") return WriteLog(ParseSize(rest[0]), seed(1)), 0;
  if (!rest.empty() && kind == "dump") return WriteDump(ParseSize(rest[0]), seed(1)), 0;
  if (rest.size() > 1 && kind == "templates") {
    return WriteTemplates(rest[0], ParseSize(rest[1]), seed(2)), 0;
  }
  std::fputs(
      "usage: peers_corpus text|log|dump SIZE [SEED] | templates FILE SIZE [SEED] |\n"
      "       tree|pieces DIRECTORY... | words [FIELD...] | lines\n",
      stderr);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "peers_corpus: error: %s\n", error.what());
  return 1;
}
