#include "tools/load/response_scanner.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr std::string_view kLastChunk = "\r\n0\r\n\r\n";
constexpr size_t kMostHeadBytes = 65536;

}  // namespace

void ResponseScanner::ReadHead(std::string_view head) {
  constexpr size_t kStatusAt = std::string_view("HTTP/1.1 ").size();
  is_broken_ = !head.starts_with("HTTP/1.") || head.size() < kStatusAt ||
               !absl::SimpleAtoi(ToAbsl(head.substr(kStatusAt, 3)), &status_);
  keeps_open_ = !head.starts_with("HTTP/1.0");
  bool has_length = false;
  while (!head.empty()) {
    const size_t end = head.find("\r\n");
    const std::string line = absl::AsciiStrToLower(ToAbsl(head.substr(0, end)));
    head.remove_prefix(std::min(head.size(), end == head.npos ? head.size() : end + 2));
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view name = std::string_view(line).substr(0, colon);
    const std::string_view value =
        ToStd(absl::StripAsciiWhitespace(ToAbsl(std::string_view(line).substr(colon + 1))));
    if (name == "content-length") {
      has_length = absl::SimpleAtoi(ToAbsl(value), &left_bytes_);
    } else if (name == "transfer-encoding") {
      is_chunked_ = value == "chunked";
    } else if (name == "connection") {
      keeps_open_ = value == "keep-alive" || (keeps_open_ && value != "close");
    }
  }
  if (!has_body_ || status_ == 204 || status_ == 304) {  // RFC 9112, section 6.3
    left_bytes_ = 0;
    is_chunked_ = false;
    return;
  }
  // An answer without a length ends with the connection, which this program does not need.
  if (!has_length && !is_chunked_) is_broken_ = true;
  if (is_chunked_) tail_ = "\r\n";
}

bool ResponseScanner::ScanBody(std::string_view bytes) {
  if (!is_chunked_) {
    left_bytes_ -= std::min(left_bytes_, bytes.size());
    return left_bytes_ == 0;
  }
  tail_ += bytes.substr(bytes.size() - std::min(bytes.size(), kLastChunk.size()));
  if (tail_.size() > kLastChunk.size()) tail_.erase(0, tail_.size() - kLastChunk.size());
  return tail_ == kLastChunk;
}

bool ResponseScanner::Scan(std::string_view bytes) {
  if (has_head_) return ScanBody(bytes);
  head_ += bytes;
  const size_t end = head_.find("\r\n\r\n");
  if (end == head_.npos) {
    is_broken_ = head_.size() > kMostHeadBytes;
    return false;
  }
  has_head_ = true;
  ReadHead(std::string_view(head_).substr(0, end));
  const std::string body = head_.substr(end + 4);
  head_.clear();
  return !is_broken_ && ScanBody(body);
}

}  // namespace pmdex
