// A library to preload (LD_PRELOAD) into the real program. At a chosen call the system starts no
// thread or has no memory. All other calls are passed on to the C library.
//
//   PMDEX_FAIL_THREADS_FROM   the number, from 1, of the first thread that is not started; later
//                             threads are not started either
//   PMDEX_FAIL_MALLOC_AT      the number, from 1, of the call of malloc that returns nullptr, among
//                             the calls of all threads but the first one
//   PMDEX_FAIL_MARK           a file that is created when a call fails
//
// No memory is refused while the C library looks up a user or a group: glibc 2.36 then ends the
// process by an assertion or a null pointer (nss_database.c), which no caller can prevent.
//
// Built into no test; thread-safe.
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

extern "C" void* __libc_malloc(size_t size);
extern "C" void* __libc_memalign(size_t alignment, size_t size);

namespace {

using CreateThread = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

const char* mark = nullptr;
long fail_threads_from = 0;  // 0: all are started
long fail_malloc_at = 0;     // 0: none fails
long fail_aligned_alloc_at = 0;
std::atomic<long> threads{0};
std::atomic<long> allocations{0};
std::atomic<long> aligned_allocations{0};

long NumberOf(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

__attribute__((constructor)) void ReadPlan() {
  mark = std::getenv("PMDEX_FAIL_MARK");
  fail_threads_from = NumberOf("PMDEX_FAIL_THREADS_FROM");
  fail_malloc_at = NumberOf("PMDEX_FAIL_MALLOC_AT");
  fail_aligned_alloc_at = NumberOf("PMDEX_FAIL_ALIGNED_ALLOC_AT");
}

void MakeMark() {
  if (mark == nullptr) return;
  const long fd = syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) syscall(SYS_close, fd);
}

thread_local bool looks_up_account = false;

// True where memory is always given.
bool IsSpared() {
  return looks_up_account || syscall(SYS_gettid) == syscall(SYS_getpid);
}

// Calls the C library's function of this name.
template <typename Record, typename Id>
int LookUp(const char* function, Id id, Record* record, char* room, size_t room_bytes,
           Record** found) {
  using Function = int (*)(Id, Record*, char*, size_t, Record**);
  const auto look_up = reinterpret_cast<Function>(dlsym(RTLD_NEXT, function));
  looks_up_account = true;
  const int error = look_up(id, record, room, room_bytes, found);
  looks_up_account = false;
  return error;
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  static const auto create = reinterpret_cast<CreateThread>(dlsym(RTLD_NEXT, "pthread_create"));
  if (fail_threads_from == 0 || ++threads < fail_threads_from) {
    return create(thread, attributes, body, argument);
  }
  MakeMark();
  return EAGAIN;
}

int getpwuid_r(uid_t uid, passwd* record, char* room, size_t room_bytes, passwd** found) {
  return LookUp("getpwuid_r", uid, record, room, room_bytes, found);
}

int getgrgid_r(gid_t gid, group* record, char* room, size_t room_bytes, group** found) {
  return LookUp("getgrgid_r", gid, record, room, room_bytes, found);
}

void* malloc(size_t size) {
  if (fail_malloc_at == 0 || IsSpared() || ++allocations != fail_malloc_at) {
    return __libc_malloc(size);
  }
  MakeMark();
  errno = ENOMEM;
  return nullptr;
}

void* aligned_alloc(size_t alignment, size_t size) {
  if (fail_aligned_alloc_at == 0 || IsSpared() || ++aligned_allocations != fail_aligned_alloc_at) {
    return __libc_memalign(alignment, size);
  }
  MakeMark();
  errno = ENOMEM;
  return nullptr;
}

}  // extern "C"
