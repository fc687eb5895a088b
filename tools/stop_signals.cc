#include "tools/stop_signals.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>

#include "pmem/check.h"

namespace pmdex {
namespace {

constexpr std::array<int, 2> kSignals = {SIGINT, SIGTERM};

// Writes the message to stderr; on a terminal it erases the progress line first. Async-signal-safe.
void WriteFinalMessage(const char* message, bool terminal) {
  constexpr char kWipe[] = "\r\x1b[K";
  ssize_t written = terminal ? write(STDERR_FILENO, kWipe, sizeof kWipe - 1) : 0;
  if (message != nullptr) written = write(STDERR_FILENO, message, std::strlen(message));
  (void)written;  // an error could not be reported anywhere
}

}  // namespace

// The state that the signal handler uses. All of it is lock-free.
struct StopSignals::Handlers {
  std::optional<StopFlag> flag;  // made anew by each object, before the handler is installed
  std::atomic<int> first{0};
  std::atomic<const char*> final_message{nullptr};
  std::atomic<bool> terminal{false};
  std::atomic<bool> in_use{false};
  std::array<struct sigaction, kSignals.size()> before;

  static void Handle(int signal) {
    const int saved_errno = errno;
    int none = 0;
    const char* const message = handlers_.final_message.load();
    if (message == nullptr && handlers_.first.compare_exchange_strong(none, signal)) {
      handlers_.flag->Set();
    } else {
      WriteFinalMessage(message, handlers_.terminal.load());
      struct sigaction action {};
      action.sa_handler = SIG_DFL;
      sigaction(signal, &action, nullptr);
      raise(signal);  // delivered when this handler returns
    }
    errno = saved_errno;
  }
};

StopSignals::Handlers StopSignals::handlers_;

StopSignals::StopSignals() {
  static_assert(std::atomic<int>::is_always_lock_free &&
                std::atomic<const char*>::is_always_lock_free);
  PMDEX_CHECK(!handlers_.in_use.exchange(true));
  handlers_.flag.emplace();
  handlers_.first = 0;
  handlers_.final_message = nullptr;
  handlers_.terminal = isatty(STDERR_FILENO) != 0;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = &Handlers::Handle;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(kSignals[i], nullptr, &handlers_.before[i]);
    if (handlers_.before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &handlers_.before[i], nullptr);
  }
  handlers_.in_use = false;
}

const StopFlag& StopSignals::flag() const {
  return *handlers_.flag;
}

int StopSignals::signal() const {
  return handlers_.first.load();
}

void StopSignals::EndAtOnce(const char* final_message) {
  handlers_.final_message = final_message;
}

const char* StopSignalName(int signal) {
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace pmdex
