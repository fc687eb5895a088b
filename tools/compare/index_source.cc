#include "tools/compare/index_source.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"

#include "tools/child_process.h"

namespace pmdex {
namespace {

namespace fs = std::filesystem;

// The error of a command without "pmdex: error: " and without the end of the line.
std::string ErrorOf(const ChildResult& run) {
  constexpr std::string_view kLabel = "pmdex: error: ";
  std::string text = run.messages.substr(0, run.messages.find_last_not_of('\n') + 1);
  const size_t label = text.rfind(kLabel);
  if (label != std::string::npos) text = text.substr(label + kLabel.size());
  return text.empty() ? absl::StrCat("exit status ", run.exit_status) : text;
}

absl::StatusOr<ChildResult> RunCommand(const std::vector<std::string>& arguments) {
  PMDEX_ASSIGN_OR_RETURN(ChildResult run, RunChild(arguments));
  if (run.exit_status == 0) return run;
  return MakeStatus(absl::StatusCode::kFailedPrecondition,
                    absl::StrCat("pmdex ", arguments[1], ": ", ErrorOf(run)));
}

absl::StatusOr<MadeIndex> Build(const IndexOrder& order) {
  // --resume makes the build done: it begins, goes on, or finds it finished.
  std::vector<std::string> arguments = {order.program, "index"};
  arguments.insert(arguments.end(), order.inputs.begin(), order.inputs.end());
  for (const std::string& word :
       {std::string("--index"), order.place, std::string("--tier"), order.tier,
        std::string("--format"), order.format, std::string("--resume"), std::string("--json")}) {
    arguments.push_back(word);
  }
  if (order.threads > 0) {
    arguments.insert(arguments.end(), {"--threads", absl::StrCat(order.threads)});
  }
  PMDEX_ASSIGN_OR_RETURN(const ChildResult run, RunCommand(arguments));
  MadeIndex made{order.place, {}};
  const auto report = nlohmann::json::parse(run.out, nullptr, /*allow_exceptions=*/false);
  if (report.is_object() && report.contains("seconds") && report["seconds"].is_number()) {
    const double seconds = report["seconds"].get<double>();
    if (seconds > 0) made.build_s = seconds;
  }
  return made;
}

// `pmdex copy` brings the segments of all places into one directory. A copy of the files would
// still name the places of the original.
absl::Status CopyWhole(const IndexOrder& order) {
  std::error_code error;
  fs::remove_all(order.place, error);  // what an interrupted run left
  if (error) return ErrnoStatus(error.value(), order.place);
  return RunCommand({order.program, "copy", order.place, "--index", order.copy_of, "--quiet"})
      .status();
}

absl::StatusOr<std::string> TierAt(const std::string& path) {
  PMDEX_ASSIGN_OR_RETURN(const auto directory, OpenFileDirectory(path, {}));
  PMDEX_ASSIGN_OR_RETURN(const auto snapshot, Snapshot::Open(*directory));
  return TierOf(*snapshot);
}

absl::StatusOr<MadeIndex> Copy(const IndexOrder& order) {
  PMDEX_RETURN_IF_ERROR(CopyWhole(order));
  PMDEX_ASSIGN_OR_RETURN(const std::string tier, TierAt(order.place));
  if (tier != order.tier) {
    const std::string verb = order.tier == "compressed" ? "demote" : "promote";
    PMDEX_RETURN_IF_ERROR(
        RunCommand({order.program, "tier", verb, "--all", "--index", order.place}).status());
  }
  return MadeIndex{order.place, {}};
}

}  // namespace

absl::StatusOr<MadeIndex> MakeIndex(const IndexOrder& order) {
  return order.inputs.empty() ? Copy(order) : Build(order);
}

std::string TierOf(const Snapshot& snapshot) {
  size_t compressed = 0;
  for (const auto& segment : snapshot.segments()) compressed += segment->is_compressed() ? 1 : 0;
  if (compressed == 0) return "uncompressed";
  return compressed == snapshot.segments().size() ? "compressed" : "mixed";
}

}  // namespace pmdex
