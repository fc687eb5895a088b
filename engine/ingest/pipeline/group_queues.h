// The container inside a BoundedQueue whose values belong to groups of threads (node_groups.h). It
// keeps one first-in-first-out queue for each group. front() and pop_front() mean the first value
// of the calling thread's group. If that group has none, they mean the first value of the group
// that has most. With one group it behaves like a std::deque.
//
// GroupOf(value), found beside the type of the value, returns its group. Not thread-safe:
// BoundedQueue locks.
#pragma once

#include <cstddef>
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
    size_t longest = 0;
    for (size_t group = 1; group < queues_.size(); ++group) {
      if (queues_[group].size() > queues_[longest].size()) longest = group;
    }
    return queues_[longest];
  }

  std::vector<std::deque<T>> queues_;  // by group
  size_t size_ = 0;
};

}  // namespace pmdex
