// `pmdex serve` as a process: its flags, signals, indexes that change, and what systemd and it tell
// each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/background_program.h"
#include "tests/support/notify_socket.h"
#include "tests/support/run_program.h"
#include "tests/tools/server/http_client.h"
#include "tools/server/http/listener.h"

namespace pmdex {
namespace serve_command_test {

using nlohmann::json;
using testing::HasSubstr;

class ServeCommand : public testing::Test {
 protected:
  void SetUp() override { Index("{\"id\":\"1\",\"t\":\"first words\"}\n", {}); }

  ProgramResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), PMDEX_BINARY);
    return RunProgram(arguments);
  }
  // Adds documents to the index.
  void Index(const std::string& documents, const std::vector<std::string>& flags) {
    const std::string path = directory_.Write("d.jsonl", documents);
    std::vector<std::string> arguments = {"index", path, "--index", index_, "--quiet"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const ProgramResult result = Run(arguments);
    ASSERT_EQ(result.exit_status, 0) << result.err;
  }
  std::vector<std::string> Arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {PMDEX_BINARY, "serve",  "--index",   "docs=" + index_,
                                          "--listen",   address_, "--threads", "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  HttpClient Connect() const { return HttpClient(address_); }
  static uint64_t Total(const std::optional<ClientAnswer>& answer) {
    return json::parse(answer->body)["total"]["value"];
  }
  // Asks until the answer to `words` has so many matches.
  bool AwaitTotal(HttpClient& client, uint64_t total) {
    for (int i = 0; i < 1'000'000; ++i) {
      const auto answer = client.Get("/search?q=words&count");
      if (!answer.has_value() || answer->status != 200) return false;
      if (Total(answer) == total) return true;
    }
    return false;
  }

  TemporaryDirectory directory_;
  const std::string index_ = directory_ / "index";
  const std::string address_ = "unix:" + (directory_ / "socket");
};

TEST_F(ServeCommand, SavesHowManyQueriesSearchedEachSegmentWhereAskedTo) {
  for (const bool asked : {false, true}) {
    BackgroundProgram server(
        Arguments(asked ? std::vector<std::string>{"--save-heat"} : std::vector<std::string>()));
    ASSERT_NE(server.AwaitLine("listening on " + address_), "") << server.err();
    HttpClient client = Connect();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Get("/search?q=first")->status, 200);
    if (asked) {  // the next generation has counts of its own
      Index("{\"id\":\"2\",\"t\":\"words\"}\n", {"--append"});
      ASSERT_TRUE(AwaitTotal(client, 2));
    }
    server.Signal(SIGTERM);
    EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
    const json list = json::parse(Run({"tier", "list", "--index", index_, "--json"}).out);
    const uint64_t heat = list["segments"][0]["heat"];
    EXPECT_TRUE(asked ? heat > 3 : heat == 0) << heat;
  }
}

TEST_F(ServeCommand, AnswersAsSearchDoesOverTcpAndAUnixSocketAndEndsWithZero) {
  for (const int signal : {SIGTERM, SIGINT}) {
    BackgroundProgram server(Arguments({"--listen", "127.0.0.1:0"}));
    ASSERT_NE(server.AwaitLine("listening on " + address_), "") << server.err();
    const std::string line = server.AwaitLine("listening on http://127.0.0.1:");
    ASSERT_NE(line, "") << server.err();
    HttpClient idle = Connect();
    EXPECT_EQ(idle.Get("/healthz")->status, 200);
    for (const std::string& address : {address_, line}) {
      HttpClient client(address);
      ASSERT_TRUE(client.is_connected());
      json served = json::parse(client.Get("/search?q=words")->body);
      json searched = json::parse(Run({"search", "words", "--index", index_, "--json"}).out);
      served.erase("took_us");
      searched.erase("took_us");
      EXPECT_EQ(served, searched);
      EXPECT_EQ(client.Post("/docs/search", R"({"query":"words"})")->status, 200);
      EXPECT_EQ(client.Get("/search?q=(")->status, 400);
      EXPECT_EQ(client.Get("/nothing")->status, 404);
      EXPECT_EQ(client.Get("/readyz")->status, 200);
    }
    server.Signal(signal);
    EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
    EXPECT_EQ(idle.ReceiveRest(), "");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "socket"));
  }
}

TEST_F(ServeCommand, ServesSeveralIndexesByTheirNames) {
  const std::string other = directory_ / "other";
  const std::string lines = directory_.Write("lines", "a plum\n");
  ASSERT_EQ(Run({"index", lines, "--format", "lines", "--index", other, "--quiet"}).exit_status, 0);
  BackgroundProgram server(Arguments({"--index", "more=" + other}));
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  HttpClient client = Connect();
  EXPECT_EQ(client.Get("/search?q=plum")->status, 400);
  EXPECT_EQ(Total(client.Get("/more/search?q=plum")), 1u);
  EXPECT_EQ(Total(client.Get("/docs/search?q=plum")), 0u);
}

TEST_F(ServeCommand, TakesUpNewGenerationsWithoutAFailedRequest) {
  BackgroundProgram server(Arguments());
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  std::atomic<bool> stop{false};
  std::atomic<size_t> failed{0};
  std::atomic<size_t> answered{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&] {
      HttpClient client = Connect();
      while (!stop) {
        const auto answer = client.Get("/search?q=words");
        if (answer.has_value() && answer->status == 200) {
          ++answered;
        } else {
          ++failed;
        }
      }
    });
  }
  HttpClient client = Connect();
  for (uint64_t generation = 2; generation <= 5; ++generation) {
    Index("{\"id\":\"" + std::to_string(generation) + "\",\"t\":\"more words\"}\n", {"--append"});
    EXPECT_TRUE(AwaitTotal(client, generation));
  }
  stop = true;
  for (std::thread& thread : clients) thread.join();
  EXPECT_EQ(failed, 0u);
  EXPECT_GT(answered, 0u);
  EXPECT_THAT(client.Get("/metrics")->body,
              HasSubstr("pmdex_index_reload_failures_total{index=\"docs\"} 0\n"));
}

TEST_F(ServeCommand, GoesOnAnsweringWhenItsIndexVanishesAndTakesUpItsSuccessor) {
  BackgroundProgram server(Arguments());
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  HttpClient client = Connect();
  std::filesystem::remove_all(index_);
  EXPECT_NE(server.AwaitLine("the open generation goes on answering"), "");
  EXPECT_EQ(Total(client.Get("/search?q=words&count")), 1u);
  Index("{\"id\":\"1\",\"t\":\"words\"}\n{\"id\":\"2\",\"t\":\"words\"}\n", {});
  EXPECT_TRUE(AwaitTotal(client, 2));  // though its generation has the same number
  Index("{\"id\":\"3\",\"t\":\"words\"}\n", {"--append"});
  EXPECT_TRUE(AwaitTotal(client, 3));
}

TEST_F(ServeCommand, AnswersInPartWhenASegmentIsCutOffUnderIt) {
  Index("{\"id\":\"2\",\"t\":\"more words\"}\n", {"--append"});
  BackgroundProgram server(Arguments());
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  for (const auto& entry : std::filesystem::directory_iterator(index_)) {
    if (entry.path().filename().string().starts_with("segment-")) {
      std::filesystem::resize_file(entry.path(), 0);
      break;
    }
  }
  HttpClient client = Connect();
  const auto answer = client.Get("/search?q=words&count");
  ASSERT_TRUE(answer.has_value());
  ASSERT_EQ(answer->status, 200) << answer->body;
  const json result = json::parse(answer->body);
  EXPECT_TRUE(result["partial"]);
  EXPECT_EQ(result["missing"].size(), 1u);
  EXPECT_EQ(result["total"]["value"], 1);
  EXPECT_THAT(client.Get("/metrics")->body,
              HasSubstr("pmdex_index_quarantined_segments{index=\"docs\"} 1\n"));
}

TEST_F(ServeCommand, ReadsItsConfigBelowTheCommandLine) {
  const std::string config =
      directory_.Write("c.toml", "index = [\"docs=" + index_ + "\"]\nlisten = [\"" + address_ +
                                     "\"]\nthreads = 1\ncpus = \"0\"\nresult-cache = "
                                     "\"1M\"\nprefault = true\naccess-log = \"" +
                                     (directory_ / "access") + "\"\nslow-log = \"" +
                                     (directory_ / "slow") + "\"\nslow-ms = 0\n");
  BackgroundProgram server({PMDEX_BINARY, "serve", "--config", config});
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  EXPECT_EQ(Connect().Get("/search?q=words")->status, 200);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
  std::string line;
  std::ifstream access(directory_ / "access");
  ASSERT_TRUE(std::getline(access, line));
  const json entry = json::parse(line);
  EXPECT_EQ(entry["method"], "GET");
  EXPECT_EQ(entry["target"], "/search?q=words");
  EXPECT_EQ(entry["status"], 200);
  std::ifstream slow(directory_ / "slow");
  ASSERT_TRUE(std::getline(slow, line));
  EXPECT_EQ(json::parse(line)["query"], "words");
  EXPECT_TRUE(json::parse(line)["plan"].contains("algorithm"));
}

// The CPUs on which the threads of a process may run, as the kernel lists them.
std::multiset<std::string> CpusOfThreads(pid_t pid) {
  std::multiset<std::string> cpus;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks)) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      constexpr std::string_view kName = "Cpus_allowed_list:\t";
      if (line.starts_with(kName)) cpus.insert(line.substr(kName.size()));
    }
  }
  return cpus;
}

TEST_F(ServeCommand, BindsItsThreadsToTheCpusThatAreNamed) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one CPU";
  for (const bool binds : {false, true}) {
    BackgroundProgram server(binds ? Arguments({"--cpus", "1"}) : Arguments());
    ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
    ASSERT_EQ(Connect().Get("/search?q=words")->status, 200);
    // The loops, and the threads for heavy queries.
    const size_t bound = CpusOfThreads(server.pid()).count("1");
    EXPECT_EQ(bound >= 2, binds) << bound;
  }
}

TEST_F(ServeCommand, OpensItsLogsAgainOnSighup) {
  const std::string log = directory_ / "access";
  BackgroundProgram server(Arguments({"--access-log", log}));
  ASSERT_NE(server.AwaitLine("listening on "), "") << server.err();
  std::filesystem::rename(log, log + ".1");
  server.Signal(SIGHUP);
  HttpClient client = Connect();
  while (!std::filesystem::exists(log)) ASSERT_EQ(client.Get("/healthz")->status, 200);
}

TEST_F(ServeCommand, RefusesWrongUse) {
  const auto expect = [&](const std::vector<std::string>& arguments, int status,
                          const std::string& part) {
    const ProgramResult result = Run(arguments);
    EXPECT_EQ(result.exit_status, status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(part));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  const std::string index = "docs=" + index_;
  expect({"serve", "--index", index, "--listen", "0.0.0.0:0"}, 2, "--token-file");
  expect({"serve", "--index", index, "--listen", "nowhere"}, 2, "ADDRESS:PORT");
  expect({"serve", "--index", index, "--index", index}, 2, "two indexes");
  expect({"serve", "--index", index, "--cpus", "x"}, 2, "--cpus");
  expect({"serve", "--index", directory_ / "none"}, 1, "none");
  expect({"serve", "--index", index, "--token-file", directory_ / "none"}, 1, "token");
  expect({"serve", "--config", directory_ / "none"}, 1, "none");
  for (const auto& [text, part] :
       std::vector<std::pair<std::string, std::string>>{{"thread = 1\n", "line 1: 'thread'"},
                                                        {"\nthreads = \"many\"\n", "line 2"},
                                                        {"threads = 0\n", "line 1"},
                                                        {"threads = [1, 2]\n", "line 1"},
                                                        {"listen = []\n", "needs a value"},
                                                        {"threads = \n", "line 1"},
                                                        {"config = \"x\"\n", "'config'"}}) {
    expect({"serve", "--config", directory_.Write("wrong.toml", text)}, 2, part);
  }
}

TEST_F(ServeCommand, WantsATokenAndLimitsBodies) {
  const std::string tokens = directory_.Write("tokens", "0123456789abcdef\n");
  chmod(tokens.c_str(), 0600);
  BackgroundProgram server(
      Arguments({"--listen", "0.0.0.0:0", "--token-file", tokens, "--max-body", "1K"}));
  ASSERT_NE(server.AwaitLine("listening on http://0.0.0.0:"), "") << server.err();
  HttpClient client = Connect();
  EXPECT_EQ(client.Get("/search?q=words")->status, 401);
  EXPECT_EQ(client.Get("/search?q=words", "Authorization: Bearer 0123456789abcdef\r\n")->status,
            200);
  EXPECT_EQ(client
                .Ask("POST /search HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n"
                     "Authorization: Bearer 0123456789abcdef\r\n\r\n")
                ->status,
            413);
}

TEST_F(ServeCommand, TellsTheServiceManagerWhatItDoes) {
  NotifySocket socket(directory_ / "notify");
  BackgroundProgram server(Arguments(),
                           {"NOTIFY_SOCKET=" + (directory_ / "notify"), "WATCHDOG_USEC=300000"});
  EXPECT_EQ(socket.Read(), "READY=1");
  EXPECT_EQ(socket.Read(), "WATCHDOG=1");
  EXPECT_EQ(socket.Read(), "WATCHDOG=1");
  server.Signal(SIGTERM);
  std::string last;
  while ((last = socket.Read()) == "WATCHDOG=1") {
  }
  EXPECT_EQ(last, "STOPPING=1");
  EXPECT_EQ(server.AwaitEnd(), 0);
}

TEST_F(ServeCommand, ServesASocketThatWasOpenedForIt) {
  auto listener = Listener::Open(*ParseListenAddress(address_), 1);
  ASSERT_TRUE(listener.ok()) << listener.status();
  HttpClient early = Connect();  // before the server runs
  early.Send("GET /search?q=words HTTP/1.1\r\nHost: x\r\n\r\n");
  BackgroundProgram server({PMDEX_BINARY, "serve", "--index", index_}, {"LISTEN_FDS=1"},
                           listener->socket(0));
  ASSERT_NE(server.AwaitLine("listening on " + address_), "") << server.err();
  EXPECT_EQ(early.Receive()->status, 200);
  server.Signal(SIGTERM);
  EXPECT_EQ(server.AwaitEnd(), 0) << server.err();
  // The socket is the manager's: the next server goes on with it.
  HttpClient late = Connect();
  EXPECT_TRUE(late.is_connected());
}

}  // namespace serve_command_test
}  // namespace pmdex
