#include "tools/counters/timer_sampler.h"

#include <sys/types.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

#include "pmem/check.h"
#include "tools/counters/frame_walk.h"

namespace pmdex {

// The handler writes here what it notes. It interrupts the thread that reads, so that atomic words
// suffice. `used` is stored after the words that it counts, and loaded before them.
struct NotedStacks {
  // Samples one behind the other: how many callers, the instruction, the callers.
  std::array<std::atomic<uint64_t>, 65536> words = {};
  std::atomic<size_t> used = 0;  // words
  std::atomic<uint64_t> dropped = 0;
  StackBounds stack;  // of the thread

  void Note(uint64_t address, uint64_t stack_pointer, uint64_t frame_pointer) {
    std::array<uint64_t, kMostCallers> callers;
    const size_t count = WalkFrames(stack, stack_pointer, frame_pointer, callers);
    size_t next = used.load(std::memory_order_relaxed);
    if (words.size() - next < count + 2) {
      dropped.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    words[next++].store(count, std::memory_order_relaxed);
    words[next++].store(address, std::memory_order_relaxed);
    for (size_t i = 0; i < count; ++i) words[next++].store(callers[i], std::memory_order_relaxed);
    used.store(next, std::memory_order_release);
  }
};

namespace {

// Where the handler notes for this thread; nullptr while it is not sampled.
constinit thread_local std::atomic<NotedStacks*> noted_here = nullptr;

void NoteContext(const mcontext_t& context, NotedStacks& noted) {
#if defined(__x86_64__)
  const auto register_of = [&](int number) { return static_cast<uint64_t>(context.gregs[number]); };
  noted.Note(register_of(REG_RIP), register_of(REG_RSP), register_of(REG_RBP));
#elif defined(__aarch64__)
  noted.Note(context.pc, context.sp, context.regs[29]);
#else
#error "the registers of the instruction, the stack and the frame are not known"
#endif
}

void TakeSignal(int /*signal*/, siginfo_t* /*info*/, void* context) {
  NotedStacks* const noted = noted_here.load(std::memory_order_relaxed);
  if (noted != nullptr) NoteContext(static_cast<ucontext_t*>(context)->uc_mcontext, *noted);
}

absl::Status InstallHandler() {
  struct sigaction action = {};
  action.sa_sigaction = TakeSignal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGPROF, &action, nullptr) != 0) return ErrnoStatus(errno, "sigaction(SIGPROF)");
  return absl::OkStatus();
}

}  // namespace

TimerSampler::TimerSampler() : noted_(std::make_unique<NotedStacks>()) {}

absl::StatusOr<std::unique_ptr<TimerSampler>> TimerSampler::Start(uint32_t rate_hz) {
  constexpr int64_t kSecond = 1'000'000'000;
  PMDEX_CHECK(noted_here == nullptr);
  PMDEX_RETURN_IF_ERROR(InstallHandler());
  std::unique_ptr<TimerSampler> sampler(new TimerSampler);
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();  // this glibc has no sigev_notify_thread_id
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &sampler->timer_) != 0) {
    return ErrnoStatus(errno, "timer_create");
  }
  sampler->has_timer_ = true;
  sampler->noted_->stack = StackOfThisThread();
  noted_here = sampler->noted_.get();
  itimerspec times = {};
  times.it_interval.tv_nsec = std::min(kSecond / std::max<int64_t>(rate_hz, 1), kSecond - 1);
  times.it_value = times.it_interval;
  if (timer_settime(sampler->timer_, 0, &times, nullptr) != 0) {
    return ErrnoStatus(errno, "timer_settime");
  }
  return sampler;
}

TimerSampler::~TimerSampler() {
  if (!has_timer_) return;
  timer_delete(timer_);
  noted_here = nullptr;  // a signal may still be on its way
}

void TimerSampler::Drain(std::vector<CpuSample>& samples) {
  const auto thread = static_cast<uint32_t>(gettid());
  size_t used = noted_->used.load(std::memory_order_acquire);
  size_t next = 0;
  const auto take = [&] { return noted_->words[next++].load(std::memory_order_relaxed); };
  do {  // again if a signal has come meanwhile
    while (next < used) {
      const uint64_t callers = take();
      CpuSample& sample = samples.emplace_back();
      sample.thread = thread;
      sample.address = take();
      for (uint64_t i = 0; i < callers; ++i) sample.callers.push_back(take());
    }
  } while (!noted_->used.compare_exchange_strong(used, 0, std::memory_order_acq_rel));
  lost_ += noted_->dropped.exchange(0, std::memory_order_relaxed);
}

}  // namespace pmdex
