#include "tools/server/status_pages.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

#include "engine/columns/column_view.h"
#include "pmem/text.h"
#include "tools/command.h"
#include "tools/json_writer.h"

namespace pmdex {
namespace {

struct IndexTotals {
  uint64_t postings = 0;
  uint64_t tokens = 0;
  uint64_t bytes = 0;             // of all segments
  uint64_t compressed_bytes = 0;  // of these, in the compressed tier
};

IndexTotals TotalsOf(const Snapshot& snapshot) {
  IndexTotals totals;
  for (const auto& segment : snapshot.segments()) {
    totals.postings += segment->posting_count();
    totals.tokens += segment->token_count();
    totals.bytes += segment->file_bytes();
    if (segment->is_compressed()) totals.compressed_bytes += segment->file_bytes();
  }
  return totals;
}

void WriteSegmentStats(const Snapshot& snapshot, JsonWriter& json) {
  json.Key("segments").BeginArray();
  for (size_t i = 0; i < snapshot.segments().size(); ++i) {
    const auto& segment = snapshot.segments()[i];
    const LiveDocs* live_docs = snapshot.live_docs(i);
    const uint64_t deleted = live_docs == nullptr ? 0 : live_docs->deleted_count();
    json.BeginObject();
    json.Key("file").String(segment->file_name());
    json.Key("tier").String(segment->is_compressed() ? "compressed" : "uncompressed");
    json.Key("documents").Uint(segment->doc_count() - deleted);
    json.Key("deleted").Uint(deleted);
    json.Key("terms").Uint(segment->term_count());
    json.Key("postings").Uint(segment->posting_count());
    json.Key("bytes").Uint(segment->file_bytes());
    json.EndObject();
  }
  json.EndArray();
}

// A field that is not text, over all segments.
struct ColumnStats {
  FieldType type = FieldType::kKeyword;
  bool multi = false;
  uint64_t documents = 0;
  uint64_t keywords = 0;
};

std::map<std::string, ColumnStats> ColumnStatsOf(const Snapshot& snapshot) {
  std::map<std::string, ColumnStats> fields;
  for (const auto& segment : snapshot.segments()) {
    for (const ColumnView& column : segment->columns()) {
      ColumnStats& field = fields[std::string(column.name())];
      field.type = column.type();
      field.multi = field.multi || column.is_multi();
      field.documents += column.doc_count();
      field.keywords = std::max(field.keywords, column.keyword_count());
    }
  }
  return fields;
}

// with_counts: of documents, tokens and keywords.
void WriteFieldStats(const Snapshot& snapshot, bool with_counts, JsonWriter& json) {
  json.Key("fields").BeginArray();
  for (const std::string& name : snapshot.field_names()) {
    const FieldStatistics field = snapshot.field_statistics(name);
    json.BeginObject();
    json.Key("name").String(name);
    json.Key("type").String(ToString(FieldType::kText));
    if (with_counts) json.Key("documents").Uint(field.doc_count);
    if (with_counts) json.Key("tokens").Uint(field.token_count);
    json.EndObject();
  }
  for (const auto& [name, field] : ColumnStatsOf(snapshot)) {
    json.BeginObject();
    json.Key("name").String(name);
    json.Key("type").String(ToString(field.type));
    json.Key("multi").Bool(field.multi);
    if (with_counts) json.Key("documents").Uint(field.documents);
    if (with_counts && field.type == FieldType::kKeyword) json.Key("keywords").Uint(field.keywords);
    json.EndObject();
  }
  json.EndArray();
}

// Nothing that counts documents which the user may not see.
void WriteStatsForUser(const ServedIndex& index, JsonWriter& json) {
  const std::shared_ptr<const Snapshot> snapshot = index.searcher->answering();
  json.BeginObject();
  json.Key("name").String(index.name);
  json.Key("documents").Uint(snapshot->live_doc_count());
  json.Key("analyzer").String(ToString(snapshot->settings().analyzer));
  json.Key("positions").Bool(snapshot->settings().positions);
  json.Key("store").Bool(snapshot->settings().store_text);
  WriteFieldStats(*snapshot, /*with_counts=*/false, json);
  json.EndObject();
}

void WriteIndexStats(const ServedIndex& index, JsonWriter& json) {
  if (index.is_of_a_user) return WriteStatsForUser(index, json);
  const std::shared_ptr<const Snapshot> snapshot = index.searcher->answering();
  const IndexTotals totals = TotalsOf(*snapshot);
  const IndexSettings& settings = snapshot->settings();
  json.BeginObject();
  json.Key("name").String(index.name);
  json.Key("generation").Uint(snapshot->manifest().generation);
  json.Key("documents").Uint(snapshot->live_doc_count());
  json.Key("deleted_documents").Uint(snapshot->doc_count() - snapshot->live_doc_count());
  json.Key("postings").Uint(totals.postings);
  json.Key("tokens").Uint(totals.tokens);
  json.Key("analyzer").String(ToString(settings.analyzer));
  json.Key("positions").Bool(settings.positions);
  json.Key("store").Bool(settings.store_text);
  json.Key("bytes").BeginObject();
  json.Key("uncompressed").Uint(totals.bytes - totals.compressed_bytes);
  json.Key("compressed").Uint(totals.compressed_bytes);
  json.Key("total").Uint(totals.bytes);
  json.EndObject();
  WriteFieldStats(*snapshot, /*with_counts=*/true, json);
  WriteSegmentStats(*snapshot, json);
  WriteMissing(MissingParts(*snapshot), json);
  json.EndObject();
}

// So many indexes have a label of their own. Clients may make more of them, and who keeps metrics
// must not keep a series for each name that a client thinks of.
constexpr size_t kMostIndexLabels = 64;

// A value for each index, and the sum of those that have no label of their own. value_of: of the
// number of the index.
template <typename ValueOf>
void AppendByIndex(std::string_view name, std::string_view more_labels,
                   const ServedIndexes& indexes, const ValueOf& value_of, std::string& text) {
  const auto append = [&](std::string_view index, double value) {
    AppendMetric(name, absl::StrCat("index=", MetricLabel(index), ToAbsl(more_labels)), value,
                 text);
  };
  double others = 0;
  for (size_t i = 0; i < indexes.size(); ++i) {
    const double value = static_cast<double>(value_of(i));
    if (i < kMostIndexLabels) {
      append(indexes[i]->name, value);
    } else {
      others += value;
    }
  }
  if (indexes.size() > kMostIndexLabels) append("_other", others);
}

// One metric with a value for each index.
template <typename ValueOf>
void AppendIndexMetric(std::string_view name, std::string_view type, std::string_view what,
                       const ServedIndexes& indexes, const ValueOf& value_of, std::string& text) {
  AppendMetricHead(name, type, what, text);
  const auto value = [&](size_t i) { return value_of(i, *indexes[i]->searcher->answering()); };
  AppendByIndex(name, "", indexes, value, text);
}

void AppendBytesByTier(const ServedIndexes& indexes, std::string& text) {
  AppendMetricHead("pmdex_index_bytes", "gauge", "Bytes of segments by tier.", text);
  std::vector<IndexTotals> totals;
  for (const auto& index : indexes) totals.push_back(TotalsOf(*index->searcher->answering()));
  const auto uncompressed = [&](size_t i) { return totals[i].bytes - totals[i].compressed_bytes; };
  const auto compressed = [&](size_t i) { return totals[i].compressed_bytes; };
  AppendByIndex("pmdex_index_bytes", ",tier=\"uncompressed\"", indexes, uncompressed, text);
  AppendByIndex("pmdex_index_bytes", ",tier=\"compressed\"", indexes, compressed, text);
}

void AppendIndexMetrics(const IndexCatalog& catalog, std::string& text) {
  const auto [current, history] = catalog.CurrentWithHistory();
  const ServedIndexes& indexes = *current;
  const auto append = [&](std::string_view name, std::string_view type, std::string_view what,
                          const auto& value_of) {
    AppendIndexMetric(name, type, what, indexes, value_of, text);
  };
  append("pmdex_index_generation", "gauge", "Generation that answers.",
         [](size_t, const Snapshot& s) { return s.manifest().generation; });
  append("pmdex_index_documents", "gauge", "Documents that can be found.",
         [](size_t, const Snapshot& s) { return s.live_doc_count(); });
  AppendBytesByTier(indexes, text);
  append("pmdex_index_segments", "gauge", "Segments that answer.",
         [](size_t, const Snapshot& s) { return s.segments().size(); });
  append("pmdex_index_quarantined_segments", "gauge",
         "Segments that do not answer because they are damaged.",
         [](size_t, const Snapshot& s) { return s.quarantined().size(); });
  append("pmdex_index_open_seconds", "gauge", "Time to open the generation that answers.",
         [&past = history](size_t i, const Snapshot&) { return past[i].open_seconds; });
  append("pmdex_index_reloads_total", "counter",
         "How often newer documents took the place of older ones.",
         [&past = history](size_t i, const Snapshot&) { return past[i].reloads; });
  append("pmdex_index_reload_failures_total", "counter",
         "Newer generations that could not be opened.",
         [&past = history](size_t i, const Snapshot&) { return past[i].failures; });
}

void AppendOne(std::string_view name, std::string_view type, std::string_view what, double value,
               std::string& text) {
  AppendMetricHead(name, type, what, text);
  AppendMetric(name, "", value, text);
}

void AppendCacheMetrics(const BlockCache& cache, std::string& text) {
  const BlockCacheCounters counters = cache.counters();
  AppendOne("pmdex_unit_cache_bytes", "gauge", "Size of the cache of compressed segments.",
            static_cast<double>(cache.capacity_bytes()), text);
  AppendOne("pmdex_unit_cache_hits_total", "counter", "Blocks that were in the cache.",
            static_cast<double>(counters.hits), text);
  AppendOne("pmdex_unit_cache_misses_total", "counter", "Blocks that were read into the cache.",
            static_cast<double>(counters.misses), text);
  AppendOne("pmdex_unit_cache_read_bytes_total", "counter",
            "Bytes that were read past the page cache.", static_cast<double>(counters.bytes_read),
            text);
  AppendOne("pmdex_unit_cache_errors_total", "counter", "Reads that failed.",
            static_cast<double>(counters.errors), text);
  constexpr std::string_view kWaits = "pmdex_unit_cache_wait_seconds";
  const LatencyHistogram* const waits = &cache.waits();
  AppendMetricHead(kWaits, "histogram", "Time that queries waited for blocks to be read.", text);
  AppendHistogram(kWaits, "", {&waits, 1}, text);
}

void AppendServerMetrics(const HttpServer& server, std::string& text) {
  uint64_t open = 0;
  uint64_t accepted = 0;
  uint64_t timed_out = 0;
  uint64_t refused = 0;
  uint64_t empty_polls = 0;
  for (const auto& loop : server.loops()) {
    open += loop->counters().connections;
    accepted += loop->counters().accepted;
    timed_out += loop->counters().timed_out;
    refused += loop->counters().refused_connections;
    empty_polls += loop->counters().empty_polls;
  }
  const auto number = [](uint64_t value) { return static_cast<double>(value); };
  AppendOne("pmdex_connections", "gauge", "Open connections.", number(open), text);
  AppendOne("pmdex_connections_accepted_total", "counter", "Connections that were accepted.",
            number(accepted), text);
  AppendOne("pmdex_connections_timed_out_total", "counter",
            "Connections that were closed because the client was too slow.", number(timed_out),
            text);
  AppendOne("pmdex_connections_refused_total", "counter",
            "Connections that were closed because there were too many.", number(refused), text);
  AppendOne("pmdex_event_loop_empty_polls_total", "counter",
            "Polls of event loops that found nothing and did not wait (--busy-poll-us).",
            number(empty_polls), text);
  AppendOne("pmdex_heavy_queue_depth", "gauge", "Heavy requests that wait for a thread.",
            number(server.pool().waiting()), text);
  AppendOne("pmdex_heavy_running", "gauge", "Heavy requests that are being answered.",
            number(server.pool().running()), text);
  AppendOne("pmdex_write_queue_depth", "gauge", "Requests that write and wait for a thread.",
            number(server.waiting_pool().waiting()), text);
  AppendOne("pmdex_write_running", "gauge", "Requests that write and are being answered.",
            number(server.waiting_pool().running()), text);
}

void AppendProcessMetrics(std::string& text) {
  std::ifstream statm("/proc/self/statm");
  uint64_t size_pages = 0;
  uint64_t resident_pages = 0;
  statm >> size_pages >> resident_pages;
  AppendOne("process_resident_memory_bytes", "gauge", "Resident memory, the mapped index included.",
            static_cast<double>(resident_pages) * static_cast<double>(sysconf(_SC_PAGESIZE)), text);
}

}  // namespace

std::string IndexStatsJson(const ServedIndex& index) {
  JsonWriter json;
  WriteIndexStats(index, json);
  return json.result();
}

std::string ServerStatsJson(const ServedIndexes& indexes, std::chrono::seconds uptime) {
  JsonWriter json;
  json.BeginObject();
  json.Key("version").String(PMDEX_VERSION);
  json.Key("uptime_seconds").Int(uptime.count());
  json.Key("indexes").BeginArray();
  for (const auto& index : indexes) WriteIndexStats(*index, json);
  json.EndArray().EndObject();
  return json.result();
}

std::string MetricsText(const MetricSources& sources) {
  std::string text;
  if (sources.metrics != nullptr) sources.metrics->AppendTo(text);
  if (sources.catalog != nullptr) AppendIndexMetrics(*sources.catalog, text);
  if (sources.catalog != nullptr && sources.catalog->unit_cache() != nullptr) {
    AppendCacheMetrics(*sources.catalog->unit_cache(), text);
  }
  if (sources.server != nullptr) AppendServerMetrics(*sources.server, text);
  if (sources.cache != nullptr) {
    AppendOne("pmdex_result_cache_bytes", "gauge", "Bytes of answers that are kept.",
              static_cast<double>(sources.cache->bytes()), text);
  }
  if (sources.log != nullptr) {
    AppendOne("pmdex_log_lines_dropped_total", "counter", "Lines that the logs could not take.",
              static_cast<double>(sources.log->dropped()), text);
  }
  AppendProcessMetrics(text);
  return text;
}

}  // namespace pmdex
