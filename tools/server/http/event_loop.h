// One thread that serves many connections: it waits for all of them with epoll, parses their
// requests, has the service answer them, and sends the answers. Answers that take long are made by
// the pool and come back through a mailbox.
//
// It holds the clients to time limits, refuses requests before those that wait take too long, and
// can be drained. Run is for one thread; the other members are thread-safe.
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"

#include "pmem/file_descriptor.h"
#include "pmem/mutex.h"
#include "pmem/status.h"
#include "tools/server/http/connection.h"
#include "tools/server/http/http_service.h"
#include "tools/server/http/listener.h"
#include "tools/server/http/timer_wheel.h"
#include "tools/server/http/work_pool.h"

namespace pmdex {

struct EventLoopOptions {
  size_t number = 0;
  HttpLimits limits;
  size_t most_connections = 16384;
  uint64_t most_input_bytes = uint64_t{256} << 20;  // of all requests that are not complete
  std::chrono::milliseconds head_timeout{10'000};   // from its first byte to its last
  std::chrono::milliseconds body_timeout{60'000};
  std::chrono::milliseconds idle_timeout{75'000};  // between requests
  std::chrono::milliseconds send_timeout{30'000};  // without a byte that the client takes
  std::chrono::milliseconds drain_timeout{30'000};
  // Requests that wait for longer than this are refused if such a queue stands for overload_after.
  // A refusal costs about a third of a cheap answer, so a queue that the server can still answer
  // in a small part of the deadline is better answered than refused.
  std::chrono::microseconds most_wait{100'000};
  std::chrono::milliseconds overload_after{100};
  // After each batch the thread asks for events for so long before it sleeps.
  std::chrono::microseconds busy_poll{0};
  std::vector<int> cpus;  // on which the thread may run; empty for all
};

// The time between two looks at the deadlines of connections.
inline constexpr std::chrono::milliseconds kLoopTick{100};

// Numbers for /metrics.
struct EventLoopCounters {
  std::atomic<uint64_t> connections{0};  // that are open
  std::atomic<uint64_t> accepted{0};
  std::atomic<uint64_t> timed_out{0};
  std::atomic<uint64_t> refused_connections{0};
  std::atomic<uint64_t> ticks{0};        // a sign of life, ten times a second
  std::atomic<uint64_t> empty_polls{0};  // questions for events that found none and did not wait
};

// Where a loop sends what it does not do itself.
struct WorkPools {
  WorkPool& heavy;    // what costs CPU time
  WorkPool& waiting;  // ServeOutcome::is_waiting_work
};

class EventLoop {
 public:
  // The listeners, the service and the pools outlive the loop.
  static absl::StatusOr<std::unique_ptr<EventLoop>> Create(const EventLoopOptions& options,
                                                           std::span<const Listener> listeners,
                                                           HttpService& service,
                                                           const WorkPools& pools);
  // Returns after a drain, once the last connection is closed.
  void Run();

  // Calls HttpService::Tick soon.
  void Wake();
  // Takes no new connections, answers what has come, and closes.
  void BeginDrain();
  const EventLoopCounters& counters() const { return counters_; }

 private:
  struct MadeAnswer {
    uint64_t connection;
    HttpResponse response;
  };

  EventLoop(const EventLoopOptions& options, std::span<const Listener> listeners,
            HttpService& service, const WorkPools& pools);
  absl::Status Open();

  void RunBatch();
  // Waits until `until` at most. Returns the number of events; there may be none.
  int WaitForEvents(ServerClock::time_point until);
  // Asks for events without waiting, until there are some or the time is over.
  int PollForEvents(ServerClock::time_point until);
  void Dispatch(uint64_t id, uint32_t events);
  void Accept(size_t listener);
  void PauseAccepting();
  void ResumeAccepting();
  void ReadFrom(Connection& connection);
  void ServeRequests(Connection& connection);
  void ServeOne(Connection& connection);
  ServeOutcome AskService(Connection& connection);
  // Notes that the loop begins to answer a request of this connection.
  void BeginAnswer(Connection& connection, std::string method);
  void Finish(Connection& connection, HttpResponse response);
  // Answers with an error and closes, because the rest of the request will not be read.
  void RefuseRest(Connection& connection, const HttpFailure& failure);
  void Post(uint64_t connection, HttpResponse response);
  void TakeAnswers();
  // Answers what waits in a pool and has a deadline that has come.
  void ExpireWork();
  // Ends the waiting for a pool, and goes on with the connection. It may be closed then.
  void Answer(Connection& connection, HttpResponse response);
  void EndWork(Connection& connection);
  // Sends, waits for what the connection needs next, or closes it. The reference is then invalid.
  void Settle(Connection& connection);
  void CountInput(Connection& connection);
  ConnectionPhase PhaseOf(const Connection& connection) const;
  void SetDeadline(Connection& connection);
  // The time limit of a phase.
  std::chrono::milliseconds TimeoutOf(ConnectionPhase phase) const;
  void Close(Connection& connection);
  void Expire(uint64_t id);
  void Tick();
  void CloseAll();
  void StartDraining();
  bool IsOverloaded() const;
  void NoteBatch();
  uint64_t TickAfter(std::chrono::milliseconds time) const;

  const EventLoopOptions options_;
  const std::span<const Listener> listeners_;
  HttpService& service_;
  const WorkPools pools_;
  FileDescriptor epoll_;
  FileDescriptor wake_;              // an eventfd
  std::vector<epoll_event> events_;  // of one batch
  std::vector<char> scratch_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Connection>> connections_;
  uint64_t next_id_;
  std::vector<uint64_t> backlog_;  // connections with requests that have come
  // Of work that no thread may have begun, with the ids of its connections.
  std::set<std::pair<ServerClock::time_point, uint64_t>> work_deadlines_;
  uint64_t input_bytes_ = 0;
  uint64_t tick_ = 1;
  TimerWheel timers_;
  ServerClock::time_point start_;
  ServerClock::time_point batch_start_;
  ServerClock::time_point batch_end_;    // of the last batch with events
  ServerClock::time_point queue_since_;  // when requests began to wait too long
  bool has_queue_ = false;
  bool is_accepting_ = true;
  bool is_draining_ = false;
  uint64_t drain_end_tick_ = 0;

  EventLoopCounters counters_;
  std::atomic<bool> drain_asked_{false};
  Mutex mutex_;
  std::vector<MadeAnswer> answers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace pmdex
