// serve_command_test.cc shows the same protocols by a whole server.
#include "tools/server/service_manager.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/support/run_program.h"

namespace pmdex {
namespace service_manager_test {

// The variables that a service manager sets, and nothing of them after the test.
class ServiceManager : public testing::Test {
 protected:
  void TearDown() override {
    for (const char* name :
         {"LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
      unsetenv(name);
    }
  }
};

TEST_F(ServiceManager, PassesNoSocketsToAnotherProcess) {
  EXPECT_TRUE(TakeActivatedSockets()->empty());
  setenv("LISTEN_FDS", "1", 1);
  EXPECT_TRUE(TakeActivatedSockets()->empty());  // without LISTEN_PID
  setenv("LISTEN_FDS", "1", 1);
  setenv("LISTEN_PID", "1", 1);
  EXPECT_TRUE(TakeActivatedSockets()->empty());
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr);  // children would take them for theirs
}

TEST_F(ServiceManager, RefusesANumberOfSocketsThatCannotBe) {
  for (const char* count : {"-1", "65"}) {
    setenv("LISTEN_FDS", count, 1);
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
    EXPECT_FALSE(TakeActivatedSockets().ok()) << count;
  }
}

TEST_F(ServiceManager, HearsOverASocketInAFileAndOverAnAbstractOne) {
  const TemporaryDirectory directory;
  const std::string in_file = directory / "notify";
  const std::string abstract = "@pmdex-test-" + std::to_string(getpid());
  for (const std::string& name : {in_file, abstract}) {
    const FileDescriptor fd(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = 0;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    ASSERT_EQ(bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
    NotifyServiceManager("READY=1");
    std::string text(100, ' ');
    text.resize(static_cast<size_t>(recv(fd.get(), text.data(), text.size(), MSG_DONTWAIT)));
    EXPECT_EQ(text, "READY=1") << name;
  }
  for (const char* nowhere : {"", "relative", "/no/such/socket"}) {
    setenv("NOTIFY_SOCKET", nowhere, 1);
    NotifyServiceManager("READY=1");  // does nothing
  }
}

TEST_F(ServiceManager, AsksForSignsOfLife) {
  EXPECT_FALSE(WatchdogInterval().has_value());
  setenv("WATCHDOG_USEC", "3000000", 1);
  EXPECT_EQ(WatchdogInterval()->count(), 3'000'000);
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(WatchdogInterval().has_value());
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_TRUE(WatchdogInterval().has_value());
  for (const char* wrong : {"0", "-1", "soon"}) {
    setenv("WATCHDOG_USEC", wrong, 1);
    EXPECT_FALSE(WatchdogInterval().has_value()) << wrong;
  }
}

}  // namespace service_manager_test
}  // namespace pmdex
