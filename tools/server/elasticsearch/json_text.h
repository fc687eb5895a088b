// JSON of requests and answers. Requests are parsed into trees with a bound on their depth. Answers
// are built as trees and written compactly or indented. A tree may hold JSON text that is written
// as it stands (RawJson): the stored source of a document. Stateless.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "pmem/status.h"

namespace pmdex {

using Json = nlohmann::ordered_json;  // keeps the order of keys

// An ApiError (400) if the text is not one JSON value, or nests deeper than max_depth.
absl::StatusOr<Json> ParseJson(std::string_view text, size_t max_depth);

// A value that ToJsonText writes as it stands. Requires valid JSON.
Json RawJson(std::string_view text);
// Parses all raw values of the tree, so that it can be looked into.
void ParseRawJson(Json& value);

// The shortest decimal that reads back as the same float. Such numbers look as Elasticsearch writes
// them: 0.2876821, not 0.28768208622932434.
Json JsonFloat(float value);

// Compact text. Numbers with fractions always have a point: 1.0.
std::string ToJsonText(const Json& value);
// The same JSON with line breaks and indentation. Requires valid compact JSON.
std::string Indented(std::string_view json);

}  // namespace pmdex
