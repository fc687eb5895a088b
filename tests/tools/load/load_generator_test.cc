#include "tools/load/load_generator.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "pmem/file_descriptor.h"
#include "tests/tools/server/search_server.h"
#include "tools/load/load_requests.h"
#include "tools/load/response_scanner.h"

namespace pmdex {
namespace load_generator_test {

TEST(LoadRequests, MakesRequestsOfLinesAndOfQueries) {
  const auto target = ParseLoadTarget("http://host:99/prefix/");
  ASSERT_TRUE(target.ok());
  const auto requests = MakeLoadRequests(
      "GET /a?b=1\n\nPOST /_search {\"q\": 1}\nGET lost\n  two words \n", *target, {"A: b"});
  ASSERT_TRUE(requests.ok()) << requests.status();
  EXPECT_EQ(*requests,
            (std::vector<std::string>{
                "GET /prefix/a?b=1 HTTP/1.1\r\nHost: host\r\nA: b\r\n\r\n",
                "POST /prefix/_search HTTP/1.1\r\nHost: host\r\nA: b\r\n"
                "Content-Type: application/json\r\nContent-Length: 8\r\n\r\n{\"q\": 1}",
                "GET /prefix/search?q=GET%20lost HTTP/1.1\r\nHost: host\r\nA: b\r\n\r\n",
                "GET /prefix/search?q=two%20words HTTP/1.1\r\nHost: host\r\nA: b\r\n\r\n"}));
  EXPECT_FALSE(MakeLoadRequests("\n\n", *target, {}).ok());
  for (const char* header : {"bad", ": x", "", "A: b\nC: d"}) {
    EXPECT_FALSE(MakeLoadRequests("GET /\n", *target, {header}).ok()) << header;
  }
}

TEST(LoadRequests, ReadsWhereTheServerIs) {
  EXPECT_EQ(ParseLoadTarget("localhost")->port, "80");
  EXPECT_EQ(ParseLoadTarget("unix:/a/b")->host, "/a/b");
  for (const char* wrong : {"", "http://", "https://a:1", "a:"}) {
    EXPECT_FALSE(ParseLoadTarget(wrong).ok()) << wrong;
  }
}

TEST(ResponseScanner, FindsTheEndOfAnAnswerHoweverItIsCut) {
  const std::vector<std::string> answers = {
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
      "HTTP/1.1 503 No\r\ncontent-length: 0\r\nConnection: close\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"};
  for (const std::string& answer : answers) {
    for (const size_t step : {size_t{1}, size_t{3}, size_t{1000}}) {
      ResponseScanner scanner;
      for (size_t at = 0; at < answer.size(); at += step) {
        const bool ended = scanner.Scan(std::string_view(answer).substr(at, step));
        EXPECT_EQ(ended, at + step >= answer.size()) << answer << at;
        EXPECT_FALSE(scanner.is_broken()) << answer;
      }
      EXPECT_EQ(scanner.status(), answer.find("503") == answer.npos ? 200 : 503);
      EXPECT_EQ(scanner.keeps_open(), answer.find("close") == answer.npos);
    }
  }
}

TEST(ResponseScanner, KnowsAnswersWithoutABody) {
  ResponseScanner scanner;
  scanner.Reset(/*has_body=*/false);
  EXPECT_TRUE(scanner.Scan("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  scanner.Reset();
  EXPECT_FALSE(scanner.Scan("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  scanner.Reset();
  EXPECT_TRUE(scanner.Scan("HTTP/1.0 204 No Content\r\n\r\n"));
  EXPECT_FALSE(scanner.keeps_open());
}

TEST(ResponseScanner, KnowsWhatIsNoAnswer) {
  for (const char* bytes : {"SSH-2.0\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 x\r\n\r\n",
                            "HTTP/1.1 200 OK\r\n\r\nends with the connection"}) {
    ResponseScanner scanner;
    EXPECT_FALSE(scanner.Scan(bytes)) << bytes;
    EXPECT_TRUE(scanner.is_broken()) << bytes;
  }
}

TEST(LatenciesOf, TakesPercentilesByNearestRank) {
  std::vector<double> values;
  for (int i = 1000; i > 0; --i) values.push_back(i);
  const LoadLatencies latencies = LatenciesOf(values);
  EXPECT_EQ(latencies.p50_us, 500);
  EXPECT_EQ(latencies.p99_us, 990);
  EXPECT_EQ(latencies.p999_us, 999);
  EXPECT_EQ(latencies.max_us, 1000);
  EXPECT_EQ(latencies.mean_us, 500.5);
}

class LoadGeneratorTest : public testing::Test {
 protected:
  static LoadResult Run(SearchServer& server, const std::string& lines, const LoadPlan& plan) {
    const auto target = ParseLoadTarget(server.address());
    const auto requests = MakeLoadRequests(lines, *target, {});
    const auto result = RunLoad(*target, *requests, plan);
    EXPECT_TRUE(result.ok()) << result.status();
    return *result;
  }
};

TEST_F(LoadGeneratorTest, SendsEachRequestOnceAndCountsTheAnswers) {
  SearchServer server({"a", "b"});
  LoadPlan plan;
  plan.rate = 2000;
  plan.connections = 4;
  plan.duration = std::chrono::milliseconds(200);
  const LoadResult open = Run(server, "a\nGET /healthz\n", plan);
  EXPECT_GT(open.due, 0u);
  EXPECT_EQ(open.ok, open.due);
  EXPECT_LE(open.latencies.p50_us, open.latencies.max_us);
  plan.rate = 0;
  const LoadResult closed = Run(server, "GET /nowhere\n", plan);
  EXPECT_GT(closed.due, 0u);
  EXPECT_EQ(closed.errors, closed.due);
  EXPECT_EQ(open.first_error, 0);
  EXPECT_EQ(closed.first_error, 404);
}

TEST_F(LoadGeneratorTest, CountsRefusedRequestsApart) {
  SearchServerOptions options;
  options.service.search.most_cost_of_loop = 0;
  options.http.pool.most_waiting = 0;
  SearchServer server({"a b", "b"}, options);
  LoadPlan plan;
  plan.connections = 2;
  plan.duration = std::chrono::milliseconds(50);
  const LoadResult result = Run(server, "a b\n", plan);
  EXPECT_GT(result.shed, 0u);
  EXPECT_EQ(result.shed, result.due);
  EXPECT_EQ(result.ok, 0u);
}

// A socket that listens on a free port.
struct LoopbackListener {
  LoopbackListener() {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(socket.get(), 16), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    target = *ParseLoadTarget("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
  }

  const FileDescriptor socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  LoadTarget target;
};

// A server that closes the first connections without an answer to what they asked.
class ClosingServer {
 public:
  explicit ClosingServer(int closed) : closed_(closed), thread_([this] { Serve(); }) {}
  ~ClosingServer() {
    shutdown(listener_.socket.get(), SHUT_RDWR);
    thread_.join();
  }
  const LoadTarget& target() const { return listener_.target; }

 private:
  void Serve() {
    constexpr std::string_view kAnswer =
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    for (int i = 0;; ++i) {
      const FileDescriptor one(accept(listener_.socket.get(), nullptr, nullptr));
      if (!one.valid()) return;
      char bytes[1000];
      const bool has_request = recv(one.get(), bytes, sizeof bytes, 0) > 0;
      if (has_request && i >= closed_) send(one.get(), kAnswer.data(), kAnswer.size(), 0);
    }
  }

  const int closed_;
  LoopbackListener listener_;
  std::thread thread_;
};

TEST_F(LoadGeneratorTest, SendsARequestOnceMoreIfItsConnectionIsClosed) {
  LoadPlan plan;
  plan.connections = 1;
  plan.duration = std::chrono::milliseconds(50);
  for (const int closed : {1, 2}) {
    ClosingServer server(closed);
    const auto requests = MakeLoadRequests("GET /\n", server.target(), {});
    const auto result = RunLoad(server.target(), *requests, plan);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->resent, 1u);
    EXPECT_EQ(result->errors, closed == 1 ? 0u : 1u);
    EXPECT_EQ(result->ok + result->errors, result->due);
    EXPECT_GT(result->ok, 0u);
  }
}

// Answers all requests of one connection, the first of them late.
class LateServer {
 public:
  LateServer() : thread_([this] { Serve(); }) {}
  ~LateServer() {
    shutdown(listener_.socket.get(), SHUT_RDWR);
    thread_.join();
  }
  const LoadTarget& target() const { return listener_.target; }

 private:
  void Serve() {
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    const FileDescriptor one(accept(listener_.socket.get(), nullptr, nullptr));
    if (!one.valid()) return;
    char bytes[1000];
    for (bool is_first = true; recv(one.get(), bytes, sizeof bytes, 0) > 0; is_first = false) {
      if (is_first) std::this_thread::sleep_for(std::chrono::milliseconds(400));
      send(one.get(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
    }
  }

  LoopbackListener listener_;
  std::thread thread_;
};

// A request that is due while the server stands still waits for it, whether it can be sent or not.
TEST_F(LoadGeneratorTest, CountsTheWaitOfRequestsThatWereDue) {
  LateServer server;
  const auto requests = MakeLoadRequests("GET /\n", server.target(), {});
  LoadPlan plan;
  plan.rate = 1000;
  plan.connections = 1;
  plan.duration = std::chrono::milliseconds(300);
  const auto result = RunLoad(server.target(), *requests, plan);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(result->due, 150u);
  EXPECT_EQ(result->ok, result->due);
  EXPECT_GT(result->latencies.p50_us, 100'000);
}

}  // namespace load_generator_test
}  // namespace pmdex
