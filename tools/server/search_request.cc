#include "tools/server/search_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/server/json_shape.h"

namespace pmdex {
namespace {

constexpr size_t kManyHits = 1000;

absl::StatusOr<uint64_t> NumberOf(std::string_view name, const RequestValue& value, uint64_t most) {
  uint64_t number = 0;
  if (!absl::SimpleAtoi(value.text, &number) || number > most) {
    return WrongValue(name, absl::StrCat("a number from 0 to ", most));
  }
  return number;
}

absl::StatusOr<bool> SwitchOf(std::string_view name, const RequestValue& value) {
  const std::string& text = value.text;
  if (text.empty() || text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return WrongValue(name, "true or false");
}

absl::Status SetSwitch(std::string_view name, const RequestValue& value, bool& option) {
  PMDEX_ASSIGN_OR_RETURN(option, SwitchOf(name, value));
  return absl::OkStatus();
}

absl::Status SetQuery(std::string_view name, const RequestValue& value,
                      const SearchRequestLimits& limits, SearchRequest& request) {
  if (!value.is_text) return WrongValue(name, "a text");
  if (value.text.size() > limits.query_bytes) {
    return WrongValue(name, absl::StrCat("at most ", limits.query_bytes, " bytes"));
  }
  request.query = value.text;
  return absl::OkStatus();
}

absl::Status SetOption(std::string_view name, const RequestValue& value,
                       const SearchRequestLimits& limits, SearchRequest& request) {
  SearchOptions& options = request.options;
  if (IsFieldOption(name)) return SetFieldOption(name, value, limits.fields, request);
  if (name == "q" || name == "query") return SetQuery(name, value, limits, request);
  if (name == "count") return SetSwitch(name, value, options.count);
  if (name == "exhaustive") return SetSwitch(name, value, options.exhaustive);
  if (name == "explain") return SetSwitch(name, value, options.explain);
  if (name == "snippets") return SetSwitch(name, value, options.snippets);
  if (name == "k") {
    PMDEX_ASSIGN_OR_RETURN(options.k, NumberOf(name, value, limits.k));
    return absl::OkStatus();
  }
  if (name == "similarity") {
    auto kind = ParseSimilarityKind(value.text);
    if (!kind.ok()) return WrongValue(name, "bm25 or tfidf");
    options.similarity = *kind;
    return absl::OkStatus();
  }
  if (name == "timeout_ms") {
    constexpr uint64_t kMostMilliseconds = 1'000'000'000;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t number, NumberOf(name, value, kMostMilliseconds));
    request.timeout = std::chrono::milliseconds(number);
    return absl::OkStatus();
  }
  return InvalidArgument(absl::StrCat(
      "'", ToAbsl(name.substr(0, 100)),
      "' is not known (hint: q, k, similarity, count, exhaustive, explain, snippets, sort, after, "
      "facet, fields_out, timeout_ms)"));
}

RequestValue ValueOf(const nlohmann::json& value) {
  if (value.is_string()) return {value.get<std::string>(), true, &value};
  if (value.is_number_unsigned() || value.is_boolean()) return {value.dump(), false, &value};
  return {"?", false, &value};  // only fields take it
}

// What is wrong although each option is right by itself.
absl::Status Check(const SearchRequests& parsed) {
  for (const SearchRequest& request : parsed.requests) {
    if (!request.options.sort_after.empty() && request.options.sort.empty()) {
      return InvalidArgument("'after' goes with 'sort'");
    }
  }
  return absl::OkStatus();
}

absl::Status SetOptions(const nlohmann::json& object, const SearchRequestLimits& limits,
                        SearchRequest& request) {
  for (const auto& [name, value] : object.items()) {
    if (name == "queries") continue;
    PMDEX_RETURN_IF_ERROR(SetOption(name, ValueOf(value), limits, request));
  }
  return absl::OkStatus();
}

absl::Status AddBatch(const nlohmann::json& queries, const SearchRequest& defaults,
                      const SearchRequestLimits& limits, SearchRequests& parsed) {
  if (!queries.is_array() || queries.size() > limits.queries) {
    return WrongValue("queries", absl::StrCat("a list of at most ", limits.queries, " queries"));
  }
  parsed.is_batch = true;
  for (size_t i = 0; i < queries.size(); ++i) {
    const nlohmann::json& query = queries[i];
    SearchRequest& request = parsed.requests.emplace_back(defaults);
    absl::Status status;
    if (query.is_string()) {
      status = SetQuery("queries", ValueOf(query), limits, request);
    } else if (query.is_object() && !query.contains("queries")) {
      status = SetOptions(query, limits, request);
    } else {
      status = WrongValue("queries", "texts, or objects like that of a single query");
    }
    if (status.ok()) continue;
    return InvalidArgument(absl::StrCat("queries[", i, "]: ", ToAbsl(Message(status))));
  }
  return absl::OkStatus();
}

}  // namespace

bool SearchRequest::IsHeavy() const {
  return options.k > kManyHits || options.exhaustive || options.explain || options.snippets ||
         !options.sort.empty() || !options.aggregations.empty();
}

std::chrono::microseconds SearchRequest::EstimatedTime(uint64_t doc_count) const {
  constexpr uint64_t kQueryNs = 1'000'000;
  constexpr uint64_t kHitNs = 500;
  constexpr uint64_t kTextNs = 10'000;  // a snippet or an explanation
  constexpr uint64_t kScoreNs = 10;
  constexpr uint64_t kValueNs = 3;  // a value of a column, for a facet or for sorting
  uint64_t time_ns = kQueryNs;
  const uint64_t hits = std::min<uint64_t>(options.k, doc_count);
  time_ns += hits * (options.snippets || options.explain ? kTextNs : kHitNs);
  if (options.exhaustive) time_ns += doc_count * kScoreNs;
  if (!options.sort.empty()) time_ns += doc_count * kValueNs;
  for (const Aggregation& facet : options.aggregations) {
    time_ns += doc_count * kValueNs * (1 + facet.below.size());
  }
  return std::chrono::microseconds(time_ns / 1000);
}

bool SearchRequest::CanBeKept() const {
  return !MayNameNow(query) && std::none_of(facets.begin(), facets.end(), MayNameNow);
}

std::string SearchRequest::AnswerKey() const {
  std::string key =
      absl::StrCat(options.k, "\n", static_cast<int>(options.similarity.kind), "\n",
                   options.exhaustive, options.count, options.explain, options.snippets, "\n");
  AppendFieldOptions(*this, key);
  key += query;
  return key;
}

absl::StatusOr<SearchRequests> ParseSearchRequests(const HttpRequest& request,
                                                   const SearchRequestLimits& limits) {
  SearchRequest defaults;
  std::set<std::string_view> names;
  for (const auto& [name, value] : request.parameters) {
    if (name != "facet" && !names.insert(name).second) {
      return InvalidArgument(absl::StrCat("the parameter ", name, " comes twice"));
    }
    PMDEX_RETURN_IF_ERROR(SetOption(name, {value, true}, limits, defaults));
  }
  SearchRequests parsed;
  nlohmann::json body = nlohmann::json::object();
  if (!request.body.empty()) {
    if (ShapeOfJson(request.body).deepest > limits.body_depth) {
      return InvalidArgument(
          absl::StrCat("the body nests deeper than ", limits.body_depth, " objects and arrays"));
    }
    body = nlohmann::json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  }
  if (body.is_discarded() || !body.is_object()) {
    return InvalidArgument("the body is not a JSON object");
  }
  const int query_count = (defaults.query.empty() ? 0 : 1) + (body.contains("query") ? 1 : 0) +
                          (body.contains("q") ? 1 : 0) + (body.contains("queries") ? 1 : 0);
  if (query_count > 1) {
    return InvalidArgument("there is more than one of q, query and queries");
  }
  PMDEX_RETURN_IF_ERROR(SetOptions(body, limits, defaults));
  if (body.contains("queries")) {
    PMDEX_RETURN_IF_ERROR(AddBatch(body["queries"], defaults, limits, parsed));
  } else {
    parsed.requests.push_back(std::move(defaults));
  }
  PMDEX_RETURN_IF_ERROR(Check(parsed));
  return parsed;
}

}  // namespace pmdex
