#include "engine/ingest/resume/build_progress.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/problem_kind.h"
#include "engine/ingest/resume/progress_bytes.h"

namespace pmdex {
namespace {

constexpr uint64_t kProgressVersion = 5;
// It has no number of replaced documents.
constexpr uint64_t kVersionWithoutUpdated = 4;
// It has no times of lines either.
constexpr uint64_t kVersionWithoutTimes = 3;
// It has names of fields, which are settled, and no types.
constexpr uint64_t kVersionOfNames = 2;
constexpr uint64_t kVersionWithoutFields = 1;

// What is kept of a field besides its name: bits of a number.
constexpr uint64_t kFieldIsLate = 1;
constexpr uint64_t kFieldHasType = 2;
constexpr uint64_t kFieldHasPosition = 4;  // two numbers follow: ordinal and line
constexpr unsigned kTypeShift = 3;
constexpr unsigned kValuesShift = 7;
constexpr uint64_t kTypeMask = 0xf;

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

uint64_t NumberOfField(const KnownField& field) {
  uint64_t number = field.is_late ? kFieldIsLate : 0;
  if (field.decided_at.has_value()) number |= kFieldHasPosition;
  if (field.spec.has_value()) {
    number |= kFieldHasType | static_cast<uint64_t>(field.spec->type) << kTypeShift |
              static_cast<uint64_t>(field.spec->values) << kValuesShift;
  }
  return number;
}

std::optional<KnownField> FieldOfNumber(uint64_t number) {
  KnownField field;
  field.is_late = (number & kFieldIsLate) != 0;
  if ((number & kFieldHasType) == 0) return field;
  const auto type = FieldTypeOf(static_cast<uint32_t>(number >> kTypeShift & kTypeMask));
  const uint64_t values = number >> kValuesShift;
  if (!type.has_value() || values > static_cast<uint64_t>(Multiplicity::kMany)) return std::nullopt;
  field.spec = FieldSpec{*type, static_cast<Multiplicity>(values)};
  return field;
}

void EncodeFields(const BuildProgress& progress, ProgressWriter& out) {
  out.Number(progress.fields_are_settled ? 1 : 0);
  out.Number(progress.fields.size());
  for (const auto& [name, field] : progress.fields) {
    out.String(name);
    out.Number(NumberOfField(field));
    if (!field.decided_at.has_value()) continue;
    out.Number(field.decided_at->ordinal);
    out.Number(field.decided_at->line);
  }
  out.Number(progress.bad_values.size());
  for (const auto& [name, count] : progress.bad_values) {
    out.String(name);
    out.Number(count);
  }
}

void DecodeFields(ProgressReader& in, BuildProgress& progress) {
  progress.fields_are_settled = in.Number() != 0;
  for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
    const std::string name(in.String());
    const uint64_t number = in.Number();
    auto field = FieldOfNumber(number);
    if (!field.has_value()) return in.Fail();
    if ((number & kFieldHasPosition) != 0) {
      const uint64_t ordinal = in.Number();
      field->decided_at = InputPosition{ordinal, in.Number()};
    }
    progress.fields.emplace(name, *field);
  }
  for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
    const std::string name(in.String());
    progress.bad_values.emplace(name, in.Number());
  }
}

// What an earlier version of the program has settled: all of them were text.
void DecodeNames(ProgressReader& in, BuildProgress& progress) {
  progress.fields_are_settled = true;
  for (uint64_t left = in.Count(); left > 0 && !in.failed(); --left) {
    progress.fields.emplace(in.String(), KnownField::Of(FieldSpec()));
  }
}

}  // namespace

std::vector<std::byte> EncodeBuildProgress(const BuildProgress& progress) {
  ProgressWriter out;
  const bool is_plain =
      progress.fields.empty() && progress.bad_values.empty() && progress.orders.empty();
  const bool has_times = HasTimes(progress.watermark);
  const bool has_updated = progress.updated > 0;
  out.Number(has_updated ? kProgressVersion
             : has_times ? kVersionWithoutUpdated
             : is_plain  ? kVersionWithoutFields
                         : kVersionWithoutTimes);
  out.Number(progress.documents);
  out.Number(progress.tokens);
  out.Number(progress.bytes_in);
  out.Number(progress.segments);
  EncodeProblems(progress.problems, out);
  EncodeWatermark(progress.watermark, out);
  if (has_updated || has_times || !is_plain) {
    EncodeFields(progress, out);
    EncodeInputOrders(progress.orders, out);
  }
  if (has_updated || has_times) EncodeTimes(progress.watermark, out);
  if (has_updated) out.Number(progress.updated);
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
  if (version == kVersionOfNames) DecodeNames(in, progress);
  if (version >= kVersionWithoutTimes) {
    DecodeFields(in, progress);
    auto orders = DecodeInputOrders(in);
    if (orders.has_value()) progress.orders = *std::move(orders);
  }
  if (version >= kVersionWithoutUpdated && watermark.has_value()) {
    watermark = DecodeTimes(in, *std::move(watermark));
  }
  if (version == kProgressVersion) progress.updated = in.Number();
  if (!watermark.has_value() || !in.at_end() || in.failed()) {
    return DataLoss("the progress of the unfinished build makes no sense");
  }
  progress.watermark = *std::move(watermark);
  return progress;
}

}  // namespace pmdex
