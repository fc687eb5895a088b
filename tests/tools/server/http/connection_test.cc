#include "tools/server/http/connection.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace pmdex {
namespace connection_test {

using testing::EndsWith;
using testing::HasSubstr;
using State = RequestParser::State;

class ConnectionTest : public testing::Test {
 protected:
  ConnectionTest() {
    std::array<int, 2> ends;
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
    client_ = FileDescriptor(ends[0]);
    connection_ = std::make_unique<Connection>(1, FileDescriptor(ends[1]), limits_);
  }

  void Send(std::string_view bytes) {
    ASSERT_EQ(write(client_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ASSERT_TRUE(connection_->Receive(scratch_));
  }
  std::string Read() {
    std::string text;
    ssize_t size = 0;
    while ((size = read(client_.get(), scratch_.data(), scratch_.size())) > 0) {
      text.append(scratch_.data(), static_cast<size_t>(size));
    }
    return text;
  }
  // Flushes and reads until everything is there.
  std::string ReadAll() {
    std::string text;
    do {
      EXPECT_TRUE(connection_->Flush());
      text += Read();
    } while (connection_->has_output());
    return text;
  }

  HttpLimits limits_;
  FileDescriptor client_;
  std::unique_ptr<Connection> connection_;
  std::array<char, 4096> scratch_;
};

TEST_F(ConnectionTest, ParsesOneRequestAtATime) {
  Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\nGET");
  EXPECT_EQ(connection_->Parse(), State::kDone);
  EXPECT_EQ(connection_->parser().TakeRequest().path, std::vector<std::string>{"a"});
  EXPECT_EQ(connection_->Parse(), State::kDone);
  EXPECT_EQ(connection_->parser().TakeRequest().path, std::vector<std::string>{"b"});
  EXPECT_EQ(connection_->Parse(), State::kHead);
  EXPECT_TRUE(connection_->is_inside_request());
  EXPECT_EQ(connection_->input_bytes(), 3u);
}

TEST_F(ConnectionTest, TellsTheEndOfTheInputFromAnError) {
  shutdown(client_.get(), SHUT_WR);
  EXPECT_TRUE(connection_->Receive(scratch_));
  EXPECT_TRUE(connection_->is_input_over());
}

TEST_F(ConnectionTest, SendsWhatTheSocketTakesAndGoesOnLater) {
  HttpResponse response;
  response.body = std::string(3'000'000, 'x');
  connection_->Respond(response, /*is_head_request=*/false, /*keep_alive=*/true);
  ASSERT_TRUE(connection_->Flush());
  EXPECT_TRUE(connection_->has_output());
  const std::string text = ReadAll();
  EXPECT_THAT(text, HasSubstr("Content-Length: 3000000\r\n"));
  EXPECT_TRUE(text.ends_with("\r\n\r\n" + response.body));
  EXPECT_EQ(connection_->output_bytes(), 0u);
}

TEST_F(ConnectionTest, AsksForAPieceWhenTheOneBeforeIsTaken) {
  HttpResponse response;
  response.next_piece = [left = 100]() mutable {
    return left-- > 0 ? std::string(50'000, '#') : std::string();
  };
  connection_->Respond(std::move(response), /*is_head_request=*/false, /*keep_alive=*/true);
  size_t most = 0;
  std::string text;
  do {
    ASSERT_TRUE(connection_->Flush());
    most = std::max(most, connection_->output_bytes());
    text += Read();
  } while (connection_->has_output());
  EXPECT_THAT(text, EndsWith("\r\n0\r\n\r\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '#'), 5'000'000);
  EXPECT_LT(most, 200'000u);
  EXPECT_FALSE(connection_->closes());
}

TEST_F(ConnectionTest, StatesNoLengthOfPiecesInTheAnswerToHead) {
  HttpResponse response;
  response.next_piece = [] { return std::string("piece"); };
  connection_->Respond(std::move(response), /*is_head_request=*/true, /*keep_alive=*/false);
  const std::string text = ReadAll();
  EXPECT_THAT(text, testing::Not(HasSubstr("Content-Length")));
  EXPECT_THAT(text, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("piece")));
}

TEST_F(ConnectionTest, SendsNoBodyInTheAnswerToHead) {
  HttpResponse response;
  response.body = "body";
  connection_->Respond(response, /*is_head_request=*/true, /*keep_alive=*/false);
  const std::string text = ReadAll();
  EXPECT_THAT(text, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(text, EndsWith("\r\n\r\n"));
  EXPECT_TRUE(connection_->closes());
}

TEST_F(ConnectionTest, TellsAClientThatWaitsToGoOn) {
  connection_->SendContinue();
  EXPECT_EQ(ReadAll(), "HTTP/1.1 100 Continue\r\n\r\n");
}

TEST_F(ConnectionTest, DiscardsUntilTheClientHasClosed) {
  connection_->EndOutput();
  EXPECT_EQ(write(client_.get(), "x", 1), 1);
  EXPECT_TRUE(connection_->Discard(scratch_));
  client_ = FileDescriptor();
  EXPECT_FALSE(connection_->Discard(scratch_));
}

}  // namespace connection_test
}  // namespace pmdex
