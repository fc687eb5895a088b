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

namespace pmdex {

// The handler writes here what it notes. It interrupts the thread that reads, so that relaxed
// operations suffice: no other thread sees them.
struct NotedAddresses {
  std::array<std::atomic<uint64_t>, 4096> addresses = {};
  std::atomic<uint32_t> count = 0;
  std::atomic<uint64_t> dropped = 0;

  void Note(uint64_t address) {
    const uint32_t next = count.load(std::memory_order_relaxed);
    if (next == addresses.size()) {
      dropped.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    addresses[next].store(address, std::memory_order_relaxed);
    count.store(next + 1, std::memory_order_relaxed);
  }
};

namespace {

// Where the handler notes for this thread; nullptr while it is not sampled.
constinit thread_local std::atomic<NotedAddresses*> noted_here = nullptr;

uint64_t AddressOf(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
#error "the register of the instruction pointer is not known"
#endif
}

void TakeSignal(int /*signal*/, siginfo_t* /*info*/, void* context) {
  NotedAddresses* const noted = noted_here.load(std::memory_order_relaxed);
  if (noted != nullptr) noted->Note(AddressOf(*static_cast<ucontext_t*>(context)));
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

TimerSampler::TimerSampler() : noted_(std::make_unique<NotedAddresses>()) {}

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
  const uint32_t count = noted_->count.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    samples.push_back({thread, noted_->addresses[i].load(std::memory_order_relaxed)});
  }
  const uint32_t now = noted_->count.exchange(0, std::memory_order_relaxed);
  lost_ += now - count;  // those of signals since
  lost_ += noted_->dropped.exchange(0, std::memory_order_relaxed);
}

}  // namespace pmdex
