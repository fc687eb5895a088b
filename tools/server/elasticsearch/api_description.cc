#include "tools/server/elasticsearch/api_description.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"

#include "pmem/text.h"
#include "tools/server/elasticsearch/api_table.h"
#include "tools/server/elasticsearch/json_text.h"

namespace pmdex {
namespace {

// Behind which the names of components of this API stand; those of the server's own API have none.
constexpr std::string_view kPrefix = "elasticsearch.";

constexpr std::string_view kSwitches =
    "pretty human error_trace local ignore_unavailable allow_no_indices track_scores explain "
    "version seq_no_primary_term request_cache rest_total_hits_as_int lenient v force "
    "wait_if_ongoing flush wait_for_completion";
constexpr std::string_view kIntegers =
    "from size if_seq_no if_primary_term retry_on_conflict max_docs scroll_size max_num_segments";
constexpr std::string_view kTimes = "timeout scroll master_timeout cluster_manager_timeout";

std::vector<std::string> WordsOf(std::string_view words) {
  return absl::StrSplit(ToAbsl(words), ' ', absl::SkipEmpty());
}

Json Reference(const char* kind, std::string_view name) {
  return {{"$ref",
           std::string("#/components/") + kind + "/" + std::string(kPrefix) + std::string(name)}};
}

Json QueryParameter(const std::string& name) {
  Json schema = {{"type", HasWord(kSwitches, name)   ? "boolean"
                          : HasWord(kIntegers, name) ? "integer"
                                                     : "string"}};
  Json parameter = {{"name", name}, {"in", "query"}};
  if (HasWord(kTimes, name)) parameter["description"] = "A time, such as 500ms, 2s or 1m";
  parameter["schema"] = std::move(schema);
  return parameter;
}

Json PathParameter(const std::string& name) {
  const char* const description =
      name == "index"    ? "A name of an index; where nothing is made or removed, also a list of "
                           "names, a pattern such as a*, or _all"
      : name == "id"     ? "The id of a document"
      : name == "fields" ? "Names of fields or patterns, with commas between them"
                         : "The id that a search with the parameter scroll returned";
  return {{"name", name},
          {"in", "path"},
          {"required", true},
          {"description", description},
          {"schema", {{"type", "string"}}}};
}

// Adds a parameter to the components where they do not have it yet, and returns a reference to it.
Json UseParameter(const std::string& name, bool is_in_path, Json& document) {
  const std::string component = (is_in_path ? "path." : "") + name;
  Json& known = document["components"]["parameters"][std::string(kPrefix) + component];
  if (known.is_null()) known = is_in_path ? PathParameter(name) : QueryParameter(name);
  return Reference("parameters", component);
}

struct EndpointSummary {
  EndpointKind kind;
  std::string_view summary;
};

constexpr EndpointSummary kSummaries[] = {
    {EndpointKind::kRoot,
     "Name and version of the server; where Accept names text/html, the search page"},
    {EndpointKind::kClusterHealth, "The health of the server"},
    {EndpointKind::kCatIndices, "A table of the indexes"},
    {EndpointKind::kCatHealth, "The health of the server as a table"},
    {EndpointKind::kCatCount, "The number of documents as a table"},
    {EndpointKind::kStats, "Documents and bytes of the indexes"},
    {EndpointKind::kResolveIndex, "The indexes that a name or a pattern stands for"},
    {EndpointKind::kSearch, "Search"},
    {EndpointKind::kMultiSearch,
     "Several searches: a line with the header and a line with the body of each"},
    {EndpointKind::kCount, "The number of documents that a query matches"},
    {EndpointKind::kScroll, "The next hits of a search with the parameter scroll; DELETE ends it"},
    {EndpointKind::kDocument, "The document with this id"},
    {EndpointKind::kSource, "The source of the document with this id"},
    {EndpointKind::kMultiGet, "Several documents by their ids"},
    {EndpointKind::kExplain, "The score of one document"},
    {EndpointKind::kAnalyze, "The tokens of a text"},
    {EndpointKind::kIndex, "Mapping and settings of an index"},
    {EndpointKind::kMapping, "The mapping of an index"},
    {EndpointKind::kFieldMapping, "The mapping of fields"},
    {EndpointKind::kSettings, "The settings of an index"},
    {EndpointKind::kFieldCapabilities, "The types of fields in all indexes"},
    {EndpointKind::kCreateIndex, "Make an index"},
    {EndpointKind::kDeleteIndex, "Remove an index"},
    {EndpointKind::kPutMapping, "Add fields to the mapping of an index"},
    {EndpointKind::kIndexDocument, "Add a document; one that has the id is replaced"},
    {EndpointKind::kCreateDocument, "Add a document whose id is not there yet"},
    {EndpointKind::kUpdateDocument, "Change a part of a document"},
    {EndpointKind::kDeleteDocument, "Delete a document"},
    {EndpointKind::kBulk,
     "Several writes: a line with the action and, unless it deletes, a line with the "
     "source"},
    {EndpointKind::kDeleteByQuery, "Delete the documents that a query matches"},
    {EndpointKind::kRefresh, "Let searches find what was written"},
    {EndpointKind::kFlush, "The same as _refresh: what is answered is durable"},
    {EndpointKind::kForceMerge, "Merge the segments of an index"},
};

std::string_view SummaryOf(EndpointKind kind) {
  const auto* const found =
      std::find_if(std::begin(kSummaries), std::end(kSummaries),
                   [kind](const EndpointSummary& known) { return known.kind == kind; });
  return found == std::end(kSummaries) ? std::string_view() : found->summary;
}

bool IsInLines(EndpointKind kind) {
  return kind == EndpointKind::kBulk || kind == EndpointKind::kMultiSearch;
}

bool NeedsBody(EndpointKind kind) {
  switch (kind) {
    case EndpointKind::kMultiSearch:
    case EndpointKind::kMultiGet:
    case EndpointKind::kPutMapping:
    case EndpointKind::kIndexDocument:
    case EndpointKind::kCreateDocument:
    case EndpointKind::kUpdateDocument:
    case EndpointKind::kBulk:
      return true;
    default:
      return false;
  }
}

Json BodyOf(const ApiEndpoint& endpoint) {
  Json body = {{"required", NeedsBody(endpoint.kind)}};
  if (IsInLines(endpoint.kind)) {
    body["content"]["application/x-ndjson"]["schema"]["type"] = "string";
    return body;
  }
  Json schema = {{"type", "object"}};
  if (endpoint.body_keys != kAnyBody) {
    schema["properties"] = Json::object();
    for (const std::string& key : WordsOf(endpoint.body_keys)) {
      schema["properties"][key] = Json::object();
    }
    schema["additionalProperties"] = false;
  }
  body["content"]["application/json"]["schema"] = std::move(schema);
  return body;
}

bool IsTable(EndpointKind kind) {
  return kind == EndpointKind::kCatIndices || kind == EndpointKind::kCatHealth ||
         kind == EndpointKind::kCatCount;
}

bool MakesSomething(EndpointKind kind) {
  return kind == EndpointKind::kIndexDocument || kind == EndpointKind::kCreateDocument ||
         kind == EndpointKind::kUpdateDocument;
}

Json ResponsesOf(const ApiEndpoint& endpoint, const std::string& method) {
  Json done = {{"description", "The answer, in Elasticsearch's form"}};
  if (method == "HEAD") {
    done["description"] = "It is there";
    return {{"200", done}, {"default", {{"description", "An error, without a body"}}}};
  }
  if (IsTable(endpoint.kind)) done["content"]["text/plain"]["schema"]["type"] = "string";
  Json& schema = done["content"]["application/json"]["schema"];
  schema = IsTable(endpoint.kind) ? Json{{"type", "array"}} : Json{{"type", "object"}};
  if (endpoint.kind == EndpointKind::kRoot && method == "GET") {
    done["content"]["text/html"]["schema"]["type"] = "string";
  }
  Json responses = {{"200", done}};
  if (MakesSomething(endpoint.kind)) {
    done["description"] = "The same; the document is new";
    responses["201"] = done;
  }
  responses["default"] = Reference("responses", "Error");
  return responses;
}

Json OperationOf(const ApiEndpoint& endpoint, const std::string& method, Json& document) {
  Json operation = {{"tags", {"elasticsearch"}}, {"summary", SummaryOf(endpoint.kind)}};
  Json parameters = Json::array();
  for (const char* name : {"index", "id", "fields", "scroll_id"}) {
    if (endpoint.path.find(std::string("{") + name + "}") == endpoint.path.npos) continue;
    parameters.push_back(UseParameter(name, true, document));
  }
  for (const std::string_view words : {endpoint.parameters, kCommonParameters}) {
    for (const std::string& name : WordsOf(words)) {
      parameters.push_back(UseParameter(name, false, document));
    }
  }
  operation["parameters"] = std::move(parameters);
  // OpenAPI 3.0 knows no bodies of GET and DELETE.
  if (!endpoint.body_keys.empty() && (method == "POST" || method == "PUT")) {
    operation["requestBody"] = BodyOf(endpoint);
  } else if (!endpoint.body_keys.empty() && method != "HEAD") {
    operation["description"] = "A request may have the body that POST describes.";
  }
  operation["responses"] = ResponsesOf(endpoint, method);
  return operation;
}

void AddError(Json& components) {
  const Json text = {{"type", "string"}};
  components["schemas"][std::string(kPrefix) + "Error"] = {
      {"type", "object"},
      {"required", {"error", "status"}},
      {"properties",
       {{"error",
         {{"description", "A text where there is no such path or method, or the id is unknown"},
          {"oneOf",
           {{{"type", "object"},
             {"required", {"type", "reason"}},
             {"properties",
              {{"root_cause", {{"type", "array"}, {"items", {{"type", "object"}}}}},
               {"type", text},
               {"reason", text}}}},
            text}}}},
        {"status", {{"type", "integer"}}}}}};
  Json& response = components["responses"][std::string(kPrefix) + "Error"];
  response["description"] = "An error, or an answer that says that there is no such document";
  response["content"]["application/json"]["schema"] = Reference("schemas", "Error");
}

}  // namespace

std::string DescribeApi(std::string_view own) {
  Json document = Json::parse(own);
  AddError(document["components"]);
  for (const ApiEndpoint& endpoint : ApiEndpoints()) {
    Json& path = document["paths"][std::string(endpoint.path)];
    for (const std::string& method : WordsOf(endpoint.methods)) {
      std::string name = method;
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return static_cast<char>(c - 'A' + 'a'); });
      path[name] = OperationOf(endpoint, method, document);
    }
  }
  return document.dump();
}

}  // namespace pmdex
