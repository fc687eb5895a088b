// The blocks of a queue, in a lane for each group of threads (node_groups.h): what BoundedQueue
// keeps its values in. First in, first out inside a lane; a thread is given the first block of its
// own group's lane, or when that is empty, one of another lane. With one group: a std::deque.
//
// Not thread-safe: the queue is. front() and pop_front() mean the calling thread's block.
#pragma once

#include <deque>
#include <utility>
#include <vector>

#include "engine/ingest/block_pool.h"
#include "engine/ingest/node_groups.h"

namespace pmdex {

class BlockLanes {
 public:
  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Into the lane of the group that the block's memory belongs to.
  void push_back(BlockPtr block) {
    const size_t group = block->group;
    if (group >= lanes_.size()) lanes_.resize(group + 1);
    lanes_[group].push_back(std::move(block));
    ++size_;
  }
  // Require !empty().
  BlockPtr& front() { return NextLane().front(); }
  void pop_front() {
    NextLane().pop_front();
    --size_;
  }
  void clear() {
    lanes_.clear();
    size_ = 0;
  }

 private:
  std::deque<BlockPtr>& NextLane() {
    const size_t own = NodeGroups::Current();
    if (own < lanes_.size() && !lanes_[own].empty()) return lanes_[own];
    // The fullest one can spare a block most.
    size_t fullest = 0;
    for (size_t lane = 1; lane < lanes_.size(); ++lane) {
      if (lanes_[lane].size() > lanes_[fullest].size()) fullest = lane;
    }
    return lanes_[fullest];
  }

  std::vector<std::deque<BlockPtr>> lanes_;
  size_t size_ = 0;
};

}  // namespace pmdex
