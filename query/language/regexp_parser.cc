#include "query/language/regexp_parser.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/analysis/code_points.h"

namespace pmdex {
namespace {

using Ranges = std::vector<CharacterRange>;

constexpr std::string_view kDecimalDigits = "0123456789";
constexpr std::string_view kTooDeep = "the regular expression is nested too deeply";

// The same characters as ascending ranges that neither overlap nor touch.
Ranges Joined(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const CharacterRange& a, const CharacterRange& b) { return a.first < b.first; });
  Ranges joined;
  for (const CharacterRange& range : ranges) {
    if (!joined.empty() && range.first <= joined.back().last + 1) {
      joined.back().last = std::max(joined.back().last, range.last);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

// All characters outside the ranges. Requires ranges that Joined() returned.
Ranges Others(const Ranges& ranges) {
  Ranges others;
  uint32_t next = kAnyCharacter.first;
  for (const CharacterRange& range : ranges) {
    if (range.first > next) others.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kAnyCharacter.last) others.push_back({next, kAnyCharacter.last});
  return others;
}

// The characters of \d, \w, \s and their opposites; nullopt for another letter.
std::optional<Ranges> ClassOf(char letter) {
  switch (letter) {
    case 'd':
      return Ranges{{'0', '9'}};
    case 'w':
      return Ranges{{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    case 's':
      return Ranges{{'\t', '\n'}, {'\r', '\r'}, {' ', ' '}};
    case 'D':
    case 'W':
    case 'S':
      return Others(*ClassOf(static_cast<char>(letter - 'A' + 'a')));
    default:
      return std::nullopt;
  }
}

RegexpTree OneOf(Ranges ranges) {
  RegexpTree tree;
  tree.kind = RegexpKind::kCharacter;
  tree.ranges = std::move(ranges);
  return tree;
}

RegexpTree OfParts(RegexpKind kind, std::vector<RegexpTree> parts) {
  if (parts.size() == 1 && kind != RegexpKind::kRepetition && kind != RegexpKind::kComplement) {
    return std::move(parts[0]);
  }
  RegexpTree tree;
  tree.kind = kind;
  for (const RegexpTree& part : parts) tree.depth = std::max(tree.depth, part.depth + 1);
  tree.parts = std::move(parts);
  return tree;
}

RegexpTree Repeated(RegexpTree part, uint32_t least, uint32_t most) {
  std::vector<RegexpTree> parts;
  parts.push_back(std::move(part));
  RegexpTree tree = OfParts(RegexpKind::kRepetition, std::move(parts));
  tree.least = least;
  tree.most = most;
  return tree;
}

// A recursive descent parser: each parenthesis and each complement is a nested call. A failure
// moves to the end of the text, so that every loop ends.
class RegexpParser {
 public:
  RegexpParser(std::string_view text, RegexpProblem& problem) : text_(text), problem_(problem) {}

  std::optional<RegexpTree> Run() {
    if (text_.size() > kMaxRegexpBytes) {
      Fail(0,
           "the regular expression is longer than " + std::to_string(kMaxRegexpBytes) + " bytes");
    }
    RegexpTree tree;
    if (more()) tree = Union(0);
    if (more()) Fail(at_, "the regular expression has a ')' too many");
    if (failed_) return std::nullopt;
    return tree;
  }

 private:
  bool more() const { return at_ < text_.size(); }
  bool Peeks(std::string_view any) const {
    return more() && any.find(text_[at_]) != std::string_view::npos;
  }
  bool Takes(char c) {
    if (!more() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void Fail(size_t offset, std::string what) {
    if (!failed_) problem_ = {offset, std::move(what)};
    failed_ = true;
    at_ = text_.size();
  }

  RegexpTree Union(uint32_t depth);
  RegexpTree Intersection(uint32_t depth);
  RegexpTree Concatenation(uint32_t depth);
  RegexpTree Repetition(uint32_t depth);
  RegexpTree Complement(uint32_t depth);
  RegexpTree Class();
  RegexpTree Simple(uint32_t depth);
  RegexpTree Quoted();
  RegexpTree Interval();
  RegexpTree Counted(RegexpTree part);
  uint32_t Number();
  uint32_t Character();
  std::optional<Ranges> NamedClass();
  Ranges ClassItem();

  std::string_view text_;
  RegexpProblem& problem_;
  size_t at_ = 0;
  bool failed_ = false;
};

RegexpTree RegexpParser::Union(uint32_t depth) {
  std::vector<RegexpTree> parts;
  do {
    parts.push_back(Intersection(depth));
  } while (Takes('|'));
  return OfParts(RegexpKind::kUnion, std::move(parts));
}

RegexpTree RegexpParser::Intersection(uint32_t depth) {
  std::vector<RegexpTree> parts;
  do {
    parts.push_back(Concatenation(depth));
  } while (Takes('&'));
  return OfParts(RegexpKind::kIntersection, std::move(parts));
}

RegexpTree RegexpParser::Concatenation(uint32_t depth) {
  std::vector<RegexpTree> parts;
  do {
    parts.push_back(Repetition(depth));
  } while (more() && !Peeks(")|&"));
  return OfParts(RegexpKind::kConcatenation, std::move(parts));
}

RegexpTree RegexpParser::Repetition(uint32_t depth) {
  const size_t begin = at_;
  RegexpTree tree = Complement(depth);
  while (Peeks("?*+{")) {
    if (Takes('?')) {
      tree = Repeated(std::move(tree), 0, 1);
    } else if (Takes('*')) {
      tree = Repeated(std::move(tree), 0, RegexpTree::kUnlimited);
    } else if (Takes('+')) {
      tree = Repeated(std::move(tree), 1, RegexpTree::kUnlimited);
    } else {
      tree = Counted(std::move(tree));
    }
    if (tree.depth > kMaxRegexpDepth) break;
  }
  if (tree.depth > kMaxRegexpDepth) Fail(begin, std::string(kTooDeep));
  return tree;
}

// Parses {n}, {n,} or {n,m}; the next character is the brace. If m is below n, the expression
// matches nothing.
RegexpTree RegexpParser::Counted(RegexpTree part) {
  const size_t open = at_++;
  const uint32_t least = Number();
  uint32_t most = least;
  if (Takes(',')) most = Peeks(kDecimalDigits) ? Number() : RegexpTree::kUnlimited;
  if (!Takes('}')) Fail(open, "{n}, {n,} or {n,m} must stand here");
  if (most < least) return OfParts(RegexpKind::kNothing, {});
  return Repeated(std::move(part), least, most);
}

uint32_t RegexpParser::Number() {
  const size_t begin = at_;
  while (Peeks(kDecimalDigits)) ++at_;
  uint32_t number = 0;
  const char* const end = text_.data() + at_;
  if (at_ == begin) {
    Fail(begin, "a number must stand here");
  } else if (std::from_chars(text_.data() + begin, end, number).ec != std::errc() ||
             number > 0x7fffffff) {
    Fail(begin, "the number is too large");
  }
  return number;
}

RegexpTree RegexpParser::Complement(uint32_t depth) {
  if (!Peeks("~")) return Peeks("[") ? Class() : Simple(depth);
  if (depth >= kMaxRegexpDepth) {
    Fail(at_, std::string(kTooDeep));
    return {};
  }
  ++at_;
  std::vector<RegexpTree> parts;
  parts.push_back(Complement(depth + 1));
  return OfParts(RegexpKind::kComplement, std::move(parts));
}

// Parses a class; the next character is its opening bracket. The first character after the bracket
// (or after `^`) belongs to the class even if it is a closing bracket.
RegexpTree RegexpParser::Class() {
  const size_t open = at_++;
  const bool negated = Takes('^');
  Ranges ranges;
  do {
    const Ranges item = ClassItem();
    ranges.insert(ranges.end(), item.begin(), item.end());
  } while (more() && !Peeks("]"));
  if (!Takes(']')) Fail(open, "the bracket is never closed");
  ranges = Joined(std::move(ranges));
  return OneOf(negated ? Others(ranges) : std::move(ranges));
}

// Parses a class like \d. Returns nullopt, without moving, if the text goes on with anything else.
std::optional<Ranges> RegexpParser::NamedClass() {
  if (!Peeks("\\") || at_ + 1 == text_.size()) return std::nullopt;
  std::optional<Ranges> ranges = ClassOf(text_[at_ + 1]);
  if (ranges.has_value()) at_ += 2;
  return ranges;
}

// Parses one item between brackets: a character, a range of characters, or a class like \d.
Ranges RegexpParser::ClassItem() {
  if (auto named = NamedClass()) return *std::move(named);
  const size_t begin = at_;
  const uint32_t first = Character();
  if (!Takes('-')) return {{first, first}};
  const uint32_t last = Character();
  if (!failed_ && first > last) Fail(begin, "the range ends before it begins");
  return {{first, last}};
}

uint32_t RegexpParser::Character() {
  const size_t begin = at_;
  const bool escaped = Takes('\\');
  if (!more()) {
    Fail(begin, escaped ? "nothing follows the backslash" : "something must follow here");
    return 0;
  }
  const auto letter = static_cast<char>(text_[at_] | 0x20);
  if (escaped && letter >= 'a' && letter <= 'z') {
    Fail(begin, "the regular expression has a backslash before a letter that means nothing");
    return 0;
  }
  const std::string_view rest = text_.substr(at_);
  const size_t size_bytes = CodePointBytes(rest);
  at_ += size_bytes;
  return DecodeCodePoint(rest, size_bytes);
}

RegexpTree RegexpParser::Simple(uint32_t depth) {
  const size_t begin = at_;
  if (Takes('.')) return OneOf({kAnyCharacter});
  if (Takes('#')) return OfParts(RegexpKind::kNothing, {});
  if (Takes('@')) return Repeated(OneOf({kAnyCharacter}), 0, RegexpTree::kUnlimited);
  if (Takes('"')) return Quoted();
  if (Takes('<')) return Interval();
  if (Takes('(')) {
    if (Takes(')')) return {};
    if (depth >= kMaxRegexpDepth) {
      Fail(begin, std::string(kTooDeep));
      return {};
    }
    RegexpTree tree = Union(depth + 1);
    if (!Takes(')')) Fail(begin, "the parenthesis is never closed");
    return tree;
  }
  if (auto named = NamedClass()) return OneOf(*std::move(named));
  const uint32_t character = Character();
  return OneOf({{character, character}});
}

// Parses literal text up to the closing quotation mark; the opening one is already consumed. A
// backslash is an ordinary character in it.
RegexpTree RegexpParser::Quoted() {
  const size_t open = at_ - 1;
  std::vector<RegexpTree> parts;
  while (more() && !Peeks("\"")) {
    const std::string_view rest = text_.substr(at_);
    const size_t size_bytes = CodePointBytes(rest);
    const uint32_t character = DecodeCodePoint(rest, size_bytes);
    parts.push_back(OneOf({{character, character}}));
    at_ += size_bytes;
  }
  if (!Takes('"')) Fail(open, "the quotation mark in the regular expression is never closed");
  return OfParts(RegexpKind::kConcatenation, std::move(parts));
}

// Parses <least-most>; the opening bracket is already consumed. As in Lucene, the two numbers may
// stand in either order.
RegexpTree RegexpParser::Interval() {
  const size_t open = at_ - 1;
  if (!Peeks(kDecimalDigits)) {
    Fail(open, "an interval of numbers like <1-10> must stand here (escape < with a backslash)");
    return {};
  }
  RegexpTree tree;
  tree.kind = RegexpKind::kInterval;
  const size_t first = at_;
  tree.least = Number();
  const size_t first_bytes = at_ - first;
  const bool has_dash = Takes('-');
  const size_t second = at_;
  if (has_dash) tree.most = Number();
  const size_t second_bytes = at_ - second;
  if (!has_dash || !Takes('>')) Fail(open, "an interval of numbers like <1-10> must stand here");
  tree.digits = first_bytes == second_bytes ? static_cast<uint32_t>(first_bytes) : 0;
  if (tree.least > tree.most) std::swap(tree.least, tree.most);
  return tree;
}

}  // namespace

std::optional<RegexpTree> ParseRegexp(std::string_view text, RegexpProblem& problem) {
  return RegexpParser(text, problem).Run();
}

}  // namespace pmdex
