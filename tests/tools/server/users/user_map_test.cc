#include "tools/server/users/user_map.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/run_program.h"

namespace pmdex {
namespace user_map_test {

HttpRequest With(const std::string& authorization) {
  HttpRequest request;
  if (!authorization.empty()) request.headers.emplace_back("authorization", authorization);
  return request;
}

RequestContext FromPeer(std::optional<uint32_t> uid) {
  RequestContext context;
  context.peer_uid = uid;
  return context;
}

// The number of the user; nullopt if the request has none.
std::optional<uint32_t> UserOf(const UserMap& map, const std::string& authorization,
                               std::optional<uint32_t> peer = std::nullopt) {
  const auto user = map.Find(With(authorization), FromPeer(peer));
  return user.has_value() ? std::optional(user->identity.uid) : std::nullopt;
}

TEST(UserMap, TakesTheUserOfTheTokenAndElseThatOfTheSocket) {
  const UserMap map({{"0123456789abcdef", {61001, {61001}}}, {"fedcba9876543210", {61002, {}}}});
  EXPECT_EQ(UserOf(map, "Bearer 0123456789abcdef"), 61001u);
  EXPECT_EQ(UserOf(map, "ApiKey fedcba9876543210"), 61002u);
  EXPECT_EQ(UserOf(map, "", 61003), 61003u);
  EXPECT_EQ(UserOf(map, "Bearer 0123456789abcdef", 61003), 61001u) << "a token goes before";
  EXPECT_EQ(UserOf(map, "Bearer 0123456789abcdeX", 61003), std::nullopt) << "but not a wrong one";
  EXPECT_EQ(UserOf(map, ""), std::nullopt);
  EXPECT_EQ(UserOf(map, "Bearer "), std::nullopt);
  HttpRequest named = With("");
  named.headers.emplace_back("x-user", "root");
  named.headers.emplace_back("remote-user", "0");
  EXPECT_FALSE(map.Find(named, FromPeer(std::nullopt)).has_value()) << "no other header counts";
  EXPECT_EQ(map.Find(With("Bearer 0123456789abcdef"), {})->identity.gids,
            std::vector<uint32_t>{61001});
}

// An account may have a name that is the number of another user.
TEST(UserMap, TakesTheUserOfTheSocketByItsNumber) {
  const TemporaryDirectory directory;
  const std::string accounts =
      directory.Write("passwd", "root:x:0:0::/:/bin/sh\n61003:x:0:0::/:/bin/sh\n");
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 || mount("", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount(accounts.c_str(), "/etc/passwd", nullptr, MS_BIND, nullptr) != 0) {
      _exit(2);
    }
    const auto named = FindUser("61003");
    if (!named.ok() || named->uid != 0) _exit(3);
    _exit(UserOf(UserMap({}), "", 61003) == 61003u ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no mounts here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(UserMap, ComesFromAFileThatOthersCannotRead) {
  const TemporaryDirectory directory;
  const auto load = [&](const std::string& text, mode_t mode = 0600) {
    const std::string path = directory.Write("map", text);
    chmod(path.c_str(), mode);
    return UserMap::Load(path);
  };
  const auto map = load("# who\n\n0123456789abcdef root\n fedcba9876543210 \t 61002\n");
  ASSERT_TRUE(map.ok()) << map.status();
  EXPECT_EQ(UserOf(*map, "Bearer 0123456789abcdef"), 0u);
  EXPECT_EQ(UserOf(*map, "Bearer fedcba9876543210"), 61002u);
  EXPECT_EQ(map->Find(With("Bearer 0123456789abcdef"), {})->name, "root");
  EXPECT_EQ(map->Find(With("Bearer fedcba9876543210"), {})->name, "61002");
  EXPECT_EQ(map->Find(With(""), FromPeer(0))->name, "0");
  EXPECT_TRUE(load("").ok()) << "sockets alone tell users";
  for (const char* wrong :
       {"0123456789abcdef\n", "short root\n", "0123456789abcdef no-such-user-here\n",
        "0123456789abcdef root wheel\n", "0123456789abcdef root\n0123456789abcdef daemon\n"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(load(wrong).status())) << wrong;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(load("0123456789abcdef root\n", 0604).status()));
  EXPECT_FALSE(UserMap::Load(directory / "missing").ok());
}

}  // namespace user_map_test
}  // namespace pmdex
