#include "tools/server/http/request_parser.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tools/server/http/content_coding.h"

namespace pmdex {
namespace request_parser_test {

using State = RequestParser::State;

struct Parsed {
  std::vector<HttpRequest> requests;
  HttpFailure failure{0, ""};
  State state = State::kHead;
};

// Parses the bytes, of which `step` more come each time.
Parsed ParseAll(const std::string& bytes, size_t step = std::string::npos, HttpLimits limits = {}) {
  RequestParser parser(limits);
  Parsed parsed;
  std::string kept;
  for (size_t from = 0; from < bytes.size();) {
    const std::string piece = bytes.substr(from, step);
    from += piece.size();
    kept += piece;
    for (size_t used = 1; used > 0 && parser.state() != State::kFailed;) {
      used = parser.Parse(kept);
      kept.erase(0, used);
      if (parser.state() == State::kDone) parsed.requests.push_back(parser.TakeRequest());
    }
  }
  parsed.state = parser.state();
  if (parsed.state == State::kFailed) parsed.failure = parser.failure();
  return parsed;
}

constexpr char kGet[] = "GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Y: z\r\n\r\n";
constexpr char kPost[] = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
constexpr char kChunked[] =
    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    "3;name=value\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";

TEST(RequestParser, ReadsPipelinedRequestsHoweverTheyAreCut) {
  const std::string all = std::string(kGet) + kPost + "\r\n" + kChunked + kGet;
  for (const size_t step : {size_t{1}, size_t{2}, size_t{7}, size_t{50}, all.size()}) {
    const Parsed parsed = ParseAll(all, step);
    ASSERT_EQ(parsed.requests.size(), 4u) << step << parsed.failure.reason;
    EXPECT_EQ(parsed.requests[0].method, "GET");
    EXPECT_EQ(parsed.requests[0].path, std::vector<std::string>{"a"});
    EXPECT_EQ(parsed.requests[0].parameters[0].second, "c");
    EXPECT_EQ(parsed.requests[0].Header("x-y"), "z");
    EXPECT_EQ(parsed.requests[1].body, "hello");
    EXPECT_EQ(parsed.requests[2].body, "hello");
    EXPECT_EQ(parsed.requests[3].method, "GET");
  }
}

TEST(RequestParser, RefusesAHeadWithoutCarriageReturnsBeforeItsEnd) {
  for (const size_t step : {1, 3, 100}) {
    const Parsed parsed = ParseAll("GET / HTTP/1.1\nHost: x\n\n", step);
    EXPECT_EQ(parsed.state, State::kFailed) << step;
    EXPECT_EQ(parsed.failure.status, 400) << step;
  }
  EXPECT_EQ(ParseAll("GET / HTTP/1.1\r\nHost: x\r", 1).state, State::kHead);
}

TEST(RequestParser, KnowsWhetherTheConnectionStays) {
  const auto keeps = [](const std::string& bytes) {
    const HttpLimits limits;
    RequestParser parser(limits);
    parser.Parse(bytes);
    EXPECT_EQ(parser.state(), State::kDone) << bytes;
    return parser.keep_alive();
  };
  EXPECT_TRUE(keeps(kGet));
  EXPECT_FALSE(keeps("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  EXPECT_FALSE(keeps("GET / HTTP/1.0\r\n\r\n"));
  EXPECT_TRUE(keeps("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
}

TEST(RequestParser, SaysThatTheClientWaitsToBeAskedForTheBody) {
  const HttpLimits limits;
  RequestParser parser(limits);
  parser.Parse("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n");
  EXPECT_EQ(parser.state(), State::kBody);
  EXPECT_TRUE(parser.expects_continue());
  parser.Parse("x");
  EXPECT_EQ(parser.state(), State::kDone);
}

struct Refused {
  const char* bytes;
  int status;
};

// Each could be read in two ways, or by one server and not by another.
constexpr Refused kRefused[] = {
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n",
     400},
    {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n", 400},
    {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nX: y\r\n Transfer-Encoding: chunked\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\nx", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\nx", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nx", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\nx", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nx", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\nx", 413},
    {"GET / HTTP/1.1\nHost: x\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\nX: y\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\rX: y\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
    {"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
    {"GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"G(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n", 417},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"\x16\x03\x01\x02 TLS\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", 400},
    {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
     "ffffffffffffffffff\r\n\r\n",
     400},
    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx", 415},
    {"POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", 400},
};

TEST(RequestParser, RefusesWhatCanBeReadInTwoWays) {
  for (const Refused& refused : kRefused) {
    for (const size_t step : {size_t{1}, std::string::npos}) {
      const Parsed parsed = ParseAll(refused.bytes, step);
      EXPECT_EQ(parsed.state, State::kFailed) << refused.bytes;
      EXPECT_EQ(parsed.failure.status, refused.status)
          << refused.bytes << ": " << parsed.failure.reason;
      EXPECT_TRUE(parsed.requests.empty()) << refused.bytes;
    }
  }
}

TEST(RequestParser, HoldsItsLimits) {
  HttpLimits limits;
  limits.header_bytes = 200;
  limits.header_fields = 3;
  limits.body_bytes = 10;
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_EQ(ParseAll(head + "A: " + std::string(300, 'a') + "\r\n\r\n", 10, limits).failure.status,
            431);
  EXPECT_EQ(ParseAll("GET /" + std::string(300, 'a'), 10, limits).failure.status, 431);
  EXPECT_EQ(ParseAll(head + "A: b\r\nC: d\r\n\r\n", 10, limits).requests.size(), 1u);
  EXPECT_EQ(ParseAll(head + "A: b\r\nC: d\r\nE: f\r\n\r\n", 10, limits).failure.status, 431);
  EXPECT_EQ(ParseAll(head + "Content-Length: 11\r\n\r\n", 10, limits).failure.status, 413);
  const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(
      ParseAll(chunked + "8\r\n12345678\r\n4\r\n1234\r\n0\r\n\r\n", 10, limits).failure.status,
      413);
  EXPECT_EQ(ParseAll(chunked + "1;" + std::string(500, 'a'), 10, limits).failure.status, 431);
}

TEST(RequestParser, UnpacksABodyAndRefusesABomb) {
  HttpResponse packed;
  packed.body = std::string(100'000, 'a');
  CompressResponse("gzip", packed);
  const std::string request =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: " +
      std::to_string(packed.body.size()) + "\r\n\r\n" + packed.body;
  const Parsed parsed = ParseAll(request);
  ASSERT_EQ(parsed.requests.size(), 1u);
  EXPECT_EQ(parsed.requests[0].body, std::string(100'000, 'a'));
  HttpLimits limits;
  limits.body_bytes = 99'999;
  EXPECT_EQ(ParseAll(request, 100, limits).failure.status, 413);
}

// The thread that parses must not be kept by it.
TEST(RequestParser, LeavesTheCompressionOfALargeBodyToItsReader) {
  HttpResponse packed;
  packed.body = std::string(1'000'000, 'a');
  CompressResponse("zstd", packed);
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: zstd\r\nContent-Length: " +
      std::to_string(packed.body.size()) + "\r\n\r\n" + packed.body;
  HttpLimits limits;
  for (const bool fits : {true, false}) {
    limits.body_bytes = fits ? 1'000'000 : 999'999;
    Parsed parsed = ParseAll(bytes, 100, limits);
    ASSERT_EQ(parsed.requests.size(), 1u);
    HttpRequest& request = parsed.requests[0];
    EXPECT_EQ(request.body, packed.body);
    EXPECT_EQ(request.coded_limit, limits.body_bytes);
    const std::optional<HttpFailure> failure = DecodeBody(request);
    ASSERT_EQ(failure.has_value(), !fits);
    if (!fits) {
      EXPECT_EQ(failure->status, 413);
      continue;
    }
    EXPECT_EQ(request.body, std::string(1'000'000, 'a'));
    EXPECT_EQ(request.coded_limit, 0u);
  }
}

TEST(RequestParser, RefusesAQuoteThatGoesOverTheLineOfAChunk) {
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const size_t step : {1, 7, 1000}) {
    const Parsed open = ParseAll(head + "AAAA0;a=\"\r\nb\r\n", step);
    EXPECT_EQ(open.failure.status, 400) << step;
    const Parsed closed = ParseAll(head + "1;a=\"x\\\"\"\r\n\"\r\n0\r\n\r\n", step);
    ASSERT_EQ(closed.requests.size(), 1u) << step;
    EXPECT_EQ(closed.requests[0].body, "\"");
  }
}

// Compressed data may be large and give nothing.
TEST(RequestParser, DoesNotTryToDecodeALargeBody) {
  const std::string body(300'000, 'x');
  const Parsed parsed = ParseAll(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\nContent-Length: 300000\r\n\r\n" +
      body);
  ASSERT_EQ(parsed.requests.size(), 1u);
  EXPECT_EQ(parsed.requests[0].coded_limit, HttpLimits().body_bytes);
  HttpRequest request = parsed.requests[0];
  EXPECT_EQ(DecodeBody(request)->status, 400);
}

}  // namespace request_parser_test
}  // namespace pmdex
