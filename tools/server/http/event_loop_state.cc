// The part of the event loop that keeps the state of connections: deadlines, closing, draining, and
// whether requests wait too long.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "tools/server/http/event_loop.h"

namespace pmdex {
namespace {

constexpr std::chrono::milliseconds kDrainGrace{1'000};  // for a request that is on its way
constexpr std::chrono::milliseconds kCloseTimeout{2'000};
constexpr std::chrono::hours kNoTimeout{24};

}  // namespace

uint64_t EventLoop::TickAfter(std::chrono::milliseconds time) const {
  return tick_ + static_cast<uint64_t>(std::max<int64_t>(1, time / kLoopTick));
}

void EventLoop::Settle(Connection& connection) {
  if (connection.phase == ConnectionPhase::kClosing) return;
  if (!connection.Flush()) return Close(connection);
  const bool is_quiet =
      !connection.has_output() && !connection.is_waiting() && !connection.is_in_backlog;
  if (is_quiet && connection.is_held_back) {
    connection.is_held_back = false;
    connection.is_in_backlog = true;
    backlog_.push_back(connection.id());
  } else if (is_quiet && (connection.closes() || connection.is_input_over())) {
    if (!connection.was_refused || connection.is_input_over()) return Close(connection);
    connection.EndOutput();
  }
  SetDeadline(connection);
  const bool reads = !connection.is_waiting() && !connection.is_in_backlog &&
                     !connection.has_output() && !connection.is_input_over();
  const uint32_t events =
      (reads ? uint32_t{EPOLLIN} : 0) | (connection.has_output() ? uint32_t{EPOLLOUT} : 0);
  if (events == connection.events) return;
  connection.events = events;
  epoll_event event = {};
  event.events = events;
  event.data.u64 = connection.id();
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.socket(), &event);
}

ConnectionPhase EventLoop::PhaseOf(const Connection& connection) const {
  if (connection.has_output()) return ConnectionPhase::kSending;
  if (connection.is_waiting() || connection.is_in_backlog) return ConnectionPhase::kWaiting;
  if (connection.closes()) return ConnectionPhase::kClosing;
  if (!connection.is_inside_request()) {
    // A client that has sent nothing yet has no more time than one that has begun.
    return connection.current.done == ServerClock::time_point() ? ConnectionPhase::kHead
                                                                : ConnectionPhase::kIdle;
  }
  return connection.parser().state() == RequestParser::State::kBody ? ConnectionPhase::kBody
                                                                    : ConnectionPhase::kHead;
}

std::chrono::milliseconds EventLoop::TimeoutOf(ConnectionPhase phase) const {
  switch (phase) {
    case ConnectionPhase::kNew:
    case ConnectionPhase::kHead:
      return options_.head_timeout;
    case ConnectionPhase::kBody:
      return options_.body_timeout;
    case ConnectionPhase::kIdle:
      return is_draining_ ? kDrainGrace : options_.idle_timeout;
    case ConnectionPhase::kSending:
      return options_.send_timeout;
    case ConnectionPhase::kClosing:
      return kCloseTimeout;
    case ConnectionPhase::kWaiting:
      break;  // the deadline of the request ends it
  }
  return kNoTimeout;
}

// A deadline is for a whole phase, so that bytes that trickle in do not move it.
void EventLoop::SetDeadline(Connection& connection) {
  const ConnectionPhase phase = PhaseOf(connection);
  if (phase == connection.phase && phase != ConnectionPhase::kSending) return;
  connection.phase = phase;
  connection.deadline_tick = TickAfter(TimeoutOf(phase));
}

void EventLoop::CountInput(Connection& connection) {
  input_bytes_ -= connection.counted_bytes;
  connection.counted_bytes = connection.input_bytes();
  input_bytes_ += connection.counted_bytes;
}

void EventLoop::Close(Connection& connection) {
  input_bytes_ -= connection.counted_bytes;
  --counters_.connections;
  if (connection.is_waiting()) (void)connection.work->Take();
  EndWork(connection);
  connections_.erase(connection.id());
}

void EventLoop::Expire(uint64_t id) {
  Connection& connection = *connections_.find(id)->second;
  const bool is_slow =
      connection.is_inside_request() &&
      (connection.phase == ConnectionPhase::kHead || connection.phase == ConnectionPhase::kBody);
  if (!is_slow && connection.HasUnreadInput()) {
    // The loop was busy when the request came. Closing now would lose it.
    ReadFrom(connection);
  } else {
    if (connection.phase != ConnectionPhase::kIdle) ++counters_.timed_out;
    if (!is_slow) return Close(connection);
    RefuseRest(connection, {408, "the request did not come in time"});
    Settle(connection);
  }
  const auto left = connections_.find(id);
  if (left != connections_.end()) timers_.Add(id, left->second->deadline_tick);
}

void EventLoop::Tick() {
  tick_ = static_cast<uint64_t>((ServerClock::now() - start_) / kLoopTick) + 1;
  timers_.Advance(
      tick_,
      [this](uint64_t id) {
        const auto found = connections_.find(id);
        return found == connections_.end() ? 0 : found->second->deadline_tick;
      },
      [this](uint64_t id) { Expire(id); });
  if (is_draining_ && tick_ >= drain_end_tick_) CloseAll();
  ResumeAccepting();
  service_.Tick(options_.number);
  ++counters_.ticks;
}

void EventLoop::CloseAll() {
  counters_.connections -= connections_.size();
  for (const auto& [id, connection] : connections_) {
    if (connection->is_waiting()) (void)connection->work->Take();
  }
  connections_.clear();
  work_deadlines_.clear();
  input_bytes_ = 0;
}

// Connections that the kernel has accepted already are served. Later ones are refused, unless the
// socket belongs to another program, which goes on with it.
void EventLoop::StartDraining() {
  for (size_t i = 0; i < listeners_.size(); ++i) {
    for (const uint64_t before = counters_.accepted; is_accepting_;) {
      const uint64_t accepted = counters_.accepted;
      Accept(i);
      if (counters_.accepted == accepted || accepted > before + options_.most_connections) break;
    }
  }
  is_draining_ = true;
  drain_end_tick_ = TickAfter(options_.drain_timeout);
  PauseAccepting();
  for (const Listener& listener : listeners_) {
    if (!listener.is_adopted()) shutdown(listener.socket(options_.number), SHUT_RDWR);
  }
  for (auto& [id, connection] : connections_) {
    const bool is_new =
        connection->phase == ConnectionPhase::kHead && !connection->is_inside_request();
    if (connection->phase != ConnectionPhase::kIdle && !is_new) continue;
    connection->deadline_tick = TickAfter(kDrainGrace);
  }
}

bool EventLoop::IsOverloaded() const {
  if (!has_queue_ || batch_start_ - queue_since_ < options_.overload_after) return false;
  return ServerClock::now() - batch_start_ > options_.most_wait;
}

// What is ready in one batch waits for what stands before it in the batch.
void EventLoop::NoteBatch() {
  const bool is_long = ServerClock::now() - batch_start_ > options_.most_wait;
  if (is_long && !has_queue_) queue_since_ = batch_start_;
  has_queue_ = is_long;
}

}  // namespace pmdex
