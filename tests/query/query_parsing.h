// Parses queries with one analyzer over some fields, and returns trees or errors as text. For one
// test.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

#include "query/language/query_parser.h"

namespace pmdex {

// A query, and the tree or error that the parser must return for it.
struct ParsingCase {
  std::string_view text;
  std::string_view expected;
};

class Parsing {
 public:
  explicit Parsing(AnalyzerKind kind = AnalyzerKind::kStandard,
                   std::vector<std::string> fields = {"b"}, const QueryParserLimits& limits = {})
      : analyzer_(NewAnalyzer(kind)), fields_(std::move(fields)), limits_(limits) {}

  absl::StatusOr<std::unique_ptr<Query>> Parse(std::string_view text) {
    return QueryParser(*analyzer_, fields_, limits_).Parse(text);
  }
  std::string Tree(std::string_view text) {
    const auto query = Parse(text);
    return query.ok() ? ToString(**query) : std::string(Message(query.status()));
  }
  // The first line of the error: "column N: WHAT".
  std::string Error(std::string_view text) {
    const auto query = Parse(text);
    if (query.ok()) return "parsed as " + ToString(**query);
    EXPECT_EQ(query.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string message(Message(query.status()));
    return message.substr(0, message.find('\n'));
  }

 private:
  std::unique_ptr<Analyzer> analyzer_;
  std::vector<std::string> fields_;
  QueryParserLimits limits_;
};

}  // namespace pmdex
