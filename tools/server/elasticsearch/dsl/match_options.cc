#include "tools/server/elasticsearch/dsl/match_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "engine/analysis/code_points.h"
#include "pmem/text.h"
#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/parameters.h"

namespace pmdex {
namespace {

constexpr int64_t kMostNumber = INT32_MAX;
constexpr uint32_t kMostEdits = 2;

std::optional<int64_t> WholeNumber(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const bool fits = number >= -kMostNumber && number <= kMostNumber;
  if (parsed.ec != std::errc() || parsed.ptr != end || !fits) return std::nullopt;
  return number;
}

absl::Status BadNumber(std::string_view text) {
  return ApiError(400, "number_format_exception",
                  absl::StrCat("For input string: \"", ToAbsl(text), "\""));
}

absl::StatusOr<uint32_t> NaturalNumber(std::string_view name, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const int64_t number, JsonInteger(name, value));
  if (number < 0 || number > kMostNumber) {
    return BadArgument(absl::StrCat("[", ToAbsl(name), "] cannot be ", number));
  }
  return static_cast<uint32_t>(number);
}

std::string_view Trimmed(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

// The parts of a specification such as `2 < -25% 9<3`, with single spaces between them alone.
std::string WithoutSpacesAroundLess(std::string_view specification) {
  std::string out;
  for (const char c : specification) {
    const bool is_space = absl::ascii_isspace(static_cast<unsigned char>(c));
    if (is_space && (out.empty() || out.back() == ' ' || out.back() == '<')) continue;
    if (c == '<' && !out.empty() && out.back() == ' ') out.pop_back();
    out += is_space ? ' ' : c;
  }
  return out;
}

// A number or a percentage, which may stand between spaces.
absl::StatusOr<int64_t> SimpleMinimum(std::string_view specification, int64_t optional) {
  specification = Trimmed(specification);
  if (specification.ends_with('%')) {
    const auto percent = WholeNumber(specification.substr(0, specification.size() - 1));
    if (!percent.has_value()) return BadNumber(specification);
    const float part = static_cast<float>(optional * *percent) * (1 / 100.0f);
    return part < 0 ? optional + static_cast<int64_t>(part) : static_cast<int64_t>(part);
  }
  const auto number = WholeNumber(specification);
  if (!number.has_value()) return BadNumber(specification);
  return *number < 0 ? optional + *number : *number;
}

// Reads the option of this name with `read` if the query has it.
template <typename T, typename Read>
absl::Status ReadOption(const Json& options, const char* name, T& value, const Read& read) {
  const auto found = options.find(name);
  if (found == options.end()) return absl::OkStatus();
  auto result = read(name, *found);
  if (!result.ok()) return result.status();
  value = *std::move(result);
  return absl::OkStatus();
}

// Of a query without the text to find, which each kind words in its own way.
absl::Status NoText(std::string_view query) {
  if (query.starts_with("match_")) {
    return BadArgument(absl::StrCat("[", ToAbsl(query), "] requires query value"));
  }
  return ApiError(400, "parsing_exception",
                  absl::StrCat("[", ToAbsl(query), "] No text specified for text query"));
}

absl::StatusOr<uint32_t> ReadExpansions(std::string_view name, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const uint32_t number, NaturalNumber(name, value));
  if (number > 0) return number;
  return BadArgument(absl::StrCat("[", ToAbsl(name), "] must be positive"));
}

absl::StatusOr<bool> ReadOperator(std::string_view name, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText(name, value));
  return RequiresAll(text);
}

absl::StatusOr<bool> ReadZeroTerms(std::string_view name, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const std::string text, JsonText(name, value));
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "all" || lower == "none") return lower == "all";
  return ApiError(400, "parsing_exception",
                  absl::StrCat("Unsupported zero_terms_query value [", text, "]"));
}

absl::StatusOr<float> ReadTieBreaker(std::string_view name, const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const double number, JsonNumber(name, value));
  if (number >= 0 && number <= 1) return static_cast<float>(number);
  return BadArgument(absl::StrCat("[", ToAbsl(name), "] must be between 0 and 1"));
}

}  // namespace

uint32_t Fuzziness::EditsOf(std::string_view word) const {
  if (!automatic) return edits;
  const size_t length = CountCodePoints(word);
  return length < one ? 0 : length < two ? 1 : 2;
}

absl::StatusOr<Fuzziness> ParseFuzziness(const Json& value) {
  PMDEX_ASSIGN_OR_RETURN(const std::string written, JsonText("fuzziness", value));
  const std::string text = absl::AsciiStrToUpper(written);
  Fuzziness fuzziness;
  if (text == "AUTO") {
    fuzziness.automatic = true;
    return fuzziness;
  }
  if (text.starts_with("AUTO:")) {
    const std::vector<std::string> bounds = SplitAtCommas(std::string_view(text).substr(5));
    const auto one = bounds.size() == 2 ? WholeNumber(bounds[0]) : std::nullopt;
    const auto two = bounds.size() == 2 ? WholeNumber(bounds[1]) : std::nullopt;
    if (one.has_value() && two.has_value() && *one >= 0 && *one <= *two) {
      fuzziness.automatic = true;
      fuzziness.one = static_cast<uint32_t>(*one);
      fuzziness.two = static_cast<uint32_t>(*two);
      return fuzziness;
    }
  }
  float edits = -1;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, edits);
  if (parsed.ec != std::errc() || parsed.ptr != end || !(edits >= 0)) {
    return BadArgument(absl::StrCat("Invalid fuzziness value: ", written));
  }
  fuzziness.edits = static_cast<uint32_t>(std::min(edits, static_cast<float>(kMostEdits)));
  return fuzziness;
}

absl::StatusOr<uint32_t> MinimumShouldMatch(std::string_view specification, size_t optional) {
  auto result = static_cast<int64_t>(optional);
  if (specification.find('<') == specification.npos) {
    PMDEX_ASSIGN_OR_RETURN(result, SimpleMinimum(specification, result));
    return static_cast<uint32_t>(std::max<int64_t>(result, 0));
  }
  // Each part counts from its bound on; the last one that the number of clauses exceeds decides.
  const std::string parts = WithoutSpacesAroundLess(specification);
  specification = parts;
  while (!specification.empty()) {
    const size_t end = specification.find(' ');
    const std::string_view part = specification.substr(0, end);
    specification.remove_prefix(end == specification.npos ? specification.size() : end + 1);
    if (part.empty()) continue;
    const size_t less = part.find('<');
    const auto bound = WholeNumber(part.substr(0, less));
    if (less == part.npos || !bound.has_value()) return BadNumber(part);
    if (static_cast<int64_t>(optional) <= *bound) break;
    PMDEX_ASSIGN_OR_RETURN(result,
                           SimpleMinimum(part.substr(less + 1), static_cast<int64_t>(optional)));
  }
  return static_cast<uint32_t>(std::max<int64_t>(result, 0));
}

absl::StatusOr<bool> RequiresAll(std::string_view name) {
  const std::string upper = absl::AsciiStrToUpper(ToAbsl(name));
  if (upper == "AND" || upper == "OR") return upper == "AND";
  return BadArgument(
      absl::StrCat("operator needs to be either OR or AND, but not [", ToAbsl(name), "]"));
}

absl::StatusOr<MatchOptions> ReadMatchOptions(std::string_view query, const Json& options) {
  MatchOptions read;
  if (!options.contains("query") || options["query"].is_null()) {
    return NoText(query);
  }
  const auto fuzziness = [](std::string_view, const Json& value) { return ParseFuzziness(value); };
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "query", read.text, JsonText));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "operator", read.require_all, ReadOperator));
  PMDEX_RETURN_IF_ERROR(
      ReadOption(options, "minimum_should_match", read.minimum_should_match, JsonText));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "fuzziness", read.fuzziness, fuzziness));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "prefix_length", read.prefix_length, NaturalNumber));
  // A phrase takes 0, too, and then expands to one word, as in Lucene.
  const bool is_phrase = query.starts_with("match_phrase");
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "max_expansions", read.max_expansions,
                                   is_phrase ? NaturalNumber : ReadExpansions));
  read.max_expansions = std::max(read.max_expansions, 1u);
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "slop", read.slop, NaturalNumber));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "phrase_slop", read.slop, NaturalNumber));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "analyzer", read.analyzer, JsonText));
  PMDEX_RETURN_IF_ERROR(
      ReadOption(options, "zero_terms_query", read.zero_terms_all, ReadZeroTerms));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "tie_breaker", read.tie_breaker, ReadTieBreaker));
  PMDEX_RETURN_IF_ERROR(ReadOption(options, "lenient", read.lenient, JsonSwitch));
  return read;
}

}  // namespace pmdex
