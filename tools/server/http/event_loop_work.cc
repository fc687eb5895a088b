// The part of the event loop that has pools make answers, and answers itself where none does so in
// time.
#include <new>
#include <utility>

#include "tools/server/http/event_loop.h"

namespace pmdex {

void EventLoop::ServeOne(Connection& connection) {
  ServeOutcome outcome = AskService(connection);
  connection.current.user = std::move(outcome.user);
  if (outcome.work == nullptr) return Finish(connection, std::move(outcome.response));
  connection.work = std::make_shared<WorkTicket>();
  WorkPool& pool = outcome.is_waiting_work ? pools_.waiting : pools_.heavy;
  const bool taken = pool.Submit(
      outcome.estimate,
      [this, id = connection.id(), work = std::move(outcome.work)] {
        HttpResponse response;
        try {
          response = work();
        } catch (const std::bad_alloc&) {
          response = service_.Refuse(OutOfMemoryFailure());
        }
        Post(id, std::move(response));
      },
      connection.work);
  if (taken) {
    connection.work_deadline = outcome.deadline;
    const bool has_deadline = outcome.deadline != ServerClock::time_point::max();
    if (has_deadline) work_deadlines_.emplace(outcome.deadline, connection.id());
    return;
  }
  connection.work.reset();
  Finish(connection,
         service_.Refuse(outcome.is_waiting_work
                             ? HttpFailure{429, "too many requests that write are waiting"}
                             : HttpFailure{503, "too many heavy requests are waiting"}));
}

void EventLoop::Post(uint64_t connection, HttpResponse response) {
  {
    MutexLock lock(&mutex_);
    answers_.push_back({connection, std::move(response)});
  }
  Wake();
}

void EventLoop::TakeAnswers() {
  std::vector<MadeAnswer> answers;
  {
    MutexLock lock(&mutex_);
    answers.swap(answers_);
  }
  for (MadeAnswer& answer : answers) {
    const auto found = connections_.find(answer.connection);
    if (found != connections_.end()) Answer(*found->second, std::move(answer.response));
  }
}

void EventLoop::Answer(Connection& connection, HttpResponse response) {
  EndWork(connection);
  Finish(connection, std::move(response));
  ServeRequests(connection);
  Settle(connection);
}

void EventLoop::EndWork(Connection& connection) {
  work_deadlines_.erase({connection.work_deadline, connection.id()});
  connection.work.reset();
}

void EventLoop::ExpireWork() {
  while (!work_deadlines_.empty() && work_deadlines_.begin()->first <= ServerClock::now()) {
    const auto found = connections_.find(work_deadlines_.begin()->second);
    work_deadlines_.erase(work_deadlines_.begin());
    // A thread that has begun ends in time by itself.
    if (found->second->work->Take()) Answer(*found->second, service_.TooLate());
  }
}

}  // namespace pmdex
