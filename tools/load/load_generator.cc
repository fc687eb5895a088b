#include "tools/load/load_generator.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <random>

#include "absl/strings/str_cat.h"

#include "pmem/file_descriptor.h"
#include "tools/load/response_scanner.h"

namespace pmdex {
namespace {

using LoadClock = std::chrono::steady_clock;

absl::StatusOr<FileDescriptor> ConnectUnix(const LoadTarget& target) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (target.host.size() >= sizeof address.sun_path) return InvalidArgument("the path is too long");
  std::memcpy(address.sun_path, target.host.c_str(), target.host.size());
  FileDescriptor fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return ErrnoStatus(errno, absl::StrCat("cannot connect to unix:", target.host));
  }
  return fd;
}

absl::StatusOr<FileDescriptor> ConnectTcp(const LoadTarget& target) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const std::string name = absl::StrCat(target.host, ":", target.port);
  if (getaddrinfo(target.host.c_str(), target.port.c_str(), &hints, &list) != 0) {
    return MakeStatus(absl::StatusCode::kUnavailable, absl::StrCat("there is no address ", name));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  int error = 0;
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    FileDescriptor fd(socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int on = 1;
    setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(fd.get(), info->ai_addr, info->ai_addrlen) == 0) return fd;
    error = errno;
  }
  return ErrnoStatus(error, absl::StrCat("cannot connect to ", name));
}

struct LoadConnection {
  FileDescriptor socket;
  ResponseScanner scanner;
  LoadClock::time_point due;  // of the request that waits for its answer
  size_t request = 0;         // that one: an index into the requests
  bool is_busy = false;
  bool has_answer = false;  // the first bytes of it
  bool is_resent = false;
};

class LoadRun {
 public:
  LoadRun(const LoadTarget& target, const std::vector<std::string>& requests, const LoadPlan& plan)
      : target_(target), requests_(requests), plan_(plan), random_(plan.seed) {}

  absl::StatusOr<LoadResult> Run();

 private:
  absl::Status Connect(size_t number);
  void SetNextDue();
  // Sends the requests that are due, as far as connections are free.
  void SendDue(LoadClock::time_point now);
  void Send(size_t number, LoadClock::time_point due, size_t request);
  void Await(LoadClock::time_point end);
  void Receive(size_t number);
  void Finish(size_t number, LoadClock::time_point now);
  // The server closed the connection of a request, or it broke.
  void Lose(size_t number);
  void Fail(size_t number);
  void FailLate(LoadClock::time_point now);
  bool IsDone(LoadClock::time_point now) const {
    return now >= end_ && waiting_.empty() && idle_.size() + lost_ == connections_.size();
  }

  const LoadTarget& target_;
  const std::vector<std::string>& requests_;
  const LoadPlan& plan_;
  std::mt19937_64 random_;
  FileDescriptor epoll_;
  std::vector<LoadConnection> connections_;
  std::vector<size_t> idle_;
  size_t lost_ = 0;                            // connections that cannot be made again
  std::deque<LoadClock::time_point> waiting_;  // due, without a free connection
  LoadClock::time_point start_, end_, next_due_, last_answer_, next_late_look_;
  double due_seconds_ = 0;
  size_t next_request_ = 0;
  std::vector<char> buffer_ = std::vector<char>(65536);
  LoadResult result_;
  std::vector<double> ok_us_, shed_us_;
};

absl::Status LoadRun::Connect(size_t number) {
  LoadConnection& connection = connections_[number];
  auto made = target_.is_unix ? ConnectUnix(target_) : ConnectTcp(target_);
  if (!made.ok()) return made.status();
  connection = LoadConnection();
  connection.socket = *std::move(made);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = number;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection.socket.get(), &event) != 0) {
    return ErrnoStatus(errno, "epoll_ctl");
  }
  return absl::OkStatus();
}

void LoadRun::SetNextDue() {
  due_seconds_ += std::exponential_distribution<double>(plan_.rate)(random_);
  next_due_ = start_ + std::chrono::duration_cast<LoadClock::duration>(
                           std::chrono::duration<double>(due_seconds_));
}

void LoadRun::Send(size_t number, LoadClock::time_point due, size_t request) {
  LoadConnection& connection = connections_[number];
  const std::string& text = requests_[request];
  connection.due = due;
  connection.request = request;
  connection.is_busy = true;
  connection.has_answer = false;
  connection.scanner.Reset(!text.starts_with("HEAD "));
  // A request fits into the buffer of an idle socket.
  const ssize_t sent = send(connection.socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(text.size())) Lose(number);
}

void LoadRun::SendDue(LoadClock::time_point now) {
  if (plan_.rate > 0) {
    for (; next_due_ <= now && next_due_ < end_; SetNextDue()) {
      ++result_.due;
      waiting_.push_back(next_due_);
    }
  }
  while (!idle_.empty() && (plan_.rate > 0 ? !waiting_.empty() : now < end_)) {
    const size_t number = idle_.back();
    idle_.pop_back();
    LoadClock::time_point due = now;
    if (plan_.rate > 0) {
      due = waiting_.front();
      waiting_.pop_front();
    } else {
      ++result_.due;
    }
    Send(number, due, next_request_++ % requests_.size());
  }
}

void LoadRun::Finish(size_t number, LoadClock::time_point now) {
  LoadConnection& connection = connections_[number];
  const int status = connection.scanner.status();
  const double us = std::chrono::duration<double, std::micro>(now - connection.due).count();
  if (status >= 200 && status < 300) {
    ++result_.ok;
    ok_us_.push_back(us);
  } else if (status == 429 || status == 503) {
    ++result_.shed;
    shed_us_.push_back(us);
  } else {
    ++result_.errors;
    if (result_.first_error == 0) result_.first_error = status;
  }
  last_answer_ = now;
  connection.is_busy = connection.is_resent = false;
  if (connection.scanner.keeps_open() || Connect(number).ok()) {
    idle_.push_back(number);
  } else {
    ++lost_;
  }
}

void LoadRun::Lose(size_t number) {
  const LoadConnection& lost = connections_[number];
  const LoadClock::time_point due = lost.due;
  const size_t request = lost.request;
  if (lost.has_answer || lost.is_resent || !Connect(number).ok()) return Fail(number);
  ++result_.resent;
  connections_[number].is_resent = true;
  Send(number, due, request);
}

void LoadRun::Fail(size_t number) {
  ++result_.errors;
  connections_[number].is_busy = false;
  if (Connect(number).ok()) {
    idle_.push_back(number);
  } else {
    ++lost_;
    connections_[number].socket.Reset();
  }
}

void LoadRun::FailLate(LoadClock::time_point now) {
  if (now < next_late_look_) return;
  next_late_look_ = now + std::chrono::milliseconds(100);
  for (size_t i = 0; i < connections_.size(); ++i) {
    if (connections_[i].is_busy && now - connections_[i].due > plan_.timeout) Fail(i);
  }
  while (!waiting_.empty() && now - waiting_.front() > plan_.timeout) {
    waiting_.pop_front();
    ++result_.errors;
  }
  if (lost_ == connections_.size()) {
    result_.errors += waiting_.size();
    waiting_.clear();
  }
}

void LoadRun::Receive(size_t number) {
  LoadConnection& connection = connections_[number];
  const ssize_t count = recv(connection.socket.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (!connection.is_busy) {  // the server has closed an idle connection
    std::erase(idle_, number);
    if (Connect(number).ok()) {
      idle_.push_back(number);
    } else {
      ++lost_;
      connection.socket.Reset();
    }
    return;
  }
  if (count <= 0) return Lose(number);
  connection.has_answer = true;
  const bool ended = connection.scanner.Scan({buffer_.data(), static_cast<size_t>(count)});
  if (connection.scanner.is_broken()) return Fail(number);
  if (ended) Finish(number, LoadClock::now());
}

void LoadRun::Await(LoadClock::time_point until) {
  std::array<epoll_event, 256> events;
  const auto left = std::max(LoadClock::duration(0), until - LoadClock::now());
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  const timespec limit = {ns / 1'000'000'000, ns % 1'000'000'000};
  const int count = epoll_pwait2(epoll_.get(), events.data(), events.size(), &limit, nullptr);
  for (int i = 0; i < count; ++i) Receive(events[static_cast<size_t>(i)].data.u64);
}

absl::StatusOr<LoadResult> LoadRun::Run() {
  epoll_ = FileDescriptor(epoll_create1(EPOLL_CLOEXEC));
  prctl(PR_SET_TIMERSLACK, 1);  // the kernel would else wake this thread up to 50 us late
  connections_.resize(plan_.connections);
  for (size_t i = 0; i < connections_.size(); ++i) {
    PMDEX_RETURN_IF_ERROR(Connect(i));
    idle_.push_back(i);
  }
  result_.plan = plan_;
  start_ = last_answer_ = LoadClock::now();
  end_ = start_ + plan_.duration;
  if (plan_.rate > 0) SetNextDue();
  for (auto now = start_; !IsDone(now); now = LoadClock::now()) {
    SendDue(now);
    FailLate(now);
    const bool has_next = plan_.rate > 0 && next_due_ < end_;
    Await(std::min(now + std::chrono::milliseconds(10),
                   has_next ? next_due_ : LoadClock::time_point::max()));
  }
  result_.seconds = std::chrono::duration<double>(last_answer_ - start_).count();
  result_.latencies = LatenciesOf(ok_us_);
  result_.shed_latencies = LatenciesOf(shed_us_);
  return result_;
}

}  // namespace

LoadLatencies LatenciesOf(std::vector<double>& values_us) {
  LoadLatencies latencies;
  if (values_us.empty()) return latencies;
  std::sort(values_us.begin(), values_us.end());
  const auto rank = [&](double quantile) {
    const double number = std::ceil(quantile * static_cast<double>(values_us.size()));
    return values_us[static_cast<size_t>(std::max(1.0, number)) - 1];
  };
  latencies.mean_us = std::accumulate(values_us.begin(), values_us.end(), 0.0) /
                      static_cast<double>(values_us.size());
  latencies.p50_us = rank(0.5);
  latencies.p90_us = rank(0.9);
  latencies.p99_us = rank(0.99);
  latencies.p999_us = rank(0.999);
  latencies.max_us = values_us.back();
  return latencies;
}

absl::StatusOr<LoadResult> RunLoad(const LoadTarget& target,
                                   const std::vector<std::string>& requests, const LoadPlan& plan) {
  return LoadRun(target, requests, plan).Run();
}

}  // namespace pmdex
