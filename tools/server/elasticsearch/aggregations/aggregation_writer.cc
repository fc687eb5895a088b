#include "tools/server/elasticsearch/aggregations/aggregation_writer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "engine/columns/date_text.h"
#include "tools/json_writer.h"

namespace pmdex {
namespace {

// Of a date, also before 1970, without the fraction.
int64_t MillisecondsOf(const DocValue& date) {
  const int64_t past = date.i64() % kNanosecondsPerMillisecond;
  return date.i64() / kNanosecondsPerMillisecond - (past < 0 ? 1 : 0);
}

// The milliseconds of a date, and what other values are as a double; of dates with a fraction of a
// millisecond, without it.
double NumberOf(const DocValue& value) {
  switch (value.type) {
    case FieldType::kF64:
      return value.f64();
    case FieldType::kI64:
      return static_cast<double>(value.i64());
    case FieldType::kDate:
      return static_cast<double>(MillisecondsOf(value));
    default:
      return static_cast<double>(value.bits);
  }
}

// A number with a fraction, as metrics are shown: 1.0.
Json Real(const DocValue& value) {
  if (value.missing) return nullptr;
  const double number = NumberOf(value);
  return std::isfinite(number) ? Json(number) : Json();
}

// The value itself, as keys of terms are shown.
Json Plain(const DocValue& value) {
  switch (value.type) {
    case FieldType::kKeyword:
      return EscapeBadUtf8(value.keyword);
    case FieldType::kI64:
      return value.i64();
    case FieldType::kDate:
      return MillisecondsOf(value);
    case FieldType::kF64:
      return Real(value);
    default:
      return value.bits;
  }
}

// What a bucket, a value and the names around them take, about.
constexpr uint64_t kBytesAroundText = 64;

class AggregationWriter {
 public:
  // All must outlive the writer.
  AggregationWriter(const ApiAggregation& shown, const AggregationResult& result,
                    AnswerBudget& budget)
      : shown_(shown), result_(result), budget_(budget) {}

  // {"NAME": {...}, ...}; incomplete if the budget was not enough.
  static Json WriteAll(const std::vector<ApiAggregation>& shown,
                       const std::vector<AggregationResult>& results, AnswerBudget& budget) {
    Json out = Json::object();
    for (size_t i = 0; i < shown.size(); ++i) {
      const uint64_t bytes = kBytesAroundText + shown[i].name.size() + shown[i].meta_bytes;
      if (!budget.Take(bytes)) break;
      out[shown[i].name] = AggregationWriter(shown[i], results[i], budget).Write();
    }
    return out;
  }

 private:
  Json Write() const {
    Json out = Json::object();
    if (!shown_.meta.is_null()) out["meta"] = shown_.meta;
    switch (result_.kind) {
      case AggregationKind::kTerms:
        WriteTerms(out);
        break;
      case AggregationKind::kHistogram:
      case AggregationKind::kDateHistogram:
        WriteHistogram(out);
        break;
      case AggregationKind::kRange:
        WriteRanges(out);
        break;
      case AggregationKind::kFilters:
        WriteFilters(out);
        break;
      case AggregationKind::kStats:
        WriteStats(out);
        break;
      case AggregationKind::kCardinality:
        out["value"] = result_.cardinality;
        break;
      case AggregationKind::kPercentiles:
        WritePercentiles(out);
        break;
    }
    return out;
  }

  bool is_date() const { return result_.type == FieldType::kDate; }
  bool is_truth() const { return result_.type == FieldType::kBool; }
  static const char* TruthText(bool value) { return value ? "true" : "false"; }
  std::string DateText(const DocValue& value) const {
    return shown_.format.Format(value.i64(), shown_.zone);
  }

  // The documents of a bucket and what is below it.
  void FinishBucket(const AggregationBucket& bucket, Json& out) const {
    out["doc_count"] = bucket.count;
    out.update(WriteAll(shown_.below, bucket.below, budget_));
  }

  // Buckets as a list, or as an object by their keys.
  static Json Gather(std::vector<std::pair<std::string, Json>>&& buckets, bool keyed) {
    Json out = keyed ? Json::object() : Json::array();
    for (auto& [key, bucket] : buckets) {
      if (keyed) {
        out[key] = std::move(bucket);
      } else {
        out.push_back(std::move(bucket));
      }
    }
    return out;
  }

  void WriteTerms(Json& out) const {
    out["doc_count_error_upper_bound"] = 0;
    out["sum_other_doc_count"] = result_.other_count;
    Json& buckets = out["buckets"] = Json::array();
    for (const AggregationBucket& bucket : result_.buckets) {
      if (!budget_.Take(kBytesAroundText + bucket.key.keyword.size())) return;
      Json& written = buckets.emplace_back(Json::object());
      written["key"] = Plain(bucket.key);
      if (is_date()) written["key_as_string"] = DateText(bucket.key);
      if (bucket.key.type == FieldType::kBool) {
        written["key_as_string"] = TruthText(bucket.key.bits != 0);
      }
      FinishBucket(bucket, written);
    }
  }

  void WriteHistogram(Json& out) const {
    std::vector<std::pair<std::string, Json>> buckets;
    for (const AggregationBucket& bucket : result_.buckets) {
      Json written = Json::object();
      std::string key = is_date() ? DateText(bucket.key) : ToJsonText(Real(bucket.key));
      if (!budget_.Take(kBytesAroundText + 2 * key.size())) return;
      if (is_date()) written["key_as_string"] = key;
      written["key"] = is_date() ? Plain(bucket.key) : Real(bucket.key);
      FinishBucket(bucket, written);
      buckets.emplace_back(std::move(key), std::move(written));
    }
    out["buckets"] = Gather(std::move(buckets), shown_.keyed);
  }

  std::string BoundText(const std::optional<DocValue>& bound) const {
    if (!bound.has_value()) return "*";
    return bound->type == FieldType::kDate ? DateText(*bound) : ToJsonText(Real(*bound));
  }

  // Elasticsearch shows ranges in the order of their bounds.
  void WriteRanges(Json& out) const {
    std::vector<size_t> order(result_.buckets.size());
    std::iota(order.begin(), order.end(), 0);
    const auto bound = [](const std::optional<DocValue>& end, double otherwise) {
      return end.has_value() ? NumberOf(*end) : otherwise;
    };
    std::stable_sort(order.begin(), order.end(), [&](size_t i, size_t j) {
      const AggregationBucket& a = result_.buckets[i];
      const AggregationBucket& b = result_.buckets[j];
      return std::pair(bound(a.from, -HUGE_VAL), bound(a.to, HUGE_VAL)) <
             std::pair(bound(b.from, -HUGE_VAL), bound(b.to, HUGE_VAL));
    });
    std::vector<std::pair<std::string, Json>> buckets;
    for (const size_t i : order) {
      const AggregationBucket& bucket = result_.buckets[i];
      std::string key = shown_.keys[i];
      if (key.empty()) key = BoundText(bucket.from) + "-" + BoundText(bucket.to);
      if (!budget_.Take(2 * kBytesAroundText + 2 * key.size())) return;
      Json written = Json::object();
      if (!shown_.keyed) written["key"] = key;
      if (bucket.from.has_value()) written["from"] = Real(*bucket.from);
      if (bucket.from.has_value() && is_date()) written["from_as_string"] = DateText(*bucket.from);
      if (bucket.to.has_value()) written["to"] = Real(*bucket.to);
      if (bucket.to.has_value() && is_date()) written["to_as_string"] = DateText(*bucket.to);
      FinishBucket(bucket, written);
      buckets.emplace_back(std::move(key), std::move(written));
    }
    out["buckets"] = Gather(std::move(buckets), shown_.keyed);
  }

  void WriteFilters(Json& out) const {
    if (shown_.type == "filter") return FinishBucket(result_.buckets[0], out);
    std::vector<std::pair<std::string, Json>> buckets;
    for (size_t i = 0; i < result_.buckets.size(); ++i) {
      if (!budget_.Take(kBytesAroundText + shown_.keys[i].size())) return;
      Json written = Json::object();
      FinishBucket(result_.buckets[i], written);
      buckets.emplace_back(shown_.keys[i], std::move(written));
    }
    out["buckets"] = Gather(std::move(buckets), shown_.keyed);
  }

  void WriteMetric(const std::string& name, const DocValue& value, Json& out) const {
    out[name] = Real(value);
    if (is_truth() && !value.missing) out[name + "_as_string"] = TruthText(NumberOf(value) != 0);
    if (value.type == FieldType::kDate && !value.missing) {
      std::string text = DateText(value);
      if (budget_.Take(text.size())) out[name + "_as_string"] = std::move(text);
    }
  }

  void WriteStats(Json& out) const {
    const StatsResult& stats = result_.stats;
    if (shown_.type == "value_count") out["value"] = stats.count;
    if (shown_.type == "min") WriteMetric("value", stats.min, out);
    if (shown_.type == "max") WriteMetric("value", stats.max, out);
    if (shown_.type == "avg") WriteMetric("value", stats.avg, out);
    if (shown_.type == "sum") WriteMetric("value", stats.sum, out);
    if (shown_.type != "stats") return;
    out["count"] = stats.count;
    for (const auto& [name, value] : {std::pair("min", stats.min), std::pair("max", stats.max),
                                      std::pair("avg", stats.avg), std::pair("sum", stats.sum)}) {
      out[name] = Real(value);
    }
    if (is_truth() && stats.count > 0) {
      for (const auto& [name, value] : {std::pair("min", stats.min), std::pair("max", stats.max),
                                        std::pair("avg", stats.avg), std::pair("sum", stats.sum)}) {
        out[std::string(name) + "_as_string"] = NumberOf(value) != 0;  // no text in real nodes
      }
    }
    if (!is_date() || stats.count == 0) return;
    for (const auto& [name, value] :
         {std::pair("min", stats.min), std::pair("max", stats.max), std::pair("avg", stats.avg)}) {
      out[std::string(name) + "_as_string"] = DateText(value);
    }
  }

  void WritePercentiles(Json& out) const {
    Json& values = out["values"] = shown_.keyed ? Json::object() : Json::array();
    for (size_t i = 0; i < result_.percents.size(); ++i) {
      const DocValue& value = result_.percentiles[i];
      if (!budget_.Take(kBytesAroundText)) return;
      if (shown_.keyed) {
        WriteMetric(ToJsonText(Json(result_.percents[i])), value, values);
      } else {
        Json written = {{"key", result_.percents[i]}};
        WriteMetric("value", value, written);
        values.push_back(std::move(written));
      }
    }
  }

  const ApiAggregation& shown_;
  const AggregationResult& result_;
  AnswerBudget& budget_;
};

}  // namespace

absl::StatusOr<Json> WriteAggregations(const std::vector<ApiAggregation>& shown,
                                       const std::vector<AggregationResult>& results,
                                       AnswerBudget& budget) {
  Json out = AggregationWriter::WriteAll(shown, results, budget);
  PMDEX_RETURN_IF_ERROR(budget.status());
  return out;
}

}  // namespace pmdex
