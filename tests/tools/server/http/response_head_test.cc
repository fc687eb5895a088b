#include "tools/server/http/response_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmdex {
namespace response_head_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string Head(const HttpResponse& response, const ResponseStyle& style = {}) {
  std::string head;
  AppendResponseHead(response, style, head);
  return head;
}

TEST(ResponseHead, HasTheStatusTheTypeAndTheLength) {
  HttpResponse response;
  response.status = 404;
  response.body = "12345";
  const std::string head = Head(response);
  EXPECT_THAT(head, StartsWith("HTTP/1.1 404 Not Found\r\nDate: "));
  EXPECT_THAT(head, HasSubstr(" GMT\r\n"));
  EXPECT_THAT(head, HasSubstr("\r\nContent-Type: application/json\r\n"));
  EXPECT_THAT(head, EndsWith("\r\nContent-Length: 5\r\n\r\n"));
}

TEST(ResponseHead, SaysWhetherTheConnectionStaysOpen) {
  EXPECT_THAT(Head({}, {.keep_alive = true}), Not(HasSubstr("Connection")));
  EXPECT_THAT(Head({}, {.keep_alive = false}), HasSubstr("Connection: close\r\n"));
  const std::string old = Head({}, {.keep_alive = true, .is_http_1_0 = true});
  EXPECT_THAT(old, StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_THAT(old, HasSubstr("Connection: keep-alive\r\n"));
}

TEST(ResponseHead, HasNoLengthWhereTheBodyComesInPieces) {
  const std::string chunked = Head({}, {.framing = ResponseFraming::kChunked});
  EXPECT_THAT(chunked, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(chunked, Not(HasSubstr("Content-Length")));
  const std::string closed = Head({}, {.framing = ResponseFraming::kUntilClose});
  EXPECT_THAT(closed, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(closed, Not(HasSubstr("Content-Length")));
  const std::string unknown = Head({}, {.framing = ResponseFraming::kNone});
  EXPECT_THAT(unknown, Not(HasSubstr("Transfer-Encoding")));
  EXPECT_THAT(unknown, Not(HasSubstr("Content-Length")));
}

TEST(ResponseHead, LetsNoValueBeginAnotherHeader) {
  HttpResponse response;
  response.headers.emplace_back("X-Value", std::string("a\r\nX-Evil: b\0c", 14));
  EXPECT_THAT(Head(response), HasSubstr("\r\nX-Value: aX-Evil: bc\r\n"));
}

TEST(ResponseHead, FramesChunksByTheirSizeInHexadecimal) {
  std::string out;
  AppendChunk(std::string(26, 'x'), out);
  AppendChunk("", out);
  EXPECT_EQ(out, "1a\r\n" + std::string(26, 'x') + "\r\n0\r\n\r\n");
}

TEST(ResponseHead, NamesEveryStatusThatTheServerUses) {
  EXPECT_STREQ(ReasonPhrase(503), "Service Unavailable");
  EXPECT_STREQ(ReasonPhrase(777), "Status");
}

}  // namespace response_head_test
}  // namespace pmdex
