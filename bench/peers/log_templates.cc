#include "bench/peers/log_templates.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <stdexcept>

namespace pmdex {
namespace {

constexpr double kNewThing = 0.2;  // share of new things, so that each occurs in about five lines
constexpr uint64_t kMostMilliseconds = 40;  // between two lines
constexpr uint64_t kAddresses = 3000;       // different ones

std::string_view TakeWord(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

uint64_t ParseNumber(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) {
    throw std::runtime_error("not a number above zero: " + std::string(text));
  }
  return number;
}

// The offset of the brace that closes the one at `open`.
size_t ClosingBrace(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  throw std::runtime_error("a brace that is not closed: " + std::string(text));
}

void AppendHexadecimal(uint64_t value, uint64_t digits, std::string& out) {
  for (uint64_t i = 0; i < digits; ++i) out += "0123456789abcdef"[value >> (4 * (i % 16)) & 15];
}

void AppendUuid(Random& random, std::string& out) {
  for (const uint64_t digits : {8, 4, 4, 4, 12}) {
    if (digits == 4 || digits == 12) out += '-';
    AppendHexadecimal(random.Next(), digits, out);
  }
}

// Appends the address of one of a few thousand machines, some of which occur far more often than
// others.
void AppendAddress(Random& random, std::string& out) {
  const double unit = random.Unit();
  const auto machine = static_cast<uint64_t>(static_cast<double>(kAddresses) * unit * unit * unit);
  Random address(machine);
  out += std::to_string(1 + address.Below(223));
  for (int i = 0; i < 3; ++i) out += "." + std::to_string(address.Below(256));
}

}  // namespace

LogTemplates::LogTemplates(std::string_view text, uint64_t seed) : random_(seed) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    ReadLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (const System& system : systems_) {
    shares_ += system.share;
    if (system.templates.empty()) throw std::runtime_error("a system without templates");
  }
  if (systems_.empty()) throw std::runtime_error("no templates");
  for (uint64_t& thing : things_) thing = random_.Next() >> 1;
  std::string unused;
  for (const System& system : systems_) {
    for (const Template& each : system.templates) Expand(each.text, unused);  // throws if it cannot
  }
}

void LogTemplates::ReadLine(std::string_view line) {
  if (line.empty() || line[0] == '#') return;
  const std::string_view first = TakeWord(line);
  if (first == "system") {
    TakeWord(line);
    systems_.emplace_back().share = ParseNumber(line);
    return;
  }
  if (systems_.empty()) throw std::runtime_error("a template before the first system");
  System& system = systems_.back();
  system.templates.push_back({ParseNumber(first), std::string(line)});
  system.weights += system.templates.back().weight;
}

void LogTemplates::AppendLine(std::string& out) {
  milliseconds_ += random_.Below(kMostMilliseconds);
  uint64_t place = random_.Below(shares_);
  size_t system = 0;
  while (place >= systems_[system].share) place -= systems_[system++].share;
  uint64_t weight = random_.Below(systems_[system].weights);
  size_t chosen = 0;
  const std::vector<Template>& templates = systems_[system].templates;
  while (weight >= templates[chosen].weight) weight -= templates[chosen++].weight;
  Expand(templates[chosen].text, out);
}

void LogTemplates::Expand(std::string_view text, std::string& out) {
  for (size_t at = 0; at < text.size();) {
    const size_t open = std::min(text.find('{', at), text.size());
    out += text.substr(at, open - at);
    if (open == text.size()) return;
    const size_t close = ClosingBrace(text, open);
    Fill(text.substr(open + 1, close - open - 1), out);
    at = close + 1;
  }
}

void LogTemplates::Fill(std::string_view placeholder, std::string& out) {
  if (placeholder == "ip") return AppendAddress(random_, out);
  if (placeholder == "uuid") return AppendUuid(random_, out);
  if (placeholder == "id") return void(out += std::to_string(ThingOfSeveralLines()));
  if (placeholder == "once") return void(out += std::to_string(++once_));
  if (placeholder == "ms")
    return void(out += std::to_string(1000 + milliseconds_ % 1000).substr(1));
  if (placeholder.find('|') != std::string_view::npos) return AppendChoice(placeholder, out);
  std::string_view value = placeholder;
  const std::string_view kind = TakeWord(value);
  if (kind == "t") return AppendTime(std::string(value), out);
  if (kind == "n") return void(out += std::to_string(random_.Below(ParseNumber(value))));
  if (kind == "x") return AppendHexadecimal(random_.Next(), ParseNumber(value), out);
  if (kind != "z") throw std::runtime_error("unknown placeholder: " + std::string(placeholder));
  const double unit = random_.Unit();
  const auto most = static_cast<double>(ParseNumber(value));
  out += std::to_string(static_cast<uint64_t>(std::exp(unit * std::log(most))) - 1);
}

// Splits the choices at bars that are not inside inner braces.
void LogTemplates::AppendChoice(std::string_view choices, std::string& out) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (choices[i] == '{') i = ClosingBrace(choices, i);
    if (choices[i] != '|') continue;
    parts.push_back(choices.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(choices.substr(begin));
  Expand(parts[random_.Below(parts.size())], out);
}

void LogTemplates::AppendTime(const std::string& format, std::string& out) {
  const auto seconds = static_cast<time_t>(milliseconds_ / 1000);
  tm time = {};
  gmtime_r(&seconds, &time);
  char text[128];
  out.append(text, std::strftime(text, sizeof text, format.c_str(), &time));
}

uint64_t LogTemplates::ThingOfSeveralLines() {
  uint64_t& thing = things_[random_.Below(things_.size())];
  if (random_.Chance(kNewThing)) thing = random_.Next() >> 1;
  return thing;
}

}  // namespace pmdex
