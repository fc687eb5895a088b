#include "tools/counters/frame_walk.h"

#include <pthread.h>

namespace pmdex {
namespace {

constexpr uint64_t kWordBytes = sizeof(uint64_t);

// The sanitizers take a frame that is not the reader's own for a mistake.
__attribute__((no_sanitize("address", "thread"))) uint64_t StackWordAt(uint64_t address) {
  return *reinterpret_cast<const volatile uint64_t*>(address);
}

}  // namespace

StackBounds StackOfThisThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  size_t bytes = 0;
  StackBounds stack;
  if (pthread_attr_getstack(&attributes, &lowest, &bytes) == 0) {
    stack.begin = reinterpret_cast<uint64_t>(lowest);
    stack.end = stack.begin + bytes;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

size_t WalkFrames(const StackBounds& stack, uint64_t stack_pointer, uint64_t frame_pointer,
                  std::span<uint64_t> callers) {
  if (stack_pointer < stack.begin || stack_pointer >= stack.end) return 0;
  uint64_t lowest = stack_pointer;
  size_t found = 0;
  while (found < callers.size()) {
    const uint64_t frame = frame_pointer;
    if (frame % kWordBytes != 0 || frame < lowest || frame >= stack.end ||
        stack.end - frame < 2 * kWordBytes) {
      break;
    }
    const uint64_t caller = StackWordAt(frame + kWordBytes);
    if (caller == 0) break;
    callers[found++] = caller;
    frame_pointer = StackWordAt(frame);
    lowest = frame + 2 * kWordBytes;
  }
  return found;
}

}  // namespace pmdex
