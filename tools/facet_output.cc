#include "tools/facet_output.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/text.h"
#include "tools/command.h"
#include "tools/facet_flag.h"
#include "tools/printable.h"
#include "tools/sort_values.h"

namespace pmdex {
namespace {

void WriteBucket(const AggregationBucket& bucket, bool is_range, JsonWriter& json) {
  json.BeginObject();
  if (is_range) {
    if (bucket.from.has_value()) WriteValue(*bucket.from, json.Key("from"));
    if (bucket.to.has_value()) WriteValue(*bucket.to, json.Key("to"));
  } else {
    WriteValue(bucket.key, json.Key("key"));
  }
  json.Key("count").Uint(bucket.count);
  if (!bucket.below.empty()) WriteFacets(bucket.below, json.Key("facets"));
  json.EndObject();
}

const DocValue& ShownNumber(const AggregationResult& facet) {
  switch (*facet.shown) {
    case MetricName::Part::kMin:
      return facet.stats.min;
    case MetricName::Part::kMax:
      return facet.stats.max;
    case MetricName::Part::kAvg:
      return facet.stats.avg;
    default:
      return facet.stats.sum;
  }
}

void WriteStats(const AggregationResult& facet, JsonWriter& json) {
  if (facet.shown.has_value()) return WriteValue(ShownNumber(facet), json.Key("value"));
  const StatsResult& stats = facet.stats;
  WriteValue(stats.min, json.Key("min"));
  WriteValue(stats.max, json.Key("max"));
  WriteValue(stats.avg, json.Key("avg"));
  WriteValue(stats.sum, json.Key("sum"));
  json.Key("count").Uint(stats.count);
}

void WritePercentiles(const AggregationResult& facet, JsonWriter& json) {
  json.Key("values").BeginObject();
  for (size_t i = 0; i < facet.percents.size(); ++i) {
    WriteValue(facet.percentiles[i], json.Key(absl::StrCat(facet.percents[i])));
  }
  json.EndObject();
}

void WriteFacet(const AggregationResult& facet, JsonWriter& json) {
  json.BeginObject();
  json.Key("field").String(facet.field);
  json.Key("type").String(FacetTypeName(facet));
  json.Key("exact").Bool(facet.exact);
  switch (facet.kind) {
    case AggregationKind::kStats:
      WriteStats(facet, json);
      break;
    case AggregationKind::kCardinality:
      json.Key("value").Uint(facet.cardinality);
      break;
    case AggregationKind::kPercentiles:
      WritePercentiles(facet, json);
      break;
    default:
      json.Key("buckets").BeginArray();
      for (const AggregationBucket& bucket : facet.buckets) {
        WriteBucket(bucket, facet.kind == AggregationKind::kRange, json);
      }
      json.EndArray();
      if (facet.kind == AggregationKind::kTerms) json.Key("other").Uint(facet.other_count);
  }
  json.EndObject();
}

std::string ValueText(const DocValue& value) {
  if (value.type == FieldType::kKeyword) return Printable(value.keyword);
  JsonWriter json;
  WriteValue(value, json);
  std::string text = json.result();
  std::erase(text, '"');
  return text;
}

// "1024 to 2048" for a range, and the key for other buckets.
std::string BucketName(const AggregationResult& facet, const AggregationBucket& bucket) {
  if (facet.kind != AggregationKind::kRange) return ValueText(bucket.key);
  return absl::StrCat(bucket.from.has_value() ? ValueText(*bucket.from) : "*", " to ",
                      bucket.to.has_value() ? ValueText(*bucket.to) : "*");
}

std::string NumbersLine(const AggregationResult& facet) {
  std::string line;
  if (facet.kind == AggregationKind::kCardinality) {
    return absl::StrCat(facet.exact ? " " : " about ", WithThousands(facet.cardinality));
  }
  for (size_t i = 0; i < facet.percentiles.size(); ++i) {
    absl::StrAppend(&line, i == 0 ? " " : ", ", facet.percents[i],
                    "%: ", ValueText(facet.percentiles[i]));
  }
  if (facet.shown.has_value()) return " " + ValueText(ShownNumber(facet));
  if (facet.kind == AggregationKind::kStats) {
    const StatsResult& stats = facet.stats;
    line = absl::StrCat(" min ", ValueText(stats.min), ", max ", ValueText(stats.max), ", avg ",
                        ValueText(stats.avg), ", sum ", ValueText(stats.sum), ", count ",
                        WithThousands(stats.count));
  }
  return line;
}

}  // namespace

void WriteFacets(const std::vector<AggregationResult>& facets, JsonWriter& json) {
  json.BeginArray();
  for (const AggregationResult& facet : facets) WriteFacet(facet, json);
  json.EndArray();
}

void AppendFacets(const std::vector<AggregationResult>& facets, int depth, std::string& out) {
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  for (const AggregationResult& facet : facets) {
    absl::StrAppend(&out, indent, Printable(facet.field), " (", ToAbsl(FacetTypeName(facet)),
                    "):", NumbersLine(facet), "\n");
    for (const AggregationBucket& bucket : facet.buckets) {
      absl::StrAppend(
          &out, indent,
          absl::StrFormat("%12s  %s\n", WithThousands(bucket.count), BucketName(facet, bucket)));
      AppendFacets(bucket.below, depth + 7, out);
    }
    if (facet.other_count != 0) {
      absl::StrAppend(&out, indent,
                      absl::StrFormat("%12s  in others\n", WithThousands(facet.other_count)));
    }
  }
}

}  // namespace pmdex
