// One connection of a client: its socket, the bytes that came and are not parsed, and the answers
// that are not sent. An event loop owns it and calls it when the socket is ready. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pmem/file_descriptor.h"
#include "tools/server/http/http_message.h"
#include "tools/server/http/http_service.h"
#include "tools/server/http/request_parser.h"
#include "tools/server/http/work_pool.h"

namespace pmdex {

// What a connection is doing, each with a time limit of its own.
enum class ConnectionPhase { kNew, kIdle, kHead, kBody, kWaiting, kSending, kClosing };

class Connection {
 public:
  Connection(uint64_t id, FileDescriptor socket, const HttpLimits& limits)
      : id_(id), socket_(std::move(socket)), parser_(limits) {}

  uint64_t id() const { return id_; }
  int socket() const { return socket_.get(); }

  // Reads what has come, through `scratch`. Returns false if the connection is broken. The end of
  // what the client sends is no such error: is_input_over() is then true.
  bool Receive(std::span<char> scratch);
  // True if bytes wait in the socket.
  bool HasUnreadInput() const;
  // Parses what has come, up to the end of one request.
  RequestParser::State Parse();
  RequestParser& parser() { return parser_; }
  const RequestParser& parser() const { return parser_; }
  bool is_input_over() const { return is_input_over_; }
  bool has_input() const { return !input_.empty(); }
  // True from the first byte of a request to its end.
  bool is_inside_request() const {
    return !input_.empty() || parser_.state() == RequestParser::State::kBody;
  }
  // Bytes that this connection keeps in memory for requests.
  size_t input_bytes() const { return input_.size() + parser_.body_bytes(); }

  // Queues an answer. keep_alive: whether the connection stays open after it.
  void Respond(HttpResponse response, bool is_head_request, bool keep_alive);
  void SendContinue();  // "100 Continue"
  // Sends as much as the socket takes. Returns false if the connection is broken.
  bool Flush();
  bool has_output() const { return first_unsent_ < output_.size() || sends_pieces(); }
  bool sends_pieces() const { return next_piece_ != nullptr; }
  size_t output_bytes() const { return output_bytes_; }
  // True once the last answer of this connection is queued.
  bool closes() const { return closes_; }
  // Ends what is sent, and reads what still comes until the client closes, too. Closing at once
  // would make the kernel drop answers that the client has not read.
  void EndOutput();
  // Returns false at the end of what the client sends.
  bool Discard(std::span<char> scratch);

  bool is_waiting() const { return work != nullptr; }

  // What the event loop notes.
  std::optional<uint32_t> peer_uid;  // RequestContext
  ConnectionPhase phase = ConnectionPhase::kNew;
  uint64_t deadline_tick = 0;
  uint32_t events = 0;           // for which epoll waits
  bool is_in_backlog = false;    // it has requests that the loop has not looked at
  bool is_held_back = false;     // the same, until the client has taken the answers before
  bool was_refused = false;      // bytes of the client that nobody will parse may still come
  bool is_head_request = false;  // HEAD: of the request that is being answered
  size_t counted_bytes = 0;      // that the loop has added up
  FinishedRequest current;       // the request that is being answered
  // Of the work that makes the answer in a pool; nullptr if there is none.
  std::shared_ptr<WorkTicket> work;
  ServerClock::time_point work_deadline;  // until when it must be begun

 private:
  bool SendOutput();
  void DropSent(size_t sent);
  void TakePiece();

  const uint64_t id_;
  FileDescriptor socket_;
  RequestParser parser_;
  std::string input_;  // what the parser has not used
  bool is_input_over_ = false;
  std::vector<std::string> output_;
  size_t first_unsent_ = 0;  // index into output_
  size_t sent_bytes_ = 0;    // of that one
  size_t output_bytes_ = 0;  // not sent
  std::function<std::string()> next_piece_;
  bool is_chunked_ = false;
  bool closes_ = false;
};

}  // namespace pmdex
