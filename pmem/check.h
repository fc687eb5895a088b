// PMDEX_CHECK(condition) aborts the process if the condition is false, and prints the condition
// with its file and line. Use it for invariants of this program, never for bytes that came from a
// file. PMDEX_DCHECK does the same in debug builds; in a release build it does not evaluate its
// condition. Thread-safe.
#pragma once

namespace pmdex {

// Prints the condition and its place to standard error, then aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace pmdex

#define PMDEX_CHECK(condition) \
  ((condition) ? (void)0 : ::pmdex::CheckFailed(__FILE__, __LINE__, #condition))
#ifdef NDEBUG
#define PMDEX_DCHECK(condition) ((void)sizeof(!(condition)))
#else
#define PMDEX_DCHECK(condition) PMDEX_CHECK(condition)
#endif
