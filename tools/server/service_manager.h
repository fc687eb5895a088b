// What systemd and this process tell each other: sockets that it has opened (socket activation),
// and datagrams that say that the server is ready, is alive, or ends (sd_notify). The protocols are
// those of sd_listen_fds(3) and sd_notify(3); libsystemd is not needed. Thread-safe after the first
// call of TakeActivatedSockets.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

// The sockets that were passed to this process. Empty if there are none, and from the second call
// on.
absl::StatusOr<std::vector<FileDescriptor>> TakeActivatedSockets();

// Sends "READY=1" or the like. Does nothing if nobody asked for it.
void NotifyServiceManager(std::string_view state);

// How often "WATCHDOG=1" is expected; nullopt if it is not.
std::optional<std::chrono::microseconds> WatchdogInterval();

}  // namespace pmdex
