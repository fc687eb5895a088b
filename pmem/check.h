// CHECK for broken invariants of our own, never for bytes that came from a file: a condition that
// does not hold is printed with its place, and the process aborts. PMDEX_DCHECK costs nothing in a
// release build. Thread-safe.
#pragma once

namespace pmdex {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace pmdex

#define PMDEX_CHECK(condition) \
  ((condition) ? (void)0 : ::pmdex::CheckFailed(__FILE__, __LINE__, #condition))
#ifdef NDEBUG
#define PMDEX_DCHECK(condition) ((void)sizeof(!(condition)))
#else
#define PMDEX_DCHECK(condition) PMDEX_CHECK(condition)
#endif
