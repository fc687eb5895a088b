#include "tools/server/http/listener.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/run_program.h"
#include "tests/tools/server/http_client.h"

namespace pmdex {
namespace listener_test {

using testing::HasSubstr;
using testing::StartsWith;

absl::StatusOr<Listener> OpenText(const std::string& text, size_t loops = 1) {
  PMDEX_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text));
  return Listener::Open(address, loops);
}

TEST(Listener, ParsesAddressesOfTcpAndOfUnixSockets) {
  const auto v4 = ParseListenAddress("127.0.0.1:7700");
  ASSERT_TRUE(v4.ok());
  EXPECT_EQ(v4->host, "127.0.0.1");
  EXPECT_EQ(v4->port, "7700");
  const auto v6 = ParseListenAddress("[::1]:80");
  ASSERT_TRUE(v6.ok());
  EXPECT_EQ(v6->host, "::1");
  const auto unix_socket = ParseListenAddress("unix:/run/pmdex.sock");
  ASSERT_TRUE(unix_socket.ok());
  EXPECT_TRUE(unix_socket->is_unix);
  EXPECT_EQ(unix_socket->path, "/run/pmdex.sock");
  for (const char* wrong : {"", "localhost", "127.0.0.1:", "127.0.0.1:http",
                            "unix:", "127.0.0.1:65536", "127.0.0.1:99999999999999999999"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseListenAddress(wrong).status())) << wrong;
  }
}

TEST(Listener, KnowsWhatOnlyThisMachineReaches) {
  EXPECT_TRUE(IsLoopback(*ParseListenAddress("127.9.9.9:1")));
  EXPECT_TRUE(IsLoopback(*ParseListenAddress("[::1]:1")));
  EXPECT_TRUE(IsLoopback(*ParseListenAddress("unix:x")));
  EXPECT_FALSE(IsLoopback(*ParseListenAddress("0.0.0.0:1")));
  EXPECT_FALSE(IsLoopback(*ParseListenAddress(":1")));
  EXPECT_FALSE(IsLoopback(*ParseListenAddress("192.0.2.1:1")));
}

TEST(Listener, GivesEachLoopASocketOfTheSamePort) {
  const auto listener = OpenText("127.0.0.1:0", 3);
  ASSERT_TRUE(listener.ok()) << listener.status();
  EXPECT_THAT(listener->name(), StartsWith("127.0.0.1:"));
  EXPECT_NE(listener->name(), "127.0.0.1:0");
  EXPECT_TRUE(listener->is_loopback());
  EXPECT_FALSE(listener->is_shared());
  EXPECT_NE(listener->socket(0), listener->socket(1));
  EXPECT_TRUE(HttpClient(listener->name()).is_connected());
}

TEST(Listener, RefusesAPortThatIsInUse) {
  const auto first = OpenText("127.0.0.1:0");
  ASSERT_TRUE(first.ok()) << first.status();
  const auto second = OpenText(first->name());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.status().ToString(), HasSubstr("cannot listen on " + first->name()));
}

TEST(Listener, MakesAUnixSocketForItsUserAndGroupAndRemovesIt) {
  const TemporaryDirectory directory;
  const std::string path = directory / "s";
  {
    const auto listener = OpenText("unix:" + path, 2);
    ASSERT_TRUE(listener.ok()) << listener.status();
    EXPECT_EQ(listener->name(), "unix:" + path);
    EXPECT_TRUE(listener->is_shared());
    struct stat info = {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0660u);
    EXPECT_TRUE(HttpClient(listener->name()).is_connected());
    EXPECT_FALSE(OpenText("unix:" + path).ok());  // another server listens
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Listener, TakesOnlyASocketThatListens) {
  const auto opened = OpenText("127.0.0.1:0");
  ASSERT_TRUE(opened.ok());
  const auto adopted = Listener::Adopt(FileDescriptor(dup(opened->socket(0))));
  ASSERT_TRUE(adopted.ok()) << adopted.status();
  EXPECT_EQ(adopted->name(), opened->name());
  EXPECT_TRUE(adopted->is_shared());
  EXPECT_TRUE(adopted->is_adopted());
  EXPECT_TRUE(adopted->is_loopback());
  EXPECT_FALSE(
      Listener::Adopt(FileDescriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))).ok());
  EXPECT_FALSE(Listener::Adopt(FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC))).ok());
}

TEST(Listener, ReplacesASocketThatNobodyListensOnButNoOtherFile) {
  const TemporaryDirectory directory;
  const std::string path = directory / "s";
  {
    FileDescriptor dead(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), path.size());
    ASSERT_EQ(bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  EXPECT_TRUE(OpenText("unix:" + path).ok());
  const std::string file = directory.Write("file", "text");
  EXPECT_FALSE(OpenText("unix:" + file).ok());
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace listener_test
}  // namespace pmdex
