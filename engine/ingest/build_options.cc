#include "engine/ingest/build_options.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/ingest/reading/input_file.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// As a shell takes it for one word, so that no two lists of words look the same.
std::string Quoted(const std::string& word) {
  constexpr std::string_view kPlain = "%+,-./:=@_";
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kPlain.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\n') {
      quoted += "'$'\\n''";  // an error is one line
    } else if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string_view OnOff(bool value) {
  return value ? "on" : "off";
}

std::string_view WordFor(Multiplicity values) {
  if (values == Multiplicity::kOpen) return "";
  return values == Multiplicity::kOne ? ":one" : ":many";
}

}  // namespace

std::string DescribeBuild(const IngestOptions& options) {
  std::string text = absl::StrCat("--format ", ToAbsl(ToString(options.format)), " --analyzer ",
                                  ToAbsl(ToString(options.settings.analyzer)), " --positions ",
                                  ToAbsl(OnOff(options.settings.positions)), " --store ",
                                  ToAbsl(OnOff(options.settings.store_text)), " --id-field ",
                                  Quoted(options.id_field));
  if (options.update) absl::StrAppend(&text, " --update");
  if (options.attributes) absl::StrAppend(&text, " --attributes");
  for (const std::string& field : options.fields) {
    absl::StrAppend(&text, " --fields ", Quoted(field));
  }
  for (const auto& [name, spec] : options.schema) {
    absl::StrAppend(&text, " --schema ", Quoted(name), ":", ToAbsl(ToString(spec.type)),
                    ToAbsl(WordFor(spec.values)));
  }
  if (!options.log_zone.empty()) {
    absl::StrAppend(&text, " --log-time --log-zone ", Quoted(options.log_zone));
  }
  bool relative = false;
  for (const std::string& input : options.inputs) {
    absl::StrAppend(&text, " ", Quoted(input));
    relative = relative || (input != kStandardInput && !input.starts_with('/'));
  }
  if (relative) {
    std::error_code error;
    absl::StrAppend(&text, " # in ", Quoted(std::filesystem::current_path(error).string()));
  }
  return text;
}

std::vector<std::string> DecodeFileRoots(std::string_view value) {
  std::vector<std::string> roots;
  for (size_t end = value.find('\0'); end != std::string_view::npos; end = value.find('\0')) {
    roots.emplace_back(value.substr(0, end));
    value.remove_prefix(end + 1);
  }
  return roots;
}

std::string AddFileRoots(std::string before, const std::vector<std::string>& inputs) {
  std::vector<std::string> roots = DecodeFileRoots(before);
  for (const std::string& input : inputs) {
    if (input == kStandardInput || std::find(roots.begin(), roots.end(), input) != roots.end()) {
      continue;
    }
    roots.push_back(input);
    before += input;
    before += '\0';
  }
  return before;
}

std::string EncodeBuildTotals(const IngestReport& report) {
  std::string text = absl::StrFormat("%d documents, %d skipped, %d bytes, %d tokens, %d segments",
                                     report.documents, report.skipped, report.bytes_in,
                                     report.tokens, report.segments);
  if (report.updated > 0) absl::StrAppend(&text, ", ", report.updated, " updated");
  return text;
}

IngestReport ReportOfFinishedBuild(const Manifest& manifest) {
  const auto totals = manifest.properties.find(kBuildTotalsProperty);
  IngestReport read;
  constexpr int kFewestNumbers = 5;  // the last one is there only if it is not 0
  if (totals == manifest.properties.end() ||
      std::sscanf(totals->second.c_str(),
                  "%" SCNu64 " documents, %" SCNu64 " skipped, %" SCNu64 " bytes, %" SCNu64
                  " tokens, %" SCNu64 " segments, %" SCNu64 " updated",
                  &read.documents, &read.skipped, &read.bytes_in, &read.tokens, &read.segments,
                  &read.updated) < kFewestNumbers) {
    return {};
  }
  read.resumed_documents = read.documents;
  return read;
}

}  // namespace pmdex
