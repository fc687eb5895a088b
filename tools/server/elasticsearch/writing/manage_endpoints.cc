#include "tools/server/elasticsearch/writing/manage_endpoints.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "tools/server/elasticsearch/api_error.h"
#include "tools/server/elasticsearch/index_selection.h"
#include "tools/server/elasticsearch/writing/write_answers.h"

namespace pmdex {
namespace {

// Asks for refreshes and merges of indexes that the server has not open for writing do nothing:
// searches find all that is in them.
ApiAnswer ShardsAnswer(size_t count) {
  return {200, {{"_shards", {{"total", count}, {"successful", count}, {"failed", 0}}}}, {}};
}

}  // namespace

ApiAnswerOr AnswerCreateIndex(const ApiCall& call) {
  PMDEX_RETURN_IF_ERROR(ReadWriteParameters(call.parameters).status());
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  PMDEX_ASSIGN_OR_RETURN(const IndexDefinition definition, IndexDefinition::Read(call.body));
  PMDEX_RETURN_IF_ERROR(writing->Create(call.index, definition));
  return ApiAnswer{
      200, {{"acknowledged", true}, {"shards_acknowledged", true}, {"index", call.index}}, {}};
}

ApiAnswerOr AnswerDeleteIndex(const ApiCall& call) {
  PMDEX_RETURN_IF_ERROR(call.parameters.Time("timeout").status());
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  const std::vector<std::string> names = SplitAtCommas(call.index);
  for (const std::string& name : names) {
    if (!IsPattern(name)) continue;
    return BadArgument("Wildcard expressions or all indices are not allowed");
  }
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  for (const auto& index : indexes) PMDEX_RETURN_IF_ERROR(writing->Remove(index->name));
  return ApiAnswer{200, {{"acknowledged", true}}, {}};
}

ApiAnswerOr AnswerPutMapping(const ApiCall& call) {
  PMDEX_RETURN_IF_ERROR(call.parameters.Time("timeout").status());
  if (!call.body.is_object()) {
    return InvalidRequest("mapping source is missing");
  }
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  for (const auto& selected : indexes) {
    PMDEX_ASSIGN_OR_RETURN(const auto index, writing->Find(selected->name));
    PMDEX_RETURN_IF_ERROR(index->AddMappings(call.body));
  }
  return ApiAnswer{200, {{"acknowledged", true}}, {}};
}

ApiAnswerOr AnswerRefresh(const ApiCall& call) {
  for (const char* name : {"force", "wait_if_ongoing"}) {
    PMDEX_RETURN_IF_ERROR(call.parameters.Switch(name, false).status());
  }
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  for (const auto& selected : indexes) {
    if (call.state.writing == nullptr) break;
    const auto index = call.state.writing->FindOpen(selected->name);
    if (index != nullptr) PMDEX_RETURN_IF_ERROR(index->Refresh());
  }
  return ShardsAnswer(indexes.size());
}

ApiAnswerOr AnswerForceMerge(const ApiCall& call) {
  for (const char* name : {"flush", "wait_for_completion"}) {
    PMDEX_ASSIGN_OR_RETURN(const bool is_set, call.parameters.Switch(name, true));
    if (is_set) continue;
    return BadArgument(absl::StrCat("[", name, "] takes only [true]"));
  }
  PMDEX_ASSIGN_OR_RETURN(const auto most, call.parameters.Integer("max_num_segments"));
  MergeIndexOptions options;
  if (most.has_value() && *most != -1) {
    if (*most < 1) return BadArgument("max_num_segments must be -1 or at least 1");
    options.max_segments = static_cast<size_t>(*most);
  }
  PMDEX_ASSIGN_OR_RETURN(WritableIndexes* const writing, WritingOf(call));
  PMDEX_ASSIGN_OR_RETURN(const SelectedIndexes indexes, SelectedBy(call));
  for (const auto& selected : indexes) {
    PMDEX_ASSIGN_OR_RETURN(const auto index, writing->Find(selected->name));
    PMDEX_RETURN_IF_ERROR(index->Merge(options));
  }
  return ShardsAnswer(indexes.size());
}

}  // namespace pmdex
