// What BoundedQueue keeps values in that belong to a group of threads (node_groups.h): a lane for
// each group. First in, first out inside a lane; a thread is given the first value of its own
// group's lane, or when that is empty, of the fullest one. With one group: a std::deque.
//
// GroupOf(value), found beside the type, says whose it is. Not thread-safe: the queue is. front()
// and pop_front() mean the calling thread's value.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "engine/ingest/pipeline/node_groups.h"

namespace pmdex {

template <typename T>
class GroupQueues {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  void push_back(T value) {
    const size_t group = GroupOf(value);
    if (group >= queues_.size()) queues_.resize(group + 1);
    queues_[group].push_back(std::move(value));
    ++size_;
  }
  // Require !empty().
  T& front() { return NextQueue().front(); }
  void pop_front() {
    NextQueue().pop_front();
    --size_;
  }
  void clear() {
    queues_.clear();
    size_ = 0;
  }

 private:
  std::deque<T>& NextQueue() {
    const size_t own = NodeGroups::Current();
    if (own < queues_.size() && !queues_[own].empty()) return queues_[own];
    // The fullest one can spare a value most.
    size_t fullest = 0;
    for (size_t lane = 1; lane < queues_.size(); ++lane) {
      if (queues_[lane].size() > queues_[fullest].size()) fullest = lane;
    }
    return queues_[fullest];
  }

  std::vector<std::deque<T>> queues_;
  size_t size_ = 0;
};

}  // namespace pmdex
