#include "tools/server/elasticsearch/endpoints/multi_search_endpoint.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/search/search_run.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

struct SearchLine {
  std::string index;  // an expression
  SelectionOptions selection;
  SearchBody body;
};

absl::Status ReadHeader(const Json& header, SearchLine& line) {
  for (const auto& [key, value] : header.items()) {
    if (!HasWord(kSearchHeaderKeys, key)) {
      return BadArgument(absl::StrCat("key [", key, "] is not supported in the metadata section"));
    }
    if (key == "index" && !value.is_null()) {
      PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> names, JsonTexts(key, value));
      line.index.clear();
      for (const std::string& name : names) line.index += (line.index.empty() ? "" : ",") + name;
    } else if (key == "ignore_unavailable") {
      PMDEX_ASSIGN_OR_RETURN(line.selection.ignore_unavailable, JsonSwitch(key, value));
    } else if (key == "allow_no_indices") {
      PMDEX_ASSIGN_OR_RETURN(line.selection.allow_no_indices, JsonSwitch(key, value));
    } else if (key == "expand_wildcards") {
      PMDEX_ASSIGN_OR_RETURN(const std::vector<std::string> values, JsonTexts(key, value));
      PMDEX_ASSIGN_OR_RETURN(line.selection.expand, ExpandsOpenIndexes(values));
    } else if (key == "search_type") {
      if (value != "query_then_fetch" && value != "dfs_query_then_fetch") {
        return BadArgument("[search_type] is not known");
      }
      line.body.shared_statistics = value == "dfs_query_then_fetch";
    }
  }
  return absl::OkStatus();
}

// The lines of the body; an error if the last one does not end.
absl::StatusOr<std::vector<std::string_view>> LinesOf(std::string_view body) {
  if (body.empty()) {
    return ApiError(400, "parse_exception", "request body is required");
  }
  if (body.back() != '\n') {
    return BadArgument("The msearch request must be terminated by a newline [\n]");
  }
  if (body.size() > 1 && body.front() == '\n') body.remove_prefix(1);  // as real nodes do
  std::vector<std::string_view> lines;
  while (!body.empty()) {
    const size_t end = body.find('\n');
    lines.push_back(body.substr(0, end));
    body.remove_prefix(end + 1);
  }
  return lines;
}

bool IsEmptyLine(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

absl::StatusOr<Json> ReadObject(std::string_view text, size_t max_depth) {
  if (IsEmptyLine(text)) {
    return ApiError(400, "parsing_exception", "Expected [START_OBJECT] but found [null]");
  }
  PMDEX_ASSIGN_OR_RETURN(Json value, ParseJson(text, max_depth));
  if (!value.is_object()) return ApiError(400, "parsing_exception", "Expected [START_OBJECT]");
  return value;
}

absl::StatusOr<SearchLine> ReadSearch(const ApiCall& call, const SelectionOptions& selection,
                                      std::string_view header, std::string_view body) {
  const ElasticsearchLimits& limits = call.state.limits;
  SearchLine line{std::string(call.index), selection, {}};
  Json keys = Json::object();
  if (!IsEmptyLine(header)) {
    PMDEX_ASSIGN_OR_RETURN(keys, ReadObject(header, limits.max_body_depth));
  }
  PMDEX_ASSIGN_OR_RETURN(const Json search, ReadObject(body, limits.max_body_depth));
  PMDEX_RETURN_IF_ERROR(CheckKeys(search, call.endpoint.body_keys, "request"));
  const HttpRequest no_parameters;
  PMDEX_ASSIGN_OR_RETURN(line.body, ReadSearchBody(search, Parameters(no_parameters), limits));
  PMDEX_RETURN_IF_ERROR(ReadHeader(keys, line));
  PMDEX_ASSIGN_OR_RETURN(line.body.total_as_int,
                         call.parameters.Switch("rest_total_hits_as_int", false));
  PMDEX_RETURN_IF_ERROR(CheckTotal(line.body));
  const absl::Status sound = CheckQueries(line.body, call.state.analyzers, limits);
  if (!sound.ok() && !IsOfOneSearch(sound)) return sound;
  return line;
}

absl::StatusOr<Json> RunSearch(const ApiCall& call, SearchLine line,
                               std::chrono::milliseconds timeout) {
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes,
                         SelectIndexes(line.index, call.indexes, line.selection));
  PMDEX_ASSIGN_OR_RETURN(SearchRun run,
                         SearchRun::Open(std::move(line.body), indexes, call.state.analyzers,
                                         call.state.limits, call.state.notes));
  PMDEX_ASSIGN_OR_RETURN(Json answer, run.NextPage(call.state.analyzers, timeout, call.budget));
  answer["status"] = 200;
  return answer;
}

}  // namespace

ApiAnswerOr AnswerMultiSearch(const ApiCall& call) {
  const Clock::time_point begin = Clock::now();
  PMDEX_ASSIGN_OR_RETURN(std::vector<std::string_view> lines, LinesOf(call.request.body));
  if (lines.size() % 2 != 0 && IsEmptyLine(lines.back())) lines.pop_back();
  if (lines.size() % 2 != 0) return BadArgument("the last search of the request has no body");
  if (lines.size() / 2 > call.state.limits.max_searches) {
    return BadArgument(
        absl::StrCat("the request has more than ", call.state.limits.max_searches, " searches"));
  }
  PMDEX_ASSIGN_OR_RETURN(const SelectionOptions selection, ReadSelectionOptions(call.parameters));
  std::vector<SearchLine> searches;
  for (size_t i = 0; i + 1 < lines.size(); i += 2) {
    PMDEX_ASSIGN_OR_RETURN(SearchLine line, ReadSearch(call, selection, lines[i], lines[i + 1]));
    searches.push_back(std::move(line));
  }
  const auto passed = [begin] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  };
  Json responses = Json::array();
  for (SearchLine& line : searches) {
    const auto left = std::max(std::chrono::milliseconds(0), call.timeout - passed());
    absl::StatusOr<Json> answer = RunSearch(call, std::move(line), left);
    // As text, so that little is left to be done when the deadline has come.
    responses.push_back(RawJson(ToJsonText(answer.ok() ? *answer : ErrorBody(answer.status()))));
  }
  return ApiAnswer{200, {{"took", passed().count()}, {"responses", std::move(responses)}}, {}};
}

}  // namespace pmdex
