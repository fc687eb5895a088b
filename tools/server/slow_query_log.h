// Which queries take long enough to be logged, for every API of the server. Thread-safe.
#pragma once

#include <chrono>
#include <string>

#include "query/searcher.h"
#include "tools/server/request_log.h"
#include "tools/server/served_index.h"

namespace pmdex {

class SlowQueryLog {
 public:
  SlowQueryLog() = default;  // logs nothing
  // Logs queries that took `slow` or longer. log: outlives this; nullptr: logs nothing.
  SlowQueryLog(RequestLog* log, std::chrono::microseconds slow)
      : log_(log != nullptr && log->logs_slow() ? log : nullptr), slow_(slow) {}

  // True if queries are logged. They are then to be run with SearchOptions::plan.
  bool is_on() const { return log_ != nullptr; }
  // text(): the query as the client wrote it.
  template <typename Text>
  void Note(const ServedIndex& index, const SearchResult& result, const Text& text) const {
    if (!is_on() || result.took_us < static_cast<double>(slow_.count())) return;
    log_->Slow({index.name, text(), result.took_us, result.total, result.timed_out, result.plan});
  }

 private:
  RequestLog* log_ = nullptr;
  std::chrono::microseconds slow_{};
};

}  // namespace pmdex
