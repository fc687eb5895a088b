// What the server notes of each search that an index answered, for every API: its time and its end
// in the metrics, and the query in the log of slow queries. Thread-safe.
#pragma once

#include <chrono>
#include <string>

#include "query/searcher.h"
#include "tools/server/request_log.h"
#include "tools/server/served_index.h"
#include "tools/server/server_metrics.h"

namespace pmdex {

class SearchNotes {
 public:
  SearchNotes() = default;  // notes nothing
  // Logs queries that took `slow` or longer. metrics and log outlive this; nullptr: not noted
  // there.
  SearchNotes(ServerMetrics* metrics, RequestLog* log, std::chrono::microseconds slow)
      : metrics_(metrics), log_(log != nullptr && log->logs_slow() ? log : nullptr), slow_(slow) {}

  // True if slow queries are logged. Queries are then to be run with SearchOptions::plan.
  bool logs_slow() const { return log_ != nullptr; }
  // text(): the query as the client wrote it.
  template <typename Text>
  void Note(const ServedIndex& index, const SearchResult& result, const Text& text) const {
    if (metrics_ != nullptr) Count(result);
    if (log_ == nullptr || result.took_us < static_cast<double>(slow_.count())) return;
    log_->Slow({index.name, text(), result.took_us, result.total, result.timed_out, result.plan});
  }
  void AddEncoding(std::chrono::nanoseconds time) const {
    if (metrics_ != nullptr) metrics_->AddTime(Stage::kEncode, time);
  }

 private:
  void Count(const SearchResult& result) const {
    const std::chrono::duration<double, std::micro> took(result.took_us);
    metrics_->AddTime(Stage::kSearch, std::chrono::duration_cast<std::chrono::nanoseconds>(took));
    if (result.timed_out) metrics_->CountEvent(ServerEvent::kDeadline);
    if (!result.missing.empty()) metrics_->CountEvent(ServerEvent::kPartial);
  }

  ServerMetrics* metrics_ = nullptr;
  RequestLog* log_ = nullptr;
  std::chrono::microseconds slow_{};
};

}  // namespace pmdex
