// Binds the calling thread to one CPU for as long as an object lives, for commands that measure.
// For one thread.
#pragma once

#include <cstddef>
#include <vector>

namespace pmdex {

class BoundToCpu {
 public:
  // The thread number `thread` gets the CPU at that place of the list, modulo its length; with an
  // empty list, and where the system refuses, it runs on any CPU.
  BoundToCpu(const std::vector<int>& cpus, size_t thread);
  ~BoundToCpu();
  BoundToCpu(const BoundToCpu&) = delete;
  BoundToCpu& operator=(const BoundToCpu&) = delete;

 private:
  std::vector<int> before_;
};

}  // namespace pmdex
