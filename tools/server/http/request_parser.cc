#include "tools/server/http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/text.h"
#include "tools/server/http/content_coding.h"
#include "tools/server/http/request_target.h"

namespace pmdex {
namespace {

namespace http = boost::beast::http;

std::string_view View(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

bool EqualsIgnoringCase(std::string_view a, std::string_view lower) {
  return absl::AsciiStrToLower(ToAbsl(a)) == ToAbsl(lower);
}

// A larger body is decoded by a thread that keeps no other request waiting.
constexpr uint64_t kMostDecodedAtOnce = uint64_t{256} << 10;

constexpr const char* kBareLineFeed = "a line of the head ends without CR";

// The first byte does not count: what stands before it is not known.
bool HasBareLineFeed(std::string_view bytes) {
  for (size_t i = bytes.find('\n', 1); i != bytes.npos; i = bytes.find('\n', i + 1)) {
    if (bytes[i - 1] != '\r') return true;
  }
  return false;
}

// Returns why the bytes of a head are refused before Beast sees them; nullptr if they are not.
// Beast would join folded lines, and other programs end a line at a bare LF.
const char* LineFault(std::string_view head) {
  for (size_t i = head.find('\n'); i != head.npos; i = head.find('\n', i + 1)) {
    if (i == 0 || head[i - 1] != '\r') return kBareLineFeed;
    if (i + 1 < head.size() && (head[i + 1] == ' ' || head[i + 1] == '\t')) {
      return "a header is folded over two lines";
    }
  }
  for (size_t i = head.find('\r'); i != head.npos; i = head.find('\r', i + 1)) {
    if (i + 1 >= head.size() || head[i + 1] != '\n') return "the head has a CR without LF";
  }
  if (head.find('\0') != head.npos) return "the head has a NUL";
  return nullptr;
}

// True if the line of a chunk's size, or of what stands behind the last chunk, is there as a whole
// and has a quote that does not end in it. Beast would look for its end in the lines below, and
// count the size of the chunk each time.
bool HasOpenQuote(std::string_view bytes) {
  if (bytes.starts_with("\r\n")) bytes.remove_prefix(2);  // the end of the chunk before
  const size_t end = bytes.find("\r\n");
  if (end == bytes.npos) return false;
  bool is_open = false;
  for (size_t i = 0; i < end; ++i) {
    if (is_open && bytes[i] == '\\')
      ++i;
    else if (bytes[i] == '"')
      is_open = !is_open;
  }
  return is_open;
}

HttpFailure FailureOf(boost::beast::error_code error, const HttpLimits& limits) {
  if (error == http::error::body_limit) {
    return {413, absl::StrCat("the body is larger than ", limits.body_bytes, " bytes")};
  }
  if (error == http::error::header_limit) {
    return {431, absl::StrCat("the head is larger than ", limits.header_bytes, " bytes")};
  }
  if (error == http::error::bad_version) return {505, "the version is neither HTTP/1.1 nor 1.0"};
  return {400, absl::StrCat("not a request of HTTP/1.1: ", error.message())};
}

}  // namespace

struct RequestParser::Beast {
  http::request_parser<http::string_body> parser;

  size_t Count(http::field name) const {
    const auto [first, last] = parser.get().equal_range(name);
    return static_cast<size_t>(std::distance(first, last));
  }
  std::string_view Value(http::field name) const { return View(parser.get()[name]); }
};

RequestParser::RequestParser(const HttpLimits& limits) : limits_(&limits) {}
RequestParser::~RequestParser() = default;
RequestParser::RequestParser(RequestParser&&) noexcept = default;
RequestParser& RequestParser::operator=(RequestParser&&) noexcept = default;

size_t RequestParser::Fail(int status, std::string reason) {
  state_ = State::kFailed;
  failure_ = {status, std::move(reason)};
  keep_alive_ = false;
  return 0;
}

size_t RequestParser::body_bytes() const {
  return beast_ == nullptr ? 0 : beast_->parser.get().body().size();
}

size_t RequestParser::Parse(std::string_view bytes) {
  size_t used = 0;
  if (state_ == State::kHead) used = ParseHead(bytes);
  if (state_ == State::kBody) used += ParseBody(bytes.substr(used));
  return used;
}

size_t RequestParser::ParseHead(std::string_view bytes) {
  // RFC 9112, section 2.2: empty lines before a request are ignored.
  size_t blank = 0;
  while (searched_bytes_ == 0 && bytes.substr(blank).starts_with("\r\n")) blank += 2;
  if (blank > 0) return blank;
  if (bytes.size() < 2) return 0;  // this may be half of an empty line
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t from = searched_bytes_ < kEnd.size() ? 0 : searched_bytes_ - kEnd.size();
  const size_t end = bytes.find(kEnd, from);
  if (end == bytes.npos || end + kEnd.size() > limits_->header_bytes) {
    // Of a head without any CR the end never comes.
    if (HasBareLineFeed(bytes.substr(from, end - from))) return Fail(400, kBareLineFeed);
    searched_bytes_ = bytes.size();
    if (end == bytes.npos && bytes.size() < limits_->header_bytes) return 0;
    return Fail(431, absl::StrCat("the head is larger than ", limits_->header_bytes, " bytes"));
  }
  const std::string_view head = bytes.substr(0, end + kEnd.size());
  if (const char* fault = LineFault(head)) return Fail(400, fault);
  beast_ = std::make_unique<Beast>();
  auto& parser = beast_->parser;
  parser.header_limit(static_cast<uint32_t>(limits_->header_bytes));
  parser.body_limit(limits_->body_bytes);
  parser.eager(false);
  boost::beast::error_code error;
  size_t used = 0;
  while (used < head.size() && !error && !parser.is_header_done()) {
    used += parser.put(boost::asio::buffer(head.data() + used, head.size() - used), error);
  }
  if (!parser.is_header_done() || (error && error != http::error::need_more)) {
    failure_ = FailureOf(error, *limits_);
    return Fail(failure_.status, std::move(failure_.reason));
  }
  FinishHead();
  return head.size();
}

void RequestParser::FinishHead() {
  const auto& message = beast_->parser.get();
  searched_bytes_ = 0;
  is_http_1_0_ = message.version() == 10;
  keep_alive_ = message.keep_alive();
  if (message.version() != 11 && !is_http_1_0_) {
    Fail(505, "the version is neither HTTP/1.1 nor 1.0");
    return;
  }
  const auto fields = std::distance(message.begin(), message.end());
  if (static_cast<size_t>(fields) > limits_->header_fields) {
    Fail(431, absl::StrCat("there are more than ", limits_->header_fields, " headers"));
    return;
  }
  const size_t codings = beast_->Count(http::field::transfer_encoding);
  if (codings > 0 &&
      (codings > 1 || is_http_1_0_ || beast_->Count(http::field::content_length) > 0 ||
       !EqualsIgnoringCase(beast_->Value(http::field::transfer_encoding), "chunked"))) {
    Fail(400, "the only transfer coding is one \"chunked\", without a length");
  } else if (beast_->Count(http::field::content_length) > 1 ||
             beast_->Value(http::field::content_length).find(',') != std::string_view::npos) {
    Fail(400, "there are two lengths");
  } else if (const size_t hosts = beast_->Count(http::field::host);
             hosts > 1 || (hosts == 0 && !is_http_1_0_)) {
    Fail(400, "there must be one Host");
  } else if (const auto expected = beast_->Value(http::field::expect);
             !expected.empty() && !EqualsIgnoringCase(expected, "100-continue")) {
    Fail(417, "the only expectation is 100-continue");
  } else {
    expects_continue_ = !expected.empty() && !is_http_1_0_;
    state_ = State::kBody;
  }
}

size_t RequestParser::ParseBody(std::string_view bytes) {
  auto& parser = beast_->parser;
  size_t used = 0;
  boost::beast::error_code error;
  if (!parser.is_done()) parser.eager(true);
  // Every end of a chunked body has at least so many bytes, and Beast 1.74 fails an assertion if it
  // gets fewer of the last chunk.
  const size_t least_bytes = parser.chunked() ? std::string_view("0\r\n\r\n").size() : 1;
  while (!parser.is_done() && used + least_bytes <= bytes.size() && !error) {
    used += parser.put(boost::asio::buffer(bytes.data() + used, bytes.size() - used), error);
    if (used > 0) expects_continue_ = false;
  }
  if (error && error != http::error::need_more) {
    failure_ = FailureOf(error, *limits_);
    Fail(failure_.status, std::move(failure_.reason));
    return used;
  }
  if (error == http::error::need_more && parser.chunked() && HasOpenQuote(bytes.substr(used))) {
    Fail(400, "a quote in the extensions of a chunk does not end in their line");
    return used;
  }
  // A line between chunks that does not end would otherwise be kept for ever.
  if (!parser.is_done() && bytes.size() - used > limits_->header_bytes) {
    Fail(431, "a line between chunks is too long");
    return used;
  }
  if (parser.is_done()) FinishRequest();
  return used;
}

void RequestParser::FinishRequest() {
  auto& message = beast_->parser.get();
  target_ = std::string(View(message.target()));
  request_.method = std::string(View(message.method_string()));
  auto target = ParseRequestTarget(target_);
  if (!target.ok()) {
    Fail(400, std::string(Message(target.status())));
    return;
  }
  request_.path = std::move(target->path);
  request_.parameters = std::move(target->parameters);
  for (const auto& field : message) {
    request_.headers.emplace_back(absl::AsciiStrToLower(ToAbsl(View(field.name_string()))),
                                  View(field.value()));
  }
  request_.body = std::move(message.body());
  if (request_.Header("content-encoding").has_value()) {
    const bool may_be_large = limits_->body_bytes > kMostDecodedAtOnce;
    request_.coded_limit = may_be_large ? kMostDecodedAtOnce : limits_->body_bytes;
    std::optional<HttpFailure> failure;
    bool is_large = may_be_large && request_.body.size() > kMostDecodedAtOnce;
    if (!is_large) {
      failure = DecodeBody(request_);
      is_large = may_be_large && failure.has_value() && failure->status == 413;
    }
    if (is_large) {
      request_.coded_limit = limits_->body_bytes;
    } else if (failure.has_value()) {
      Fail(failure->status, std::move(failure->reason));
      return;
    }
  }
  state_ = State::kDone;
}

std::optional<HttpFailure> DecodeBody(HttpRequest& request) {
  const std::string_view coding = request.Header("content-encoding").value_or("identity");
  auto decoded = DecodeContent(coding, request.body, request.coded_limit);
  if (!decoded.ok()) {
    const bool large = absl::IsResourceExhausted(decoded.status());
    const bool unknown = absl::IsUnimplemented(decoded.status());
    return HttpFailure{large ? 413 : unknown ? 415 : 400, std::string(Message(decoded.status()))};
  }
  request.body = *std::move(decoded);
  request.coded_limit = 0;
  return std::nullopt;
}

HttpRequest RequestParser::TakeRequest() {
  PMDEX_CHECK(state_ == State::kDone);
  state_ = State::kHead;
  beast_.reset();
  expects_continue_ = false;
  return std::exchange(request_, HttpRequest());
}

}  // namespace pmdex
