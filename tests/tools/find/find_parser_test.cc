#include "tools/find/find_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pmdex {
namespace find_parser_test {

using Words = std::vector<std::string>;

absl::StatusOr<FindCommand> Parse(const Words& words) {
  FindParserContext context;
  context.now_ns = int64_t{1'700'000'000} * 1'000'000'000;
  context.time_of = [](const std::string& path) -> absl::StatusOr<int64_t> {
    if (path == "known") return 7;
    return absl::NotFoundError(path);
  };
  context.check_account = [](FileAttribute attribute, const std::string& name) {
    const std::string known = attribute == FileAttribute::kUser ? "root" : "wheel";
    return name == known ? absl::OkStatus() : absl::NotFoundError(name);
  };
  return ParseFind(words, context);
}

// The tree in prefix form: the letter of each test, and the parts of a node in parentheses.
std::string Shape(const FindNode& node) {
  std::string parts = "(";
  for (const auto& part : node.parts) parts += Shape(*part);
  parts += ")";
  switch (node.test) {
    case FindTest::kAnd:
      return "&" + parts;
    case FindTest::kOr:
      return "|" + parts;
    case FindTest::kNot:
      return "!" + parts;
    case FindTest::kTrue:
      return "t";
    case FindTest::kFalse:
      return "f";
    case FindTest::kPrint:
      return "p";
    case FindTest::kPrint0:
      return "0";
    case FindTest::kLs:
      return "l";
    default:
      return "x";
  }
}

std::string ShapeOf(const Words& words) {
  const auto command = Parse(words);
  return command.ok() ? Shape(*command->expression) : std::string(command.status().message());
}

TEST(FindParser, OperatorsBindAsInFind) {
  EXPECT_EQ(ShapeOf({}), "&(tp)");
  EXPECT_EQ(ShapeOf({"a", "b"}), "&(tp)");
  EXPECT_EQ(ShapeOf({"-true", "-o", "-false", "-true"}), "&(|(t&(ft))p)");
  EXPECT_EQ(ShapeOf({"-true", "-a", "-false", "-print0"}), "&(tf0)");
  EXPECT_EQ(ShapeOf({"!", "-true", "-false"}), "&(&(!(t)f)p)");
  EXPECT_EQ(ShapeOf({"!", "!", "-true"}), "&(tp)");
  EXPECT_EQ(ShapeOf({"!", "(", "-true", "-or", "-false", ")", "-and", "-ls"}), "&(!(|(tf))l)");
  EXPECT_EQ(ShapeOf({"-true", "-print", "-o", "-ls"}), "|(&(tp)l)");
}

TEST(FindParser, StartingPointsEndWhereTheExpressionBegins) {
  const auto command = Parse({"a", "-", "b c", "-maxdepth", "2", "-mindepth", "1", "--match", "q"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->starting_points, (Words{"a", "-", "b c"}));
  EXPECT_EQ(command->most_depth, 2u);
  EXPECT_EQ(command->least_depth, 1u);
  EXPECT_EQ(command->match, "q");
}

NumberRange RangeOf(const Words& words) {
  const auto command = Parse(words);
  EXPECT_TRUE(command.ok()) << command.status();
  return command.ok() ? command->expression->parts[0]->range : NumberRange();
}

TEST(FindParser, NumbersHaveSignsAndUnits) {
  const NumberRange large = RangeOf({"-size", "+3k"});
  EXPECT_FALSE(large.Has(3072));
  EXPECT_TRUE(large.Has(3073) && large.Has(INT64_MAX));
  const NumberRange one = RangeOf({"-size", "1"});
  EXPECT_TRUE(!one.Has(0) && one.Has(1) && one.Has(512) && !one.Has(513));
  const NumberRange small = RangeOf({"-size", "-1M"});
  EXPECT_TRUE(small.Has(0) && !small.Has(1)) << "a byte is a mebibyte, rounded up";
  EXPECT_FALSE(RangeOf({"-size", "-0"}).Has(0));
  EXPECT_TRUE(RangeOf({"-size", "-18446744073709551615G"}).Has(INT64_MAX));
  EXPECT_FALSE(RangeOf({"-size", "+18446744073709551615G"}).Has(INT64_MAX));
  EXPECT_TRUE(RangeOf({"-links", "-2"}).Has(1) && !RangeOf({"-links", "-2"}).Has(2));
  const NumberRange younger = RangeOf({"-mmin", "-2"});
  const int64_t bound = (int64_t{1'700'000'000} - 120) * 1'000'000'000;
  EXPECT_TRUE(younger.Has(bound + 1) && !younger.Has(bound)) << "younger is later";
  const NumberRange newer = RangeOf({"-newer", "known"});
  EXPECT_TRUE(newer.Has(8) && !newer.Has(7));
  const NumberRange later = RangeOf({"-newermt", "@2"});
  EXPECT_TRUE(later.Has(2'000'000'001) && !later.Has(2'000'000'000));
}

TEST(FindParser, TestsOfManyKindsBecomeSimpleOnes) {
  EXPECT_EQ(ShapeOf({"-empty"}), "&(|(&(xx)&(xx))p)");
  EXPECT_EQ(ShapeOf({"-perm", "-a+X"}), "&(|(&(xx)&(!(x)x))p)");
  EXPECT_EQ(ShapeOf({"-perm", "-a+x"}), "&(xp)");
  EXPECT_EQ(ShapeOf({"-user", "root"}), "&(xp)");
  EXPECT_EQ(ShapeOf({"-group", "7"}), "&(|(xx)p)");
}

TEST(FindParser, RefusesWhatFindRefuses) {
  for (const Words& words : {Words{"-nosuch"},
                             Words{"-name"},
                             Words{"-size", "x"},
                             Words{"-size", ""},
                             Words{"-size", "1z"},
                             Words{"-type", "q"},
                             Words{"-type", "f,"},
                             Words{"-type", ""},
                             Words{"-perm", "999"},
                             Words{"-uid", "x"},
                             Words{"-mtime", "x"},
                             Words{"-mtime", "--1"},
                             Words{"-newermt", "yesterday"},
                             Words{"-newermt"},
                             Words{"("},
                             Words{"(", ")"},
                             Words{")"},
                             Words{"-true", ")"},
                             Words{"!"},
                             Words{"-o"},
                             Words{"-true", "-o"},
                             Words{"-true", "-a"},
                             Words{"-true", "-a", "-o", "-true"},
                             Words{"-maxdepth", "-1"},
                             Words{"-print", "path"},
                             Words{"--match", "a", "--match", "b"},
                             Words{"-exec", "rm"}}) {
    const auto command = Parse(words);
    EXPECT_TRUE(absl::IsInvalidArgument(command.status())) << words.front() << command.status();
  }
  EXPECT_FALSE(Parse({"-newer", "unknown"}).ok());
  EXPECT_TRUE(absl::IsNotFound(Parse({"-user", "wheel"}).status()));
  EXPECT_TRUE(absl::IsNotFound(Parse({"-group", "7x"}).status()));
  EXPECT_TRUE(Parse({"-group", "wheel", "-user", "71"}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Parse(Words(2000, "(")).status()));
  EXPECT_TRUE(Parse(Words(300'000, "-false")).ok()) << "no stack for each of them";
}

}  // namespace find_parser_test
}  // namespace pmdex
