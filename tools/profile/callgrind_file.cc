#include "tools/profile/callgrind_file.h"

#include <algorithm>
#include <charconv>

namespace pmdex {
namespace {

std::vector<std::string_view> SplitWords(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

uint64_t CountOf(std::string_view word) {
  uint64_t value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

// The text behind the prefix; false if the line does not begin with it.
bool TakePrefix(std::string_view& line, std::string_view prefix) {
  if (!line.starts_with(prefix)) return false;
  line.remove_prefix(prefix.size());
  return true;
}

class CallgrindReader {
 public:
  absl::StatusOr<CallgrindFile> Read(std::string_view text) {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      ReadLine(line);
    }
    if (file_.events.empty() || file_.dumps.empty()) {
      return InvalidArgument("the output of callgrind has no dumps");
    }
    return std::move(file_);
  }

 private:
  void ReadLine(std::string_view line) {
    if (TakePrefix(line, "part: ")) {
      file_.dumps.emplace_back();
      function_ = nullptr;
    } else if (TakePrefix(line, "positions: ")) {
      positions_ = SplitWords(line).size();
    } else if (TakePrefix(line, "events: ")) {
      file_.events.clear();
      for (const std::string_view word : SplitWords(line)) file_.events.emplace_back(word);
    } else if (!file_.dumps.empty()) {
      ReadBody(line, file_.dumps.back());
    }
  }

  void ReadBody(std::string_view line, CallgrindDump& dump) {
    if (TakePrefix(line, "desc: Trigger: ")) {
      dump.trigger = std::string(line);
    } else if (TakePrefix(line, "fn=")) {
      function_ = &dump.instructions[NameOf(line)];
    } else if (TakePrefix(line, "cfn=")) {
      NameOf(line);  // a name may be defined here and used by its number later
    } else if (TakePrefix(line, "calls=")) {
      skips_cost_ = true;  // the next line is the cost of the call, which the callee has, too
    } else if (!line.empty() &&
               (std::string_view("0123456789+-*").find(line[0]) != std::string_view::npos)) {
      AddCost(SplitWords(line), dump);
    }
  }

  void AddCost(const std::vector<std::string_view>& words, CallgrindDump& dump) {
    if (skips_cost_) {
      skips_cost_ = false;
      return;
    }
    dump.totals.resize(file_.events.size());
    for (size_t i = positions_; i < words.size() && i - positions_ < dump.totals.size(); ++i) {
      const uint64_t count = CountOf(words[i]);
      dump.totals[i - positions_] += count;
      if (i == positions_ && function_ != nullptr) *function_ += count;
    }
  }

  // "(12) name" defines a number, "(12)" uses it.
  std::string NameOf(std::string_view text) {
    const size_t close = text.find(')');
    if (text.empty() || text[0] != '(' || close == std::string_view::npos) return std::string(text);
    std::string& name = names_[std::string(text.substr(0, close + 1))];
    const size_t begin = text.find_first_not_of(' ', close + 1);
    if (begin != std::string_view::npos) name = std::string(text.substr(begin));
    return name;
  }

  CallgrindFile file_;
  std::map<std::string, std::string> names_;
  uint64_t* function_ = nullptr;  // the instructions of the current function
  size_t positions_ = 1;
  bool skips_cost_ = false;
};

}  // namespace

absl::StatusOr<CallgrindFile> ParseCallgrind(std::string_view text) {
  return CallgrindReader().Read(text);
}

}  // namespace pmdex
