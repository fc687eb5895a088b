#include "engine/ingest/resume/build_progress.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/problem_kind.h"
#include "engine/ingest/resume/progress_bytes.h"

namespace pmdex {
namespace {

// Which only a build needs that replaces documents, or that has too many fields.
constexpr uint64_t kProgressVersion = 3;
constexpr uint64_t kVersionWithFields = 2;
constexpr uint64_t kVersionWithoutFields = 1;

std::optional<ProblemKind> ProblemKindOf(std::string_view name) {
  for (const ProblemKind kind : kAllProblemKinds) {
    if (ToString(kind) == name) return kind;
  }
  return std::nullopt;
}

void EncodeProblems(const ProblemSummaries& problems, ProgressWriter& out) {
  out.Number(problems.size());
  for (const auto& [kind, summary] : problems) {
    out.String(ToString(kind));
    out.Number(summary.count);
    out.Number(summary.first_places.size());
    for (const std::string& place : summary.first_places) out.String(place);
  }
}

ProblemSummaries DecodeProblems(ProgressReader& in) {
  ProblemSummaries problems;
  for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
    const std::optional<ProblemKind> kind = ProblemKindOf(in.String());
    ProblemSummary summary;
    summary.count = in.Number();
    for (uint64_t places = in.Count(); places > 0 && !in.failed(); --places) {
      summary.first_places.emplace_back(in.String());
    }
    if (!kind.has_value()) {
      in.Fail();
      break;
    }
    problems.emplace(*kind, std::move(summary));
  }
  return problems;
}

}  // namespace

std::vector<std::byte> EncodeBuildProgress(const BuildProgress& progress) {
  ProgressWriter out;
  const uint64_t version = !progress.orders.empty()   ? kProgressVersion
                           : !progress.fields.empty() ? kVersionWithFields
                                                      : kVersionWithoutFields;
  out.Number(version);
  out.Number(progress.documents);
  out.Number(progress.tokens);
  out.Number(progress.bytes_in);
  out.Number(progress.segments);
  EncodeProblems(progress.problems, out);
  EncodeWatermark(progress.watermark, out);
  if (version >= kVersionWithFields) {
    out.Number(progress.fields.size());
    for (const std::string& name : progress.fields) out.String(name);
  }
  if (version >= kProgressVersion) EncodeInputOrders(progress.orders, out);
  return out.Take();
}

absl::StatusOr<BuildProgress> DecodeBuildProgress(std::span<const std::byte> bytes) {
  BuildProgress progress;
  if (bytes.empty()) return progress;
  ProgressReader in(bytes);
  const uint64_t version = in.Number();
  if (!in.failed() && version > kProgressVersion) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrCat("the progress of the unfinished build is of version ", version,
                                   ", newer than this pmdex reads (", kProgressVersion, ")"));
  }
  progress.documents = in.Number();
  progress.tokens = in.Number();
  progress.bytes_in = in.Number();
  progress.segments = in.Number();
  progress.problems = DecodeProblems(in);
  auto watermark = DecodeWatermark(in);
  if (version >= kVersionWithFields) {
    for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
      progress.fields.emplace_back(in.String());
    }
  }
  if (version >= kProgressVersion) {
    auto orders = DecodeInputOrders(in);
    if (orders.has_value()) progress.orders = *std::move(orders);
  }
  if (!watermark.has_value() || !in.at_end() || in.failed()) {
    return DataLoss("the progress of the unfinished build makes no sense");
  }
  progress.watermark = *std::move(watermark);
  return progress;
}

}  // namespace pmdex
