// Finds who called the function that a signal interrupted, by the chain of frame pointers that the
// compiler leaves on the stack (-fno-omit-frame-pointer): each frame holds the address of its
// caller's frame, and above it the address to return to. Reads nothing but the thread's own stack,
// however broken the chain is. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pmdex {

// More callers than this are left out, the outermost first.
constexpr size_t kMostCallers = 62;

// Where a stack lies; it grows downwards from `end`. Both are 0 if this is not known.
struct StackBounds {
  uint64_t begin = 0;
  uint64_t end = 0;  // behind its last byte
};

// Of the calling thread. Not for signal handlers.
StackBounds StackOfThisThread();

// Writes the return addresses of the callers, the innermost first, and returns how many. stack:
// that of the calling thread, whose memory from the stack pointer to the end must be readable. The
// chain ends where a frame is not above the one before, not aligned, or outside the stack; so does
// the walk at once if the stack pointer is outside. What code without frame pointers leaves in the
// register may end it early or be taken for a frame, so that an address may be one of no code.
// For signal handlers.
size_t WalkFrames(const StackBounds& stack, uint64_t stack_pointer, uint64_t frame_pointer,
                  std::span<uint64_t> callers);

}  // namespace pmdex
