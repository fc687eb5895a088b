#include "tools/facet_flag.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

struct FacetType {
  std::string_view name;
  AggregationKind kind;
  std::optional<MetricName::Part> shown = std::nullopt;  // of kStats
};
constexpr FacetType kFacetTypes[] = {
    {"terms", AggregationKind::kTerms},
    {"histogram", AggregationKind::kHistogram},
    {"date_histogram", AggregationKind::kDateHistogram},
    {"range", AggregationKind::kRange},
    {"stats", AggregationKind::kStats},
    {"min", AggregationKind::kStats, MetricName::Part::kMin},
    {"max", AggregationKind::kStats, MetricName::Part::kMax},
    {"avg", AggregationKind::kStats, MetricName::Part::kAvg},
    {"sum", AggregationKind::kStats, MetricName::Part::kSum},
    {"cardinality", AggregationKind::kCardinality},
    {"percentiles", AggregationKind::kPercentiles},
};

// The most terms that a facet may show.
constexpr size_t kMostTerms = 10'000;
constexpr size_t kMostRanges = 1'000;

absl::Status BadFacet(std::string_view text, std::string_view why) {
  return InvalidArgument(absl::StrCat("facet '", ToAbsl(text), "': ", ToAbsl(why)));
}

// nullptr: no type has this name.
const FacetType* TypeNamed(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFacetTypes), std::end(kFacetTypes),
                   [name](const FacetType& type) { return type.name == name; });
  return found == std::end(kFacetTypes) ? nullptr : found;
}

// A number that may end in K, M, G or T, which are powers of 1,024 as in queries.
std::optional<double> ParseInterval(std::string_view text) {
  double scale = 1;
  constexpr std::string_view kUnits = "KMGT";
  if (!text.empty() && kUnits.find(text.back()) != kUnits.npos) {
    for (size_t i = 0; i <= kUnits.find(text.back()); ++i) scale *= 1024;
    text.remove_suffix(1);
  }
  double number = 0;
  if (!absl::SimpleAtod(ToAbsl(text), &number)) return std::nullopt;
  return number * scale;
}

// True of two numbers of which the second is the lesser one. Dates are not compared.
bool Descend(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  if (!a.has_value() || !b.has_value()) return false;
  const std::optional<double> low = ParseInterval(*a);
  const std::optional<double> high = ParseInterval(*b);
  return low.has_value() && high.has_value() && *low > *high;
}

absl::Status ReadRanges(std::string_view text, std::string_view argument, Aggregation& facet) {
  std::vector<std::optional<std::string>> bounds;
  for (const absl::string_view bound : absl::StrSplit(ToAbsl(argument), ',')) {
    bounds.emplace_back(std::string(bound));
    if (bound == "*") bounds.back().reset();
  }
  if (bounds.size() < 2 || bounds.size() > kMostRanges) {
    return BadFacet(text, "a range has 2 to 1000 bounds: FIELD:range:A,B,C");
  }
  for (size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (Descend(bounds[i], bounds[i + 1])) {
      return BadFacet(text, "the bounds of a range do not descend");
    }
    facet.ranges.push_back({"", bounds[i], bounds[i + 1]});
  }
  return absl::OkStatus();
}

absl::Status ReadPercents(std::string_view text, std::string_view argument, Aggregation& facet) {
  facet.percents = {1, 5, 25, 50, 75, 95, 99};
  if (argument.empty()) return absl::OkStatus();
  facet.percents.clear();
  for (const absl::string_view part : absl::StrSplit(ToAbsl(argument), ',')) {
    double percent = 0;
    if (!absl::SimpleAtod(part, &percent) || !(percent >= 0 && percent <= 100)) {
      return BadFacet(text, "percentiles are numbers from 0 to 100");
    }
    const bool is_new =
        std::find(facet.percents.begin(), facet.percents.end(), percent) == facet.percents.end();
    if (is_new) facet.percents.push_back(percent);
  }
  return absl::OkStatus();
}

absl::Status ReadArgument(std::string_view text, std::string_view argument, Aggregation& facet) {
  switch (facet.kind) {
    case AggregationKind::kTerms: {
      if (argument.empty()) return absl::OkStatus();
      const auto [end, error] =
          std::from_chars(argument.data(), argument.data() + argument.size(), facet.size);
      const bool is_number = error == std::errc() && end == argument.data() + argument.size();
      if (is_number && facet.size >= 1 && facet.size <= kMostTerms) return absl::OkStatus();
      return BadFacet(text, "the number of terms is 1 to 10000");
    }
    case AggregationKind::kHistogram: {
      facet.min_doc_count = 0;
      if (argument.empty()) return absl::OkStatus();
      const std::optional<double> interval = ParseInterval(argument);
      if (!interval.has_value() || !(*interval > 0)) {
        return BadFacet(text, "the interval is a number greater than 0");
      }
      facet.interval = *interval;
      return absl::OkStatus();
    }
    case AggregationKind::kDateHistogram: {
      facet.min_doc_count = 0;
      if (argument.empty()) return absl::OkStatus();
      PMDEX_ASSIGN_OR_RETURN(facet.date_interval, ParseDateInterval(argument));
      return absl::OkStatus();
    }
    case AggregationKind::kRange:
      return ReadRanges(text, argument, facet);
    case AggregationKind::kPercentiles:
      return ReadPercents(text, argument, facet);
    default:
      return argument.empty() ? absl::OkStatus() : BadFacet(text, "this type takes no argument");
  }
}

// FIELD[:TYPE[:ARGUMENT]]. Names of fields may have colons: the first colon before a type counts.
absl::StatusOr<Aggregation> ParseOne(std::string_view text) {
  Aggregation facet;
  facet.field = text;
  std::string_view argument;
  bool has_type = false;
  for (size_t colon = text.find(':'); colon != text.npos && !has_type;
       colon = text.find(':', colon + 1)) {
    const size_t end = std::min(text.find(':', colon + 1), text.size());
    const FacetType* const type = TypeNamed(text.substr(colon + 1, end - colon - 1));
    if (type == nullptr) continue;
    has_type = true;
    facet.kind = type->kind;
    facet.shown = type->shown;
    facet.field = text.substr(0, colon);
    argument = end < text.size() ? text.substr(end + 1) : "";
  }
  if (facet.field.empty()) return BadFacet(text, "a facet begins with a field");
  if (!has_type && text.find(':') != text.npos) {
    return BadFacet(text,
                    "unknown type (hint: terms, histogram, date_histogram, range, stats, min, "
                    "max, avg, sum, cardinality, percentiles)");
  }
  PMDEX_RETURN_IF_ERROR(ReadArgument(text, argument, facet));
  return facet;
}

bool HasBuckets(const Aggregation& facet) {
  return facet.kind != AggregationKind::kStats && facet.kind != AggregationKind::kCardinality &&
         facet.kind != AggregationKind::kPercentiles;
}

}  // namespace

absl::StatusOr<Aggregation> ParseFacet(std::string_view text) {
  const size_t arrow = text.find('>');
  if (arrow == text.npos) return ParseOne(text);
  const std::string_view inner = text.substr(arrow + 1);
  if (inner.find('>') != inner.npos) return BadFacet(text, "facets nest once");
  PMDEX_ASSIGN_OR_RETURN(Aggregation facet, ParseOne(text.substr(0, arrow)));
  if (!HasBuckets(facet)) {
    return BadFacet(text, "only terms, histograms and ranges have buckets");
  }
  PMDEX_ASSIGN_OR_RETURN(facet.below.emplace_back(), ParseOne(inner));
  return facet;
}

std::string_view FacetTypeName(const AggregationResult& facet) {
  for (const FacetType& type : kFacetTypes) {
    if (type.kind == facet.kind && type.shown == facet.shown) return type.name;
  }
  return "filters";
}

}  // namespace pmdex
