#include "tools/compare/compare_json.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"

#include "tools/compare/compare_advice.h"

namespace pmdex {
namespace {

using CompareJson = nlohmann::ordered_json;

std::string Dump(const CompareJson& json) {
  return json.dump(-1, ' ', false, CompareJson::error_handler_t::replace);
}

template <typename Value>
void SetIfKnown(const char* key, const std::optional<Value>& value, CompareJson& json) {
  if (value.has_value()) json[key] = *value;
}

template <typename Value>
std::optional<Value> ValueIfKnown(const CompareJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || found->is_null()) return std::nullopt;
  return found->get<Value>();
}

CompareJson BucketsToJson(const std::vector<PostingBucket>& buckets) {
  CompareJson json = CompareJson::array();
  for (const PostingBucket& bucket : buckets) {
    CompareJson& one = json.emplace_back(CompareJson{{"from", bucket.from},
                                                     {"to", bucket.to},
                                                     {"queries", bucket.queries},
                                                     {"mean_us", bucket.mean_us}});
    SetIfKnown("instructions", bucket.instructions, one);
  }
  return json;
}

CompareJson AnswersToJson(const std::vector<AnswerFingerprint>& answers) {
  CompareJson json = CompareJson::array();
  for (const AnswerFingerprint& answer : answers) {
    CompareJson one = CompareJson::array({answer.hits});
    if (answer.total.has_value()) one.push_back(*answer.total);
    json.push_back(std::move(one));
  }
  return json;
}

void CountersToJson(const std::vector<CounterValue>& counters, CompareJson& json) {
  if (counters.empty()) return;
  for (const CounterValue& counter : counters) {
    json["counters"][counter.name] = {
        {"value", counter.value}, {"unit", counter.unit}, {"source", counter.source}};
  }
}

void TouchesToJson(const ComparedClass& one, CompareJson& json) {
  for (const SectionTouchCounts& counts : one.touches) {
    json["touched"][counts.section] = {{"random_64", counts.random_64},
                                       {"sequential_64", counts.sequential_64},
                                       {"random_256", counts.random_256},
                                       {"sequential_256", counts.sequential_256}};
  }
  if (!one.model.has_value()) return;
  json["model"] = {{"hot_us", one.model->hot_us},
                   {"dropped_us", one.model->dropped_us},
                   {"error", one.model->error}};
  SetIfKnown("predicted_uncached_us", one.model->uncached_us, json["model"]);
}

void TouchesFromJson(const CompareJson& json, ComparedClass& one) {
  const CompareJson touched = json.value("touched", CompareJson::object());
  for (const auto& [section, counts] : touched.items()) {
    one.touches.push_back({section, counts.at("random_64"), counts.at("sequential_64"),
                           counts.at("random_256"), counts.at("sequential_256")});
  }
  if (const auto model = json.find("model"); model != json.end()) {
    one.model = {model->at("hot_us"), model->at("dropped_us"), model->at("error"),
                 ValueIfKnown<double>(*model, "predicted_uncached_us")};
  }
}

CompareJson ClassToJson(const ComparedClass& one, bool with_answers) {
  CompareJson json = {{"class", one.name},
                      {"queries", one.queries},
                      {"runs", one.runs},
                      {"qps", one.qps},
                      {"mean_us", one.mean_us}};
  SetIfKnown("ci95_us", one.ci95_us, json);
  json["p50_us"] = one.p50_us;
  json["p95_us"] = one.p95_us;
  json["p99_us"] = one.p99_us;
  json["max_us"] = one.max_us;
  SetIfKnown("cold_mean_us", one.cold_mean_us, json);
  SetIfKnown("bytes_touched", one.bytes_touched, json);
  json["by_postings"] = BucketsToJson(one.by_postings);
  CountersToJson(one.counters, json);
  TouchesToJson(one, json);
  if (one.predicted.has_value()) {
    json["predicted"] = {{"model", one.predicted->model},
                         {"mean_us", one.predicted->mean_us},
                         {"error", one.predicted->error}};
  }
  if (with_answers) json["answers"] = AnswersToJson(one.answers);
  return json;
}

CompareJson ConfigurationToJson(const ComparedConfiguration& one, bool with_answers) {
  CompareJson json = {
      {"tier", one.key.tier},       {"directory", one.key.directory}, {"mode", one.key.mode},
      {"threads", one.key.threads}, {"scale", one.key.scale},         {"numa", one.key.numa},
      {"documents", one.documents}, {"segments", one.segments},       {"postings", one.postings}};
  json["classes"] = CompareJson::array();
  for (const ComparedClass& of : one.classes) {
    json["classes"].push_back(ClassToJson(of, with_answers));
  }
  json["tokens"] = one.tokens;
  json["terms"] = one.terms;
  json["bytes"] = one.bytes;
  json["part_bytes"] = one.part_bytes;
  SetIfKnown("bytes_per_posting", one.bytes_per_posting, json);
  SetIfKnown("build_s", one.build_s, json);
  json["open_ms"] = one.open_ms;
  json["notes"] = one.notes;
  return json;
}

ComparedClass ClassFromJson(const CompareJson& json) {
  ComparedClass one;
  one.name = json.at("class");
  one.queries = json.at("queries");
  one.runs = json.value("runs", uint64_t{0});
  one.qps = json.at("qps");
  one.mean_us = json.at("mean_us");
  one.ci95_us = ValueIfKnown<double>(json, "ci95_us");
  one.p50_us = json.at("p50_us");
  one.p95_us = json.at("p95_us");
  one.p99_us = json.at("p99_us");
  one.max_us = json.at("max_us");
  one.cold_mean_us = ValueIfKnown<double>(json, "cold_mean_us");
  one.bytes_touched = ValueIfKnown<double>(json, "bytes_touched");
  for (const CompareJson& bucket : json.value("by_postings", CompareJson::array())) {
    one.by_postings.push_back({bucket.at("from"), bucket.at("to"), bucket.at("queries"),
                               bucket.at("mean_us"), ValueIfKnown<double>(bucket, "instructions")});
  }
  const CompareJson counters = json.value("counters", CompareJson::object());
  for (const auto& [name, value] : counters.items()) {
    one.counters.push_back({name, value.at("value"), value.value("unit", std::string()),
                            value.value("source", std::string())});
  }
  TouchesFromJson(json, one);
  if (const auto predicted = json.find("predicted"); predicted != json.end()) {
    one.predicted = {predicted->at("model"), predicted->at("mean_us"), predicted->at("error")};
  }
  for (const CompareJson& answer : json.value("answers", CompareJson::array())) {
    AnswerFingerprint& fingerprint = one.answers.emplace_back();
    fingerprint.hits = answer.at(0);
    if (answer.size() > 1) fingerprint.total = answer.at(1).get<uint64_t>();
  }
  return one;
}

ComparedConfiguration ConfigurationFromJson(const CompareJson& json) {
  ComparedConfiguration one;
  one.key.tier = json.at("tier");
  one.key.directory = json.at("directory");
  one.key.mode = json.at("mode");
  one.key.threads = json.at("threads");
  one.key.scale = json.value("scale", uint64_t{1});
  one.key.numa = json.value("numa", std::string("any"));
  one.documents = json.value("documents", uint64_t{0});
  one.segments = json.value("segments", uint64_t{0});
  one.postings = json.value("postings", uint64_t{0});
  for (const CompareJson& of : json.at("classes")) one.classes.push_back(ClassFromJson(of));
  one.tokens = json.value("tokens", uint64_t{0});
  one.terms = json.value("terms", uint64_t{0});
  one.bytes = json.value("bytes", uint64_t{0});
  one.part_bytes = json.value("part_bytes", std::map<std::string, uint64_t>());
  one.bytes_per_posting = ValueIfKnown<double>(json, "bytes_per_posting");
  one.build_s = ValueIfKnown<double>(json, "build_s");
  one.open_ms = json.value("open_ms", 0.0);
  one.notes = json.value("notes", std::vector<std::string>());
  return one;
}

// Calls read() with the parsed text. nlohmann/json throws on a missing key or another type.
template <typename Read>
auto ReadJson(const std::string& text, const std::string& path, const Read& read)
    -> absl::StatusOr<decltype(read(CompareJson()))> {
  try {
    return read(CompareJson::parse(text));
  } catch (const nlohmann::json::exception& error) {
    return InvalidArgument(absl::StrCat(path, ": not written by pmdex compare: ", error.what()));
  }
}

CompareJson DifferenceToJson(const AnswerDifference& difference) {
  return {{"class", difference.set},
          {"query", difference.query},
          {"what", difference.what},
          {"configurations", {difference.one, difference.other}}};
}

CompareJson SkippedToJson(const std::vector<SkippedPart>& parts) {
  CompareJson json = CompareJson::array();
  for (const SkippedPart& part : parts) json.push_back({{"what", part.what}, {"why", part.why}});
  return json;
}

void ScalesToJson(const CompareState& state, CompareJson& json) {
  if (!state.scale_basis.has_value()) return;
  json["scale_basis"] = {
      {"llc_bytes", state.scale_basis->llc_bytes},
      {"index_bytes_per_text_byte", state.scale_basis->index_bytes_per_text_byte}};
  json["finished_scales"] = CompareJson::array();
  for (const FinishedScale& one : state.finished_scales) {
    json["finished_scales"].push_back(
        {{"scale", one.scale}, {"note", one.note}, {"skipped", SkippedToJson(one.skipped)}});
  }
}

void ScalesFromJson(const CompareJson& json, CompareState& state) {
  const auto basis = json.find("scale_basis");
  if (basis == json.end()) return;
  state.scale_basis = {basis->at("llc_bytes"), basis->at("index_bytes_per_text_byte")};
  for (const CompareJson& one : json.at("finished_scales")) {
    FinishedScale& finished = state.finished_scales.emplace_back();
    finished.scale = one.at("scale");
    finished.note = one.at("note");
    for (const CompareJson& part : one.at("skipped")) {
      finished.skipped.push_back({part.at("what"), part.at("why")});
    }
  }
}

}  // namespace

std::string CompareToJson(const CompareResult& result) {
  CompareJson json;
  json["machine"] = CompareJson::object();
  for (const auto& [name, value] : result.machine) json["machine"][name] = value;
  json["configurations"] = CompareJson::array();
  for (const ComparedConfiguration& one : result.configurations) {
    json["configurations"].push_back(ConfigurationToJson(one, /*with_answers=*/false));
  }
  json["answers_agree"] = !result.difference.has_value();
  if (result.difference.has_value()) {
    json["first_difference"] = DifferenceToJson(*result.difference);
  }
  json["skipped"] = SkippedToJson(result.skipped);
  const CompareAdvice advice = AdviseOn(result);
  json["advice"] = {{"configuration", advice.configuration},
                    {"why", advice.why},
                    {"rule", std::string(kAdviceRule)}};
  json["notes"] = result.notes;
  if (!result.beside.empty()) json["beside"] = CompareJson::array();
  for (const auto& [name, configurations] : result.beside) {
    CompareJson own = CompareJson::array();
    for (const auto& one : configurations) own.push_back(ConfigurationToJson(one, false));
    json["beside"].push_back({{"name", name}, {"configurations", std::move(own)}});
  }
  return Dump(json);
}

absl::StatusOr<std::vector<ComparedConfiguration>> ConfigurationsFromJson(const std::string& text,
                                                                          const std::string& path) {
  return ReadJson(text, path, [](const CompareJson& json) {
    std::vector<ComparedConfiguration> configurations;
    for (const CompareJson& one : json.at("configurations")) {
      configurations.push_back(ConfigurationFromJson(one));
    }
    return configurations;
  });
}

std::string StateToJson(const CompareState& state) {
  CompareJson json = {{"request", state.request}};
  json["sets"] = CompareJson::array();
  for (const QuerySet& set : state.sets) {
    json["sets"].push_back({{"name", set.name}, {"queries", set.queries}});
  }
  json["made"] = CompareJson::object();
  for (const auto& [place, seconds] : state.made) {
    json["made"][place] = seconds.has_value() ? CompareJson(*seconds) : CompareJson();
  }
  json["finished"] = CompareJson::array();
  for (const ComparedConfiguration& one : state.finished) {
    json["finished"].push_back(ConfigurationToJson(one, /*with_answers=*/true));
  }
  ScalesToJson(state, json);
  return Dump(json);
}

absl::StatusOr<CompareState> StateFromJson(const std::string& text, const std::string& path) {
  return ReadJson(text, path, [](const CompareJson& json) {
    CompareState state;
    state.request = json.at("request");
    for (const CompareJson& set : json.at("sets")) {
      state.sets.push_back({set.at("name"), set.at("queries")});
    }
    for (const auto& [place, seconds] : json.at("made").items()) {
      state.made.emplace_back(place, ValueIfKnown<double>(json.at("made"), place.c_str()));
    }
    for (const CompareJson& one : json.at("finished")) {
      state.finished.push_back(ConfigurationFromJson(one));
    }
    ScalesFromJson(json, state);
    return state;
  });
}

}  // namespace pmdex
