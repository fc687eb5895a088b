// Writes the access log and the log of slow queries, as lines of JSON, on a thread of its own. The
// threads that answer only hand over what is to be written; if the log cannot keep up, lines are
// dropped and counted. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"

#include "pmem/file_descriptor.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "query/planning/plan_summary.h"
#include "tools/server/http/http_service.h"

namespace pmdex {

struct SlowQuery {
  std::string index;
  std::string query;
  double took_us = 0;
  uint64_t total = 0;
  bool timed_out = false;
  std::optional<PlanSummary> plan;
};

// Paths; an empty one: no log. "-" is stderr.
struct RequestLogPaths {
  std::string access;
  std::string slow;
};

class RequestLog {
 public:
  // Opens the files for appending, and creates them for this user and group (0640).
  static absl::StatusOr<std::unique_ptr<RequestLog>> Open(const RequestLogPaths& paths);
  // Writes what was handed over before.
  ~RequestLog();

  bool logs_access() const { return !paths_.access.empty(); }
  bool logs_slow() const { return !paths_.slow.empty(); }
  void Access(const FinishedRequest& request);
  void Slow(SlowQuery query);
  // Opens the files again, after a program has moved them away.
  void Reopen() { reopen_ = true; }
  uint64_t dropped() const { return dropped_; }

 private:
  static constexpr size_t kMostWaiting = 16384;

  explicit RequestLog(RequestLogPaths paths) : paths_(std::move(paths)) {}
  absl::Status OpenFiles();
  void Run();
  void WriteEntries();
  const RequestLogPaths paths_;
  FileDescriptor access_file_;
  FileDescriptor slow_file_;
  // An eventfd that ends the thread. Between two looks at the entries the thread waits for it
  // alone, so that handing over an entry wakes nobody.
  FileDescriptor stop_;
  std::atomic<bool> reopen_{false};
  std::atomic<uint64_t> dropped_{0};
  Mutex mutex_;
  std::vector<FinishedRequest> accesses_ ABSL_GUARDED_BY(mutex_);
  std::vector<SlowQuery> slow_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace pmdex
