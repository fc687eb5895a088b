#include "tools/server/http/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "pmem/numa_placement.h"

namespace pmdex {
namespace {

constexpr uint64_t kWakeId = 0;  // listeners come after it
constexpr uint64_t kFirstConnection = 1024;
constexpr size_t kMostAccepted = 64;             // at a time
constexpr size_t kMostRequests = 32;             // of one connection at a time
constexpr size_t kMostOutput = size_t{1} << 20;  // until a client takes some, no more is answered
constexpr size_t kScratchBytes = 65536;

bool Watch(int epoll, int operation, int fd, uint64_t id, uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = id;
  return epoll_ctl(epoll, operation, fd, &event) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<EventLoop>> EventLoop::Create(const EventLoopOptions& options,
                                                             std::span<const Listener> listeners,
                                                             HttpService& service,
                                                             const WorkPools& pools) {
  std::unique_ptr<EventLoop> loop(new EventLoop(options, listeners, service, pools));
  PMDEX_RETURN_IF_ERROR(loop->Open());
  return loop;
}

EventLoop::EventLoop(const EventLoopOptions& options, std::span<const Listener> listeners,
                     HttpService& service, const WorkPools& pools)
    : options_(options),
      listeners_(listeners),
      service_(service),
      pools_(pools),
      // One place for each that may be ready. Requests that stayed in the kernel until the next
      // batch would wait unseen: neither their deadline nor overload would count that time.
      events_(options.most_connections + listeners.size() + 1),
      scratch_(kScratchBytes),
      next_id_(kFirstConnection),
      timers_(tick_),
      start_(ServerClock::now()) {}

absl::Status EventLoop::Open() {
  epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  wake_ = FileDescriptor(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!epoll_.valid() || !wake_.valid() ||
      !Watch(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), kWakeId, EPOLLIN)) {
    return ErrnoStatus(errno, "epoll");
  }
  is_accepting_ = false;
  ResumeAccepting();
  return absl::OkStatus();
}

void EventLoop::Run() {
  if (!options_.cpus.empty()) (void)RunOnCpus(options_.cpus);  // slower without, but right
  while (!is_draining_ || !connections_.empty()) RunBatch();
}

void EventLoop::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof one);  // full: the loop is to wake anyway
}

void EventLoop::BeginDrain() {
  drain_asked_ = true;
  Wake();
}

int EventLoop::PollForEvents(ServerClock::time_point until) {
  for (;;) {
    const int count = epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), 0);
    if (count != 0 || ServerClock::now() >= until) return count;
    ++counters_.empty_polls;
  }
}

int EventLoop::WaitForEvents(ServerClock::time_point until) {
  const auto poll_end = std::min(until, batch_end_ + options_.busy_poll);
  if (options_.busy_poll.count() > 0 && ServerClock::now() < poll_end) {
    if (const int count = PollForEvents(poll_end); count != 0) return count;
  }
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - ServerClock::now()).count();
  return epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()),
                    static_cast<int>(std::max<int64_t>(0, left)));
}

void EventLoop::RunBatch() {
  const ServerClock::time_point next_tick = start_ + kLoopTick * tick_;
  ServerClock::time_point until = next_tick;
  if (!work_deadlines_.empty()) until = std::min(until, work_deadlines_.begin()->first);
  if (!backlog_.empty()) until = ServerClock::time_point();
  const int count = WaitForEvents(until);
  batch_start_ = ServerClock::now();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_[static_cast<size_t>(i)];
    Dispatch(event.data.u64, event.events);
  }
  ExpireWork();
  for (const uint64_t id : std::exchange(backlog_, {})) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) continue;
    found->second->is_in_backlog = false;
    ServeRequests(*found->second);
    Settle(*found->second);
  }
  NoteBatch();
  const ServerClock::time_point end = ServerClock::now();
  if (count > 0) batch_end_ = end;
  if (end >= next_tick) Tick();
}

void EventLoop::Dispatch(uint64_t id, uint32_t events) {
  if (id == kWakeId) {
    uint64_t count = 0;
    (void)!read(wake_.get(), &count, sizeof count);
    TakeAnswers();
    if (drain_asked_ && !is_draining_) StartDraining();
    service_.Tick(options_.number);
    return;
  }
  if (id < kFirstConnection) return Accept(id - kWakeId - 1);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;  // closed earlier in this batch
  Connection& connection = *found->second;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return Close(connection);
  if ((events & EPOLLIN) != 0) return ReadFrom(connection);
  Settle(connection);
}

void EventLoop::Accept(size_t listener) {
  for (size_t i = 0; i < kMostAccepted; ++i) {
    FileDescriptor socket(accept4(listeners_[listener].socket(options_.number), nullptr, nullptr,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
        PauseAccepting();
      }
      return;
    }
    if (connections_.size() >= options_.most_connections) {
      ++counters_.refused_connections;
      continue;
    }
    const uint64_t id = next_id_++;
    auto connection = std::make_unique<Connection>(id, std::move(socket), options_.limits);
    if (!Watch(epoll_.get(), EPOLL_CTL_ADD, connection->socket(), id, EPOLLIN)) continue;
    connection->peer_uid = PeerUserOf(connection->socket());
    connection->events = EPOLLIN;
    connection->deadline_tick = TickAfter(options_.head_timeout);
    connection->phase = ConnectionPhase::kHead;
    timers_.Add(id, connection->deadline_tick);
    ++counters_.accepted;
    ++counters_.connections;
    Connection& added = *connections_.emplace(id, std::move(connection)).first->second;
    ReadFrom(added);  // most clients have sent their request by now
  }
}

// Without descriptors epoll would report the listeners again and again.
void EventLoop::PauseAccepting() {
  for (const Listener& listener : listeners_) {
    Watch(epoll_.get(), EPOLL_CTL_DEL, listener.socket(options_.number), 0, 0);
  }
  is_accepting_ = false;
}

void EventLoop::ResumeAccepting() {
  if (is_accepting_ || is_draining_) return;
  for (size_t i = 0; i < listeners_.size(); ++i) {
    const uint32_t events = listeners_[i].is_shared() ? EPOLLIN | EPOLLEXCLUSIVE : EPOLLIN;
    Watch(epoll_.get(), EPOLL_CTL_ADD, listeners_[i].socket(options_.number), kWakeId + 1 + i,
          events);
  }
  is_accepting_ = true;
}

void EventLoop::ReadFrom(Connection& connection) {
  if (connection.phase == ConnectionPhase::kClosing) {
    if (!connection.Discard(scratch_)) Close(connection);
    return;
  }
  if (!connection.Receive(scratch_)) return Close(connection);
  if (!connection.is_in_backlog) ServeRequests(connection);
  Settle(connection);
}

void EventLoop::ServeRequests(Connection& connection) {
  for (size_t served = 0; !connection.is_waiting() && !connection.closes(); ++served) {
    if (connection.output_bytes() > kMostOutput || connection.sends_pieces()) {
      connection.is_held_back = true;
      return;
    }
    if (served == kMostRequests) {
      connection.is_in_backlog = true;
      backlog_.push_back(connection.id());
      return;
    }
    const RequestParser::State state = connection.Parse();
    CountInput(connection);
    if (state == RequestParser::State::kDone) {
      ServeOne(connection);
    } else if (state == RequestParser::State::kFailed) {
      RefuseRest(connection, connection.parser().failure());
    } else if (input_bytes_ > options_.most_input_bytes && connection.input_bytes() > 0) {
      RefuseRest(connection, OutOfMemoryFailure());
    } else {
      if (connection.parser().expects_continue()) connection.SendContinue();
      return;
    }
  }
}

void EventLoop::BeginAnswer(Connection& connection, std::string method) {
  connection.is_head_request = method == "HEAD";
  connection.current = {
      std::move(method), connection.parser().target(), 0, 0, batch_start_, {}, {}};
}

void EventLoop::RefuseRest(Connection& connection, const HttpFailure& failure) {
  BeginAnswer(connection, "");
  connection.was_refused = true;
  Finish(connection, service_.Refuse(failure));
}

ServeOutcome EventLoop::AskService(Connection& connection) {
  HttpRequest request = connection.parser().TakeRequest();
  CountInput(connection);
  BeginAnswer(connection, request.method);
  RequestContext context;
  context.loop = options_.number;
  context.arrival = batch_start_;
  context.overloaded = IsOverloaded();
  context.peer_uid = connection.peer_uid;
  try {
    return service_.Serve(std::move(request), context);
  } catch (const std::bad_alloc&) {
    return {service_.Refuse(OutOfMemoryFailure()), nullptr};
  }
}

void EventLoop::Finish(Connection& connection, HttpResponse response) {
  connection.current.status = response.status;
  connection.current.body_bytes = response.body.size();
  connection.current.done = ServerClock::now();
  const bool keep_alive =
      connection.parser().keep_alive() && !connection.was_refused && !is_draining_;
  connection.Respond(std::move(response), connection.is_head_request, keep_alive);
  service_.Finished(connection.current);
}

}  // namespace pmdex
