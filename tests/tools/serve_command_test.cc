// Starts the program `pmdex serve` and talks HTTP to it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "pmem/check.h"
#include "tests/tools/server/http_client.h"
#include "tests/tools/server/served_library.h"

namespace pmdex {
namespace serve_command_test {

using nlohmann::json;
using testing::HasSubstr;

// A server that runs until the test ends.
class RunningServer {
 public:
  // Returns when the server has named its last address.
  RunningServer(std::vector<std::string> flags, size_t addresses) {
    flags.insert(flags.begin(), {PMDEX_BINARY, "serve"});
    std::array<int, 2> ends;
    PMDEX_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0);
    child_ = fork();
    PMDEX_CHECK(child_ >= 0);
    if (child_ == 0) {
      dup2(ends[1], STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& flag : flags) argv.push_back(flag.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    FILE* const messages = fdopen(ends[0], "r");
    std::array<char, 1000> line;
    while (addresses_.size() < addresses && fgets(line.data(), line.size(), messages) != nullptr) {
      const std::string text(line.data());
      const size_t at = text.find("listening on ");
      if (at != text.npos) addresses_.push_back(text.substr(at + 13, text.size() - at - 14));
    }
    fclose(messages);
    EXPECT_EQ(addresses_.size(), addresses);
  }
  ~RunningServer() {
    if (child_ > 0) kill(child_, SIGKILL);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }

  const std::string& address(size_t i = 0) const { return addresses_.at(i); }
  void Signal(int signal) { kill(child_, signal); }
  int Await() {
    int status = 0;
    PMDEX_CHECK(waitpid(child_, &status, 0) == child_);
    child_ = -1;
    return status;
  }

 private:
  pid_t child_ = -1;
  std::vector<std::string> addresses_;
};

class ServeCommand : public testing::Test {
 protected:
  ServeCommand() { PublishLines(index_, directory_, "apple pear\napple fig\n"); }

  const TemporaryDirectory directory_;
  const std::string index_ = directory_ / "books";
};

TEST_F(ServeCommand, AnswersOverTcpAndAUnixSocketAndEndsWithZero) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const std::string path = "unix:" + (directory_ / "socket");
    RunningServer server({"--index", index_, "--listen", "127.0.0.1:0", "--listen", path}, 2);
    for (size_t i = 0; i < 2; ++i) {
      HttpClient client(server.address(i));
      ASSERT_TRUE(client.is_connected());
      const json one = json::parse(client.Get("/search?q=apple&count=true")->body);
      EXPECT_EQ(one["total"]["value"], 2);
      EXPECT_EQ(one["total"]["exact"], true);
      const json same = json::parse(client.Post("/books/search", R"({"query":"pear"})")->body);
      EXPECT_EQ(same["hits"].size(), 1u);
      EXPECT_EQ(client.Get("/search?q=(")->status, 400);
      EXPECT_EQ(client.Get("/nothing")->status, 404);
      EXPECT_EQ(client.Get("/readyz")->status, 200);
      EXPECT_THAT(client.Get("/metrics")->body, HasSubstr("pmdex_connections_accepted_total"));
      EXPECT_THAT(client.Get("/", "Accept: text/html\r\n")->body, HasSubstr("<!DOCTYPE html>"));
    }
    HttpClient idle(server.address());
    EXPECT_EQ(idle.Get("/healthz")->status, 200);
    server.Signal(signal);
    const int status = server.Await();
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(idle.ReceiveRest(), "");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "socket"));
  }
}

TEST_F(ServeCommand, AnswersFromEachNewGenerationOfSeveralIndexes) {
  const std::string other = directory_ / "other";
  PublishLines(other, directory_, "plum\n");
  RunningServer server(
      {"--index", "a=" + index_, "--index", "b=" + other, "--listen", "127.0.0.1:0"}, 1);
  HttpClient client(server.address());
  EXPECT_EQ(client.Get("/search?q=plum")->status, 400);
  const auto documents = [&] {
    return json::parse(client.Get("/b/stats")->body)["documents"].get<int>();
  };
  EXPECT_EQ(documents(), 1);
  PublishLines(other, directory_, "plum\n");
  while (documents() == 1) {
    ASSERT_EQ(client.Get("/a/search?q=apple")->status, 200);
  }
  EXPECT_EQ(json::parse(client.Get("/b/search?q=plum")->body)["hits"].size(), 2u);
}

TEST_F(ServeCommand, WantsATokenAndLimitsBodies) {
  const std::string tokens = directory_.Write("tokens", "0123456789abcdef\n");
  chmod(tokens.c_str(), 0600);
  RunningServer server(
      {"--index", index_, "--listen", "127.0.0.1:0", "--token-file", tokens, "--max-body", "1K",
       "--threads", "2", "--prefault", "--access-log", directory_ / "access"},
      1);
  HttpClient client(server.address());
  EXPECT_EQ(client.Get("/stats")->status, 401);
  EXPECT_EQ(client.Get("/stats", "Authorization: Bearer 0123456789abcdef\r\n")->status, 200);
  EXPECT_EQ(client.Post("/search", std::string(2000, ' '))->status, 413);
  server.Signal(SIGTERM);
  server.Await();
  EXPECT_GT(std::filesystem::file_size(directory_ / "access"), 0u);
}

TEST_F(ServeCommand, RefusesWhatItCannotServe) {
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {PMDEX_BINARY, "serve"});
    return RunProgram(flags);
  };
  const ProgramResult open = run({"--index", index_, "--listen", "0.0.0.0:0"});
  EXPECT_EQ(open.exit_status, 2);
  EXPECT_THAT(open.err, HasSubstr("--token-file"));
  EXPECT_EQ(run({"--index", directory_ / "missing", "--listen", "127.0.0.1:0"}).exit_status, 1);
  EXPECT_EQ(run({"--index", index_, "--listen", "nonsense"}).exit_status, 2);
  EXPECT_EQ(run({"--index", index_, "--index", index_, "--listen", "127.0.0.1:0"}).exit_status, 2);
}

}  // namespace serve_command_test
}  // namespace pmdex
