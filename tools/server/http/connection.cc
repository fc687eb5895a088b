#include "tools/server/http/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "tools/server/http/response_head.h"

namespace pmdex {
namespace {

constexpr size_t kKeptCapacity = 4096;  // of an empty buffer
constexpr size_t kJoinedBytes = 16384;  // answers up to this go into one string with others
constexpr size_t kPiecesAhead = 65536;  // of an answer in pieces

bool WouldBlock(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

bool Connection::Receive(std::span<char> scratch) {
  const ssize_t count = recv(socket_.get(), scratch.data(), scratch.size(), 0);
  if (count < 0) return WouldBlock(errno);
  if (count == 0) is_input_over_ = true;
  input_.append(scratch.data(), static_cast<size_t>(count));
  return true;
}

bool Connection::HasUnreadInput() const {
  char first = 0;
  return recv(socket_.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

RequestParser::State Connection::Parse() {
  size_t used = 0;
  while (used < input_.size()) {
    const size_t more = parser_.Parse(std::string_view(input_).substr(used));
    used += more;
    if (more == 0 || parser_.state() == RequestParser::State::kDone) break;
  }
  input_.erase(0, used);
  if (input_.empty() && input_.capacity() > kKeptCapacity) input_ = std::string();
  return parser_.state();
}

void Connection::Respond(HttpResponse response, bool is_head_request_now, bool keep_alive) {
  const bool in_pieces = response.next_piece != nullptr;  // of HEAD, too: nobody knows the length
  ResponseStyle style;
  style.is_http_1_0 = parser_.is_http_1_0();
  if (in_pieces) {
    style.framing = style.is_http_1_0 ? ResponseFraming::kUntilClose : ResponseFraming::kChunked;
  }
  if (is_head_request_now && !in_pieces && response.body.empty()) {
    style.framing = ResponseFraming::kNone;
  }
  style.keep_alive = keep_alive && style.framing != ResponseFraming::kUntilClose;
  if (!style.keep_alive) closes_ = true;
  if (first_unsent_ == output_.size() || output_.back().size() > kJoinedBytes) {
    output_.emplace_back();
  }
  const size_t before = output_.back().size();
  AppendResponseHead(response, style, output_.back());
  output_bytes_ += output_.back().size() - before;
  if (is_head_request_now) return;
  is_chunked_ = style.framing == ResponseFraming::kChunked;
  std::string body = std::move(response.body);
  if (is_chunked_ && !body.empty()) {
    std::string chunk;
    AppendChunk(body, chunk);
    body = std::move(chunk);
  }
  output_bytes_ += body.size();
  if (body.size() <= kJoinedBytes) {
    output_.back() += body;
  } else {
    output_.push_back(std::move(body));
  }
  next_piece_ = std::move(response.next_piece);
}

void Connection::SendContinue() {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  output_.emplace_back(kContinue);
  output_bytes_ += kContinue.size();
}

bool Connection::Flush() {
  while (has_output()) {
    if (next_piece_ != nullptr && output_bytes_ < kPiecesAhead) TakePiece();
    const size_t before = output_bytes_;
    if (!SendOutput()) return false;
    if (output_bytes_ > 0 && output_bytes_ == before) return true;  // the socket takes no more
  }
  return true;
}

void Connection::EndOutput() {
  shutdown(socket_.get(), SHUT_WR);
}

bool Connection::Discard(std::span<char> scratch) {
  const ssize_t count = recv(socket_.get(), scratch.data(), scratch.size(), 0);
  return count > 0 || (count < 0 && WouldBlock(errno));
}

bool Connection::SendOutput() {
  constexpr size_t kMostPieces = 16;
  std::array<iovec, kMostPieces> pieces;
  const size_t count = std::min(kMostPieces, output_.size() - first_unsent_);
  if (count == 0) return true;
  for (size_t i = 0; i < count; ++i) {
    std::string& text = output_[first_unsent_ + i];
    const size_t skip = i == 0 ? sent_bytes_ : 0;
    pieces[i] = {text.data() + skip, text.size() - skip};
  }
  msghdr message = {};
  message.msg_iov = pieces.data();
  message.msg_iovlen = count;
  const ssize_t sent = sendmsg(socket_.get(), &message, MSG_NOSIGNAL);
  if (sent < 0) return WouldBlock(errno);
  DropSent(static_cast<size_t>(sent));
  return true;
}

void Connection::DropSent(size_t sent) {
  output_bytes_ -= sent;
  sent_bytes_ += sent;
  while (first_unsent_ < output_.size() && sent_bytes_ >= output_[first_unsent_].size()) {
    sent_bytes_ -= output_[first_unsent_].size();
    ++first_unsent_;
  }
  if (first_unsent_ < output_.size()) return;
  output_.clear();
  first_unsent_ = 0;
}

void Connection::TakePiece() {
  const std::string piece = next_piece_();
  if (piece.empty()) next_piece_ = nullptr;
  std::string framed;
  if (is_chunked_) {
    AppendChunk(piece, framed);
  } else {
    framed = piece;
  }
  output_bytes_ += framed.size();
  if (!framed.empty()) output_.push_back(std::move(framed));
}

}  // namespace pmdex
