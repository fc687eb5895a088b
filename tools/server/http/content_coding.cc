#include "tools/server/http/content_coding.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for the gzip format
constexpr int kFastest = 1;

std::string_view Strip(std::string_view text) {
  return ToStd(absl::StripAsciiWhitespace(ToAbsl(text)));
}

// The value of "q" among the parameters of a coding; 1 without one.
double QualityOf(std::string_view parameters) {
  const size_t q = parameters.find("q=");
  if (q == parameters.npos) return 1;
  double value = 0;
  const std::string_view text = parameters.substr(q + 2);
  if (!absl::SimpleAtod(ToAbsl(Strip(text.substr(0, text.find(';')))), &value)) return 0;
  return value;
}

std::optional<std::string> Gzip(std::string_view body) {
  z_stream stream = {};
  if (deflateInit2(&stream, kFastest, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

std::optional<std::string> Zstd(std::string_view body) {
  std::string out(ZSTD_compressBound(body.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), body.data(), body.size(), kFastest);
  if (ZSTD_isError(size)) return std::nullopt;
  out.resize(size);
  return out;
}

absl::Status TooLarge(uint64_t most_bytes) {
  return MakeStatus(
      absl::StatusCode::kResourceExhausted,
      absl::StrCat("the body is larger than ", most_bytes, " bytes when it is decompressed"));
}

absl::StatusOr<std::string> Gunzip(std::string_view body, uint64_t most_bytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return TooLarge(0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  std::string out;
  std::array<char, 16384> piece;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= most_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = piece.size();
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  const bool is_whole = stream.avail_in == 0;
  inflateEnd(&stream);
  if (out.size() > most_bytes) return TooLarge(most_bytes);
  if (result != Z_STREAM_END || !is_whole) return InvalidArgument("the gzip body is damaged");
  return out;
}

absl::StatusOr<std::string> Unzstd(std::string_view body, uint64_t most_bytes) {
  ZSTD_DCtx* const context = ZSTD_createDCtx();
  ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23);  // no more than 8 MiB of memory
  std::string out;
  std::array<char, 16384> piece;
  ZSTD_inBuffer in{body.data(), body.size(), 0};
  size_t left = 1;
  bool is_stuck = false;
  while (left != 0 && !ZSTD_isError(left) && out.size() <= most_bytes && !is_stuck) {
    ZSTD_outBuffer made{piece.data(), piece.size(), 0};
    const size_t before = in.pos;
    left = ZSTD_decompressStream(context, &made, &in);
    out.append(piece.data(), made.pos);
    is_stuck = in.pos == before && made.pos == 0;
  }
  ZSTD_freeDCtx(context);
  if (out.size() > most_bytes) return TooLarge(most_bytes);
  if (left != 0 || in.pos != body.size()) return InvalidArgument("the zstd body is damaged");
  return out;
}

}  // namespace

ContentCoding ChooseContentCoding(std::optional<std::string_view> accept_encoding) {
  if (!accept_encoding.has_value()) return ContentCoding::kIdentity;
  double gzip = 0;
  double zstd = 0;
  std::string_view rest = *accept_encoding;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view element = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    const size_t semicolon = element.find(';');
    const std::string name = absl::AsciiStrToLower(ToAbsl(Strip(element.substr(0, semicolon))));
    const double quality = semicolon == element.npos ? 1 : QualityOf(element.substr(semicolon + 1));
    if (name == "gzip" || name == "x-gzip" || name == "*") gzip = quality;
    if (name == "zstd") zstd = quality;
  }
  if (zstd > 0 && zstd >= gzip) return ContentCoding::kZstd;
  return gzip > 0 ? ContentCoding::kGzip : ContentCoding::kIdentity;
}

void CompressResponse(std::optional<std::string_view> accept_encoding, HttpResponse& response) {
  if (response.body.size() < kLeastCompressedBytes) return;
  const ContentCoding coding = ChooseContentCoding(accept_encoding);
  if (coding == ContentCoding::kIdentity) return;
  for (const auto& [name, value] : response.headers) {
    if (absl::AsciiStrToLower(name) == "content-encoding") return;
  }
  const bool gzip = coding == ContentCoding::kGzip;
  std::optional<std::string> packed = gzip ? Gzip(response.body) : Zstd(response.body);
  if (!packed.has_value() || packed->size() >= response.body.size()) return;
  response.body = *std::move(packed);
  response.headers.emplace_back("Content-Encoding", gzip ? "gzip" : "zstd");
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

absl::StatusOr<std::string> DecodeContent(std::string_view coding, std::string_view body,
                                          uint64_t most_bytes) {
  const std::string name = absl::AsciiStrToLower(ToAbsl(Strip(coding)));
  if (name == "identity") return std::string(body);
  if (name == "gzip" || name == "x-gzip") return Gunzip(body, most_bytes);
  if (name == "zstd") return Unzstd(body, most_bytes);
  return MakeStatus(absl::StatusCode::kUnimplemented,
                    absl::StrCat("the coding '", ToAbsl(coding.substr(0, 40)),
                                 "' is not known (hint: gzip, zstd or identity)"));
}

}  // namespace pmdex
