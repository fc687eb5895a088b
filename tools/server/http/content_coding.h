// Compresses bodies of answers when the client asks for it, and decompresses bodies of requests.
// Pure; thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pmem/status.h"
#include "tools/server/http/http_message.h"

namespace pmdex {

enum class ContentCoding { kIdentity, kGzip, kZstd };

// Smaller bodies fit into one packet, so that compressing them gains nothing.
inline constexpr size_t kLeastCompressedBytes = 1400;

// The coding to use for a client that sent this Accept-Encoding: zstd before gzip where it takes
// both equally. kIdentity without the header.
ContentCoding ChooseContentCoding(std::optional<std::string_view> accept_encoding);

// Compresses a body of at least kLeastCompressedBytes by the coding that the request asks for, and
// adds the headers. Does nothing to an answer that has a coding already, and leaves the answer as
// it is if the deadline comes first.
void CompressResponse(
    std::optional<std::string_view> accept_encoding, HttpResponse& response,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

// The body without its Content-Encoding: gzip, zstd or identity. kUnimplemented for another coding,
// kInvalidArgument for a damaged body, and kResourceExhausted if it has more than most_bytes.
absl::StatusOr<std::string> DecodeContent(std::string_view coding, std::string_view body,
                                          uint64_t most_bytes);

}  // namespace pmdex
