// Gives what malloc keeps of freed memory back to the kernel: to be called before the memory is
// released to a budget, because others will take as much again, on threads whose arenas cannot use
// what this one's still hold, and the process would have both.
//
// Costs a walk over the free memory of all arenas, each locked meanwhile, and a system call for
// every run of whole free pages; what is given back is faulted in again, zeroed, by whoever takes
// it next, on other threads too. So for the end of something large, not for every free. Does
// nothing on a C library that is not glibc. Thread-safe: no state.
#pragma once

namespace pmdex {

void ReturnFreedMemory();

}  // namespace pmdex
