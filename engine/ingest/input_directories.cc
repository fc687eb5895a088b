#include "engine/ingest/input_directories.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "engine/ingest/reading/input_file.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// A directory and the relative inputs of the builds in it.
using InputsOfDirectory = std::pair<std::string, std::vector<std::string>>;

void AddOnce(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

// What no zero ends is left out.
std::vector<InputsOfDirectory> DecodeDirectories(std::string_view value) {
  std::vector<InputsOfDirectory> directories;
  bool is_open = false;
  for (size_t end = value.find('\0'); end != value.npos; end = value.find('\0')) {
    const std::string path(value.substr(0, end));
    value.remove_prefix(end + 1);
    if (!is_open) {
      directories.emplace_back(path, std::vector<std::string>());
    } else if (!path.empty()) {
      directories.back().second.push_back(path);
    }
    is_open = !is_open || !path.empty();
  }
  return directories;
}

std::string EncodeDirectories(const std::vector<InputsOfDirectory>& directories) {
  std::string value;
  for (const auto& [directory, inputs] : directories) {
    value += directory;
    value += '\0';
    for (const std::string& input : inputs) {
      value += input;
      value += '\0';
    }
    value += '\0';
  }
  return value;
}

void Add(const InputsOfDirectory& added, std::vector<InputsOfDirectory>& directories) {
  auto at = std::find_if(directories.begin(), directories.end(),
                         [&](const auto& known) { return known.first == added.first; });
  if (at == directories.end()) {
    at = directories.insert(at, {added.first, std::vector<std::string>()});
  }
  std::vector<std::string>& inputs = at->second;
  inputs.insert(inputs.end(), added.second.begin(), added.second.end());
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
}

std::string_view WithoutEndSlashes(std::string_view path) {
  return path.substr(0, path.find_last_not_of('/') + 1);
}

}  // namespace

std::string AddInputDirectory(const std::string& before, const std::string& directory,
                              const std::vector<std::string>& inputs) {
  InputsOfDirectory added = {directory, {}};
  for (const std::string& input : inputs) {
    const std::string_view plain = WithoutEndSlashes(input);
    if (plain.empty() || plain.starts_with('/') || plain == kStandardInput) continue;
    added.second.emplace_back(plain);
  }
  std::vector<InputsOfDirectory> directories = DecodeDirectories(before);
  Add(added, directories);
  return EncodeDirectories(directories);
}

std::string AddWorkingDirectory(const std::string& before, const std::vector<std::string>& inputs) {
  std::error_code error;
  const std::string directory = std::filesystem::current_path(error).string();
  return error ? before : AddInputDirectory(before, directory, inputs);
}

std::string InputDirectoriesText(const std::string& value) {
  std::string text;
  for (const auto& [directory, inputs] : DecodeDirectories(value)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", directory);
    if (!inputs.empty()) absl::StrAppend(&text, " (", absl::StrJoin(inputs, ", "), ")");
  }
  return text;
}

std::string JoinInputDirectories(const std::string& a, const std::string& b) {
  std::vector<InputsOfDirectory> directories = DecodeDirectories(a);
  for (const InputsOfDirectory& added : DecodeDirectories(b)) Add(added, directories);
  return EncodeDirectories(directories);
}

InputDirectories::InputDirectories(const Manifest& manifest) {
  const auto property = manifest.properties.find(kInputDirectoriesProperty);
  if (property == manifest.properties.end()) return;
  for (const auto& [directory, inputs] : DecodeDirectories(property->second)) {
    const std::string prefix = directory.ends_with('/') ? directory : directory + '/';
    AddOnce(prefix, all_);
    for (const std::string& input : inputs) AddOnce(prefix, by_input_[input]);
  }
  all_.emplace_back();
  for (auto& [input, prefixes] : by_input_) prefixes.emplace_back();
}

std::span<const std::string> InputDirectories::PrefixesOf(std::string_view path) const {
  static const std::string kNothing[1];
  if (all_.empty() || path.starts_with('/')) return kNothing;
  // A colon is what the id of a line has behind its file.
  for (std::string_view input = path; !by_input_.empty() && !input.empty();) {
    const auto found = by_input_.find(ToAbsl(input));
    if (found != by_input_.end()) return found->second;
    const size_t end = input.find_last_of("/:");
    input = input.substr(0, end == input.npos ? 0 : end);
  }
  return all_;
}

}  // namespace pmdex
