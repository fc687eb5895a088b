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
  return ParseFind(words, context);
}

// The tree in prefix form: the letter of each test.
std::string Shape(const FindNode& node) {
  switch (node.test) {
    case FindTest::kAnd:
      return "&" + Shape(*node.left) + Shape(*node.right);
    case FindTest::kOr:
      return "|" + Shape(*node.left) + Shape(*node.right);
    case FindTest::kNot:
      return "!" + Shape(*node.left);
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
  EXPECT_EQ(ShapeOf({}), "&tp");
  EXPECT_EQ(ShapeOf({"a", "b"}), "&tp");
  EXPECT_EQ(ShapeOf({"-true", "-o", "-false", "-true"}), "&|t&ftp");
  EXPECT_EQ(ShapeOf({"-true", "-a", "-false", "-print0"}), "&&tf0");
  EXPECT_EQ(ShapeOf({"!", "-true", "-false"}), "&&!tfp");
  EXPECT_EQ(ShapeOf({"!", "!", "-true"}), "&tp");
  EXPECT_EQ(ShapeOf({"!", "(", "-true", "-or", "-false", ")", "-and", "-ls"}), "&!|tfl");
  EXPECT_EQ(ShapeOf({"-true", "-print", "-o", "-ls"}), "|&tpl");
}

TEST(FindParser, StartingPointsEndWhereTheExpressionBegins) {
  const auto command = Parse({"a", "-", "b c", "-maxdepth", "2", "-mindepth", "1", "--match", "q"});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->starting_points, (Words{"a", "-", "b c"}));
  EXPECT_EQ(command->most_depth, 2u);
  EXPECT_EQ(command->least_depth, 1u);
  EXPECT_EQ(command->match, "q");
}

TEST(FindParser, NumbersHaveSignsAndUnits) {
  const auto size = Parse({"-size", "+3k"});
  ASSERT_TRUE(size.ok()) << size.status();
  const FindNode& node = *(*size).expression->left;
  EXPECT_EQ(node.comparison, Comparison::kGreater);
  EXPECT_EQ(node.number, 3u);
  EXPECT_EQ(node.unit_bytes, 1024u);
  const auto age = Parse({"-mmin", "-2"});
  EXPECT_EQ(age->expression->left->time_ns, (int64_t{1'700'000'000} - 120) * 1'000'000'000);
  EXPECT_EQ(age->expression->left->comparison, Comparison::kGreater) << "younger is later";
  EXPECT_EQ(Parse({"-newer", "known"})->expression->left->time_ns, 7);
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
                             Words{"("},
                             Words{"(", ")"},
                             Words{")"},
                             Words{"-true", ")"},
                             Words{"!"},
                             Words{"-o"},
                             Words{"-true", "-o"},
                             Words{"-maxdepth", "-1"},
                             Words{"-print", "path"},
                             Words{"--match", "a", "--match", "b"},
                             Words{"-exec", "rm"}}) {
    const auto command = Parse(words);
    EXPECT_TRUE(absl::IsInvalidArgument(command.status())) << words.front() << command.status();
  }
  EXPECT_FALSE(Parse({"-newer", "unknown"}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Parse(Words(2000, "(")).status()));
}

}  // namespace find_parser_test
}  // namespace pmdex
