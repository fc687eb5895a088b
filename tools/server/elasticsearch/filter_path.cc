#include "tools/server/elasticsearch/filter_path.h"

#include <optional>
#include <string_view>

#include "tools/server/elasticsearch/name_pattern.h"

namespace pmdex {
namespace {

using PathParts = std::vector<std::string>;

PathParts SplitPath(std::string_view pattern) {
  PathParts parts;
  while (true) {
    const size_t dot = pattern.find('.');
    parts.emplace_back(pattern.substr(0, dot));
    if (dot == pattern.npos) return parts;
    pattern.remove_prefix(dot + 1);
  }
}

// A place in a pattern: the parts before it have matched.
struct PathState {
  const PathParts* parts = nullptr;
  size_t next = 0;
  bool is_done() const { return next == parts->size(); }
};
using PathStates = std::vector<PathState>;

void AddState(PathState state, PathStates& states) {
  states.push_back(state);
  // `**` may stand for no part at all.
  if (!state.is_done() && (*state.parts)[state.next] == "**") {
    AddState({state.parts, state.next + 1}, states);
  }
}

PathStates Start(const std::vector<PathParts>& patterns) {
  PathStates states;
  for (const PathParts& parts : patterns) AddState({&parts, 0}, states);
  return states;
}

PathStates Step(const PathStates& states, std::string_view key) {
  PathStates stepped;
  for (const PathState& state : states) {
    if (state.is_done()) continue;
    const std::string& part = (*state.parts)[state.next];
    if (part == "**") {
      AddState(state, stepped);
    } else if (MatchesNamePattern(part, key)) {
      AddState({state.parts, state.next + 1}, stepped);
    }
  }
  return stepped;
}

bool IsMatch(const PathStates& states) {
  for (const PathState& state : states) {
    if (state.is_done()) return true;
  }
  return false;
}

// What is left of the value; nullopt if nothing. all: the value is included as a whole.
std::optional<Json> Keep(const Json& value, const PathStates& includes, const PathStates& excludes,
                         bool all) {
  if (all && excludes.empty()) return value;
  if (!all && includes.empty()) return std::nullopt;
  if (value.is_binary()) {  // RawJson, which is parsed only where a pattern may reach into it
    Json parsed = value;
    ParseRawJson(parsed);
    return Keep(parsed, includes, excludes, all);
  }
  if (value.is_array()) {
    Json kept = Json::array();
    for (const Json& element : value) {
      auto part = Keep(element, includes, excludes, all);
      if (part.has_value()) kept.push_back(*std::move(part));
    }
    if (kept.empty() && !all) return std::nullopt;
    return kept;
  }
  if (!value.is_object()) return all ? std::optional<Json>(value) : std::nullopt;
  Json kept = Json::object();
  for (const auto& [key, member] : value.items()) {
    const PathStates excluded = Step(excludes, key);
    if (IsMatch(excluded)) continue;
    const PathStates included = Step(includes, key);
    auto part = Keep(member, included, excluded, all || IsMatch(included));
    if (part.has_value()) kept[key] = *std::move(part);
  }
  if (kept.empty() && !all) return std::nullopt;
  return kept;
}

}  // namespace

Json FilteredByPath(const Json& answer, const std::vector<std::string>& patterns) {
  std::vector<PathParts> includes;
  std::vector<PathParts> excludes;
  for (const std::string& pattern : patterns) {
    const bool is_exclude = pattern.starts_with('-');
    (is_exclude ? excludes : includes)
        .push_back(SplitPath(std::string_view(pattern).substr(is_exclude ? 1 : 0)));
  }
  return Keep(answer, Start(includes), Start(excludes), includes.empty()).value_or(Json::object());
}

}  // namespace pmdex
