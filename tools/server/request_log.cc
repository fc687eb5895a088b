#include "tools/server/request_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "pmem/thread.h"
#include "tools/json_writer.h"

namespace pmdex {
namespace {

constexpr size_t kMostTargetBytes = 2000;
constexpr int kWriteMilliseconds = 100;  // between two writes

absl::StatusOr<FileDescriptor> OpenLog(const std::string& path) {
  FileDescriptor file(path == "-"
                          ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
                          : open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
  if (!file.valid()) return ErrnoStatus(errno, absl::StrCat("cannot open the log ", path));
  return file;
}

// "2026-01-31T12:34:56.789Z".
std::string TimeText(std::chrono::system_clock::time_point time) {
  const auto since = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const std::time_t seconds = since.count() / 1000;
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  return absl::StrCat(absl::string_view(text, size),
                      absl::StrFormat(".%03dZ", since.count() % 1000));
}

std::string AccessLine(const FinishedRequest& request) {
  // The wall clock is read here, so that the threads that answer read one clock only.
  const auto ago = ServerClock::now() - request.done;
  const auto time = std::chrono::system_clock::now() -
                    std::chrono::duration_cast<std::chrono::system_clock::duration>(ago);
  JsonWriter json;
  json.BeginObject();
  json.Key("time").String(TimeText(time));
  if (!request.user.empty()) json.Key("user").String(request.user);
  json.Key("method").String(request.method);
  json.Key("target").String(request.target.substr(0, kMostTargetBytes));
  json.Key("status").Int(request.status);
  json.Key("bytes").Uint(request.body_bytes);
  json.Key("ms").Double(
      std::chrono::duration<double, std::milli>(request.done - request.arrival).count());
  json.EndObject();
  return json.result() + "\n";
}

void WriteSlowPlan(const PlanSummary& plan, JsonWriter& json) {
  json.BeginObject();
  json.Key("algorithm").String(plan.algorithm);
  json.Key("count").String(plan.count);
  json.Key("clauses").BeginArray();
  for (const PlanSummary::Clause& clause : plan.clauses) {
    json.BeginObject();
    json.Key("occur").String(clause.occur);
    json.Key("query").String(clause.query);
    if (clause.estimate.has_value()) json.Key("estimate").Uint(*clause.estimate);
    json.EndObject();
  }
  json.EndArray().EndObject();
}

std::string SlowLine(const SlowQuery& query) {
  JsonWriter json;
  json.BeginObject();
  json.Key("time").String(TimeText(std::chrono::system_clock::now()));
  json.Key("index").String(query.index);
  json.Key("query").String(query.query.substr(0, kMostTargetBytes));
  json.Key("took_ms").Double(query.took_us / 1000);
  json.Key("total").Uint(query.total);
  json.Key("timed_out").Bool(query.timed_out);
  if (query.plan.has_value()) {
    json.Key("plan");
    WriteSlowPlan(*query.plan, json);
  }
  json.EndObject();
  return json.result() + "\n";
}

// A log that cannot be written has nobody to tell; the lines count as dropped.
bool WriteLog(const FileDescriptor& file, const std::string& text) {
  return text.empty() ||
         write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace

absl::StatusOr<std::unique_ptr<RequestLog>> RequestLog::Open(const RequestLogPaths& paths) {
  std::unique_ptr<RequestLog> log(new RequestLog(paths));
  PMDEX_RETURN_IF_ERROR(log->OpenFiles());
  log->stop_ = FileDescriptor(eventfd(0, EFD_CLOEXEC));
  if (!log->stop_.valid()) return ErrnoStatus(errno, "eventfd");
  PMDEX_ASSIGN_OR_RETURN(log->thread_, StartThread([self = log.get()] { self->Run(); }));
  return log;
}

absl::Status RequestLog::OpenFiles() {
  if (logs_access()) {
    PMDEX_ASSIGN_OR_RETURN(access_file_, OpenLog(paths_.access));
  }
  if (logs_slow()) {
    PMDEX_ASSIGN_OR_RETURN(slow_file_, OpenLog(paths_.slow));
  }
  return absl::OkStatus();
}

RequestLog::~RequestLog() {
  const uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  if (thread_.joinable()) thread_.join();
}

void RequestLog::Access(const FinishedRequest& request) {
  MutexLock lock(&mutex_);
  if (accesses_.size() >= kMostWaiting) {
    ++dropped_;
  } else {
    accesses_.push_back(request);
  }
}

void RequestLog::Slow(SlowQuery query) {
  MutexLock lock(&mutex_);
  if (slow_.size() >= kMostWaiting) {
    ++dropped_;
  } else {
    slow_.push_back(std::move(query));
  }
}

void RequestLog::Run() {
  pollfd wait = {stop_.get(), POLLIN, 0};
  while (poll(&wait, 1, kWriteMilliseconds) <= 0) WriteEntries();
  WriteEntries();
}

void RequestLog::WriteEntries() {
  std::vector<FinishedRequest> accesses;
  std::vector<SlowQuery> slow;
  {
    MutexLock lock(&mutex_);
    accesses.swap(accesses_);
    slow.swap(slow_);
  }
  if (reopen_.exchange(false)) (void)OpenFiles();  // the old files stay open on an error
  std::string access_text;
  for (const FinishedRequest& request : accesses) access_text += AccessLine(request);
  std::string slow_text;
  for (const SlowQuery& query : slow) slow_text += SlowLine(query);
  if (!WriteLog(access_file_, access_text)) dropped_ += accesses.size();
  if (!WriteLog(slow_file_, slow_text)) dropped_ += slow.size();
}

}  // namespace pmdex
