#include "tools/find/find_parser.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/find/local_time.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

constexpr int64_t kNsPerSecondOfAge = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

enum class Comparison { kLess, kEqual, kGreater };  // "-n", "n", "+n"

struct NumberWord {
  Comparison comparison = Comparison::kEqual;
  std::string_view digits;
};

NumberWord TakeSign(std::string_view text) {
  NumberWord word;
  if (text.starts_with('+')) word.comparison = Comparison::kGreater;
  if (text.starts_with('-')) word.comparison = Comparison::kLess;
  word.digits = word.comparison == Comparison::kEqual ? text : text.substr(1);
  return word;
}

// The numbers before, in, and behind [low, high].
NumberRange RangeOf(Comparison comparison, __int128 low, __int128 high) {
  switch (comparison) {
    case Comparison::kLess:
      return {-NumberRange::kNoBound, low - 1};
    case Comparison::kGreater:
      return {high + 1, NumberRange::kNoBound};
    case Comparison::kEqual:
      break;
  }
  return {low, high};
}

bool ParseWhole(std::string_view text, uint64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

class FindParser {
 public:
  FindParser(std::span<const std::string> words, const FindParserContext& context)
      : words_(words), context_(context) {}

  absl::StatusOr<FindCommand> Parse();

 private:
  using Node = std::unique_ptr<FindNode>;
  using NodeOr = absl::StatusOr<Node>;

  static Node NewNode(FindTest test) {
    auto node = std::make_unique<FindNode>();
    node->test = test;
    return node;
  }
  static Node NewNumber(FileAttribute attribute, const NumberRange& range) {
    Node node = NewNode(FindTest::kNumber);
    node->attribute = attribute;
    node->range = range;
    return node;
  }
  static Node NewType(std::string letters) {
    Node node = NewNode(FindTest::kType);
    node->text = std::move(letters);
    return node;
  }
  // A node of these parts.
  template <typename... Parts>
  static Node Join(FindTest test, Parts... parts) {
    Node node = NewNode(test);
    (node->parts.push_back(std::move(parts)), ...);
    return node;
  }
  bool AtEnd() const { return next_ == words_.size(); }
  bool Takes(std::string_view a, std::string_view b) {
    if (AtEnd() || (words_[next_] != a && words_[next_] != b)) return false;
    ++next_;
    return true;
  }
  bool BeginsOperand() const {
    return !AtEnd() && words_[next_] != ")" && words_[next_] != "-o" && words_[next_] != "-or";
  }
  NodeOr ParseOr();
  NodeOr ParseAnd();
  NodeOr ParseNot();
  NodeOr ParsePrimary();
  absl::StatusOr<std::string> Argument(const std::string& predicate);
  NodeOr ParseTest(const std::string& predicate);
  NodeOr ParseArgumentTest(const std::string& predicate, const std::string& argument);
  static Node EmptyTest();
  NodeOr AccountTest(FindTest test, const std::string& account) const;
  static NodeOr ParsePerm(const std::string& argument);
  static NodeOr ParseNumberTest(const std::string& predicate, std::string_view argument);
  static NodeOr ParseSize(std::string_view argument);
  NodeOr ParseAge(std::string_view argument, int64_t unit_seconds);
  NodeOr ParseNewer(const std::string& argument);
  static NodeOr ParseNewerThan(const std::string& argument);
  static NodeOr ParseType(std::string_view argument);
  NodeOr ParseGlobal(const std::string& predicate, const std::string& argument);
  static absl::Status Bad(std::string_view predicate, std::string_view argument) {
    return InvalidArgument(
        absl::StrCat("find: invalid argument '", Printable(argument), "' to ", ToAbsl(predicate)));
  }

  const std::span<const std::string> words_;
  const FindParserContext& context_;
  size_t next_ = 0;
  size_t depth_ = 0;
  bool has_action_ = false;
  FindCommand command_;
};

// Later than time_ns.
NumberRange Behind(int64_t time_ns) {
  return {__int128{time_ns} + 1, NumberRange::kNoBound};
}

constexpr size_t kMostParentheses = 1000;  // each takes stack

bool BeginsExpression(std::string_view word) {
  return (word.size() > 1 && word.starts_with('-')) || word == "!" || word == "(" || word == ")";
}

absl::StatusOr<FindCommand> FindParser::Parse() {
  while (!AtEnd() && !BeginsExpression(words_[next_])) {
    command_.starting_points.push_back(words_[next_++]);
  }
  Node expression = NewNode(FindTest::kTrue);
  if (!AtEnd()) {
    PMDEX_ASSIGN_OR_RETURN(expression, ParseOr());
  }
  if (!AtEnd()) {
    return InvalidArgument(absl::StrCat("find: '", Printable(words_[next_]),
                                        "' stands where no expression can begin"));
  }
  if (!has_action_) {
    expression = Join(FindTest::kAnd, std::move(expression), NewNode(FindTest::kPrint));
  }
  command_.expression = std::move(expression);
  return std::move(command_);
}

FindParser::NodeOr FindParser::ParseOr() {
  Node any = NewNode(FindTest::kOr);
  do {
    PMDEX_ASSIGN_OR_RETURN(any->parts.emplace_back(), ParseAnd());
  } while (Takes("-o", "-or"));
  return any->parts.size() == 1 ? std::move(any->parts[0]) : std::move(any);
}

FindParser::NodeOr FindParser::ParseAnd() {
  Node all = NewNode(FindTest::kAnd);
  do {
    PMDEX_ASSIGN_OR_RETURN(all->parts.emplace_back(), ParseNot());
  } while (Takes("-a", "-and") || BeginsOperand());
  return all->parts.size() == 1 ? std::move(all->parts[0]) : std::move(all);
}

FindParser::NodeOr FindParser::ParseNot() {
  bool negates = false;
  while (Takes("!", "-not")) negates = !negates;
  PMDEX_ASSIGN_OR_RETURN(Node operand, ParsePrimary());
  return negates ? Join(FindTest::kNot, std::move(operand)) : std::move(operand);
}

FindParser::NodeOr FindParser::ParsePrimary() {
  if (AtEnd()) return InvalidArgument("find: an expression is expected at the end");
  const std::string& word = words_[next_++];
  if (word != "(") return ParseTest(word);
  if (++depth_ > kMostParentheses) return InvalidArgument("find: too many parentheses");
  PMDEX_ASSIGN_OR_RETURN(Node inner, ParseOr());
  if (!Takes(")", ")")) return InvalidArgument("find: a ( has no ) behind it");
  --depth_;
  return inner;
}

absl::StatusOr<std::string> FindParser::Argument(const std::string& predicate) {
  if (AtEnd()) return InvalidArgument(absl::StrCat("find: ", predicate, " needs an argument"));
  return words_[next_++];
}

FindParser::NodeOr FindParser::ParseTest(const std::string& predicate) {
  if (predicate == "-true") return NewNode(FindTest::kTrue);
  if (predicate == "-false") return NewNode(FindTest::kFalse);
  if (predicate == "-empty") return EmptyTest();
  const bool is_action = predicate == "-print" || predicate == "-print0" || predicate == "-ls";
  if (is_action) {
    has_action_ = true;
    return NewNode(predicate == "-print"    ? FindTest::kPrint
                   : predicate == "-print0" ? FindTest::kPrint0
                                            : FindTest::kLs);
  }
  static constexpr std::string_view kWithArgument[] = {
      "-name",  "-iname", "-path",     "-ipath",    "-wholename", "-iwholename", "-size", "-mtime",
      "-mmin",  "-newer", "-user",     "-group",    "-uid",       "-gid",        "-perm", "-type",
      "-links", "-inum",  "-maxdepth", "-mindepth", "--match",    "-newermt"};
  for (const std::string_view known : kWithArgument) {
    if (predicate != known) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string argument, Argument(predicate));
    return ParseArgumentTest(predicate, argument);
  }
  const bool is_option = predicate == "--index" || predicate == "--as-user";
  return InvalidArgument(absl::StrCat("find: unknown predicate '", Printable(predicate),
                                      "' (hint: ",
                                      is_option ? "options go before the first PATH)"
                                                : "pmdex find --help lists those there are)"));
}

FindParser::NodeOr FindParser::ParseArgumentTest(const std::string& predicate,
                                                 const std::string& argument) {
  const bool is_name = predicate == "-name" || predicate == "-iname";
  const bool is_path = predicate.ends_with("path") || predicate.ends_with("wholename");
  if (is_name || is_path) {
    Node node = NewNode(is_name ? FindTest::kName : FindTest::kPath);
    node->glob = Glob(argument, predicate[1] == 'i');
    return node;
  }
  if (predicate == "-user") return AccountTest(FindTest::kUser, argument);
  if (predicate == "-group") return AccountTest(FindTest::kGroup, argument);
  if (predicate == "-perm") return ParsePerm(argument);
  if (predicate == "-size") return ParseSize(argument);
  if (predicate == "-mtime") return ParseAge(argument, kSecondsPerDay);
  if (predicate == "-mmin") return ParseAge(argument, 60);
  if (predicate == "-newer") return ParseNewer(argument);
  if (predicate == "-newermt") return ParseNewerThan(argument);
  if (predicate == "-type") return ParseType(argument);
  if (predicate.ends_with("depth") || predicate == "--match") {
    return ParseGlobal(predicate, argument);
  }
  return ParseNumberTest(predicate, argument);
}

FindParser::NodeOr FindParser::ParseGlobal(const std::string& predicate,
                                           const std::string& argument) {
  if (predicate == "--match") {
    if (command_.match.has_value()) return InvalidArgument("find: --match is given twice");
    command_.match = argument;
    return NewNode(FindTest::kTrue);
  }
  uint64_t depth = 0;
  if (!ParseWhole(argument, depth) || depth > UINT32_MAX) return Bad(predicate, argument);
  command_.has_depth = true;
  (predicate == "-maxdepth" ? command_.most_depth : command_.least_depth) =
      static_cast<uint32_t>(depth);
  return NewNode(FindTest::kTrue);
}

FindParser::Node FindParser::EmptyTest() {
  Node file = Join(FindTest::kAnd, NewType("f"), NewNumber(FileAttribute::kSize, {0, 0}));
  Node directory = Join(FindTest::kAnd, NewType("d"), NewNode(FindTest::kHasNoEntries));
  return Join(FindTest::kOr, std::move(file), std::move(directory));
}

// A name, as it was when the entry was indexed; also a number.
FindParser::NodeOr FindParser::AccountTest(FindTest test, const std::string& account) const {
  const bool is_user = test == FindTest::kUser;
  Node node = NewNode(test);
  node->text = account;
  uint64_t id = 0;
  if (ParseWhole(account, id)) {
    const FileAttribute number = is_user ? FileAttribute::kUid : FileAttribute::kGid;
    return Join(FindTest::kOr, std::move(node), NewNumber(number, {id, id}));
  }
  PMDEX_RETURN_IF_ERROR(
      context_.check_account(is_user ? FileAttribute::kUser : FileAttribute::kGroup, account));
  return node;
}

FindParser::NodeOr FindParser::ParsePerm(const std::string& argument) {
  const auto mode = ParseModeTest(argument);
  if (!mode.has_value()) return Bad("-perm", argument);
  Node test = NewNode(FindTest::kPerm);
  test->mode = *mode;
  if (mode->bits == mode->directory_bits) return test;
  Node of_directories = NewNode(FindTest::kPerm);
  of_directories->mode = mode->ForDirectories();
  Node other = Join(FindTest::kNot, NewType("d"));
  return Join(FindTest::kOr, Join(FindTest::kAnd, NewType("d"), std::move(of_directories)),
              Join(FindTest::kAnd, std::move(other), std::move(test)));
}

FindParser::NodeOr FindParser::ParseNumberTest(const std::string& predicate,
                                               std::string_view argument) {
  const NumberWord word = TakeSign(argument);
  uint64_t number = 0;
  if (!ParseWhole(word.digits, number)) return Bad(predicate, argument);
  const FileAttribute attribute = predicate == "-uid"     ? FileAttribute::kUid
                                  : predicate == "-gid"   ? FileAttribute::kGid
                                  : predicate == "-links" ? FileAttribute::kLinks
                                                          : FileAttribute::kInode;
  return NewNumber(attribute, RangeOf(word.comparison, number, number));
}

// Lengths are rounded up to the unit.
FindParser::NodeOr FindParser::ParseSize(std::string_view argument) {
  NumberWord word = TakeSign(argument);
  __int128 unit_bytes = 512;
  constexpr std::pair<char, uint64_t> kUnits[] = {{'c', 1},    {'w', 2},       {'b', 512},
                                                  {'k', 1024}, {'M', 1 << 20}, {'G', 1 << 30}};
  for (const auto& [letter, bytes] : kUnits) {
    if (!word.digits.ends_with(letter)) continue;
    unit_bytes = bytes;
    word.digits.remove_suffix(1);
    break;
  }
  uint64_t units = 0;
  if (!ParseWhole(word.digits, units)) return Bad("-size", argument);
  const __int128 most = units * unit_bytes;
  return NewNumber(FileAttribute::kSize, RangeOf(word.comparison, most - unit_bytes + 1, most));
}

// As find does it: ages are whole units, and the one of `-n` is a second longer for days.
FindParser::NodeOr FindParser::ParseAge(std::string_view argument, int64_t unit_seconds) {
  const NumberWord word = TakeSign(argument);
  double units = 0;
  const auto [end, error] =
      std::from_chars(word.digits.data(), word.digits.data() + word.digits.size(), units);
  const bool is_number = error == std::errc() && end == word.digits.data() + word.digits.size();
  constexpr double kMostUnits = 1e8;  // of days: longer ago than any time in an index
  if (!is_number || !std::isfinite(units) || units < 0 || units > kMostUnits) {
    return Bad(unit_seconds == 60 ? "-mmin" : "-mtime", argument);
  }
  int64_t origin_seconds = 0;
  if (unit_seconds == kSecondsPerDay) {
    origin_seconds = word.comparison == Comparison::kLess ? -1 : -kSecondsPerDay;
  }
  const double ago = units * static_cast<double>(unit_seconds * kNsPerSecondOfAge);
  const __int128 time_ns =
      context_.now_ns - (static_cast<__int128>(ago) - origin_seconds * kNsPerSecondOfAge);
  NumberRange range = {time_ns + 1, time_ns + unit_seconds * kNsPerSecondOfAge};
  // Older is an earlier time.
  if (word.comparison == Comparison::kLess) range.high = NumberRange::kNoBound;
  if (word.comparison == Comparison::kGreater) range = {-NumberRange::kNoBound, time_ns - 1};
  return NewNumber(FileAttribute::kMtime, range);
}

FindParser::NodeOr FindParser::ParseNewer(const std::string& argument) {
  PMDEX_ASSIGN_OR_RETURN(const int64_t time_ns, context_.time_of(argument));
  return NewNumber(FileAttribute::kMtime, Behind(time_ns));
}

FindParser::NodeOr FindParser::ParseNewerThan(const std::string& argument) {
  const auto time_ns = ParseLocalTime(argument);
  if (!time_ns.has_value()) return Bad("-newermt", argument);
  return NewNumber(FileAttribute::kMtime, Behind(*time_ns));
}

FindParser::NodeOr FindParser::ParseType(std::string_view argument) {
  constexpr std::string_view kTypes = "bcdpfls";
  std::string letters;
  for (size_t i = 0; i < argument.size(); ++i) {
    const bool is_comma = i % 2 == 1;
    if (is_comma ? argument[i] != ',' : kTypes.find(argument[i]) == std::string_view::npos) {
      return Bad("-type", argument);
    }
    if (!is_comma) letters += argument[i];
  }
  if (argument.size() % 2 == 0) return Bad("-type", argument);
  return NewType(std::move(letters));
}

}  // namespace

absl::StatusOr<FindCommand> ParseFind(std::span<const std::string> words,
                                      const FindParserContext& context) {
  return FindParser(words, context).Parse();
}

}  // namespace pmdex
