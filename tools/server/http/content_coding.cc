#include "tools/server/http/content_coding.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {
namespace {

using Clock = std::chrono::steady_clock;

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

// The parts of a body. The clock is read before each, so that compressing ends soon after the
// deadline.
class BodyParts {
 public:
  BodyParts(std::string_view body, Clock::time_point deadline) : rest_(body), deadline_(deadline) {}

  // The next part; nullopt if the deadline has come.
  std::optional<std::string_view> Next() {
    constexpr size_t kPartBytes = size_t{128} << 10;
    if (deadline_ != Clock::time_point::max() && Clock::now() >= deadline_) return std::nullopt;
    const std::string_view part = rest_.substr(0, kPartBytes);
    rest_.remove_prefix(part.size());
    return part;
  }
  bool is_last() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  const Clock::time_point deadline_;
};

std::optional<std::string> Gzip(std::string_view body, Clock::time_point deadline) {
  z_stream stream = {};
  if (deflateInit2(&stream, kFastest, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return std::nullopt;
  }
  std::string out(deflateBound(&stream, body.size()), '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  BodyParts parts(body, deadline);
  int result = Z_OK;
  while (result == Z_OK) {
    const std::optional<std::string_view> part = parts.Next();
    if (!part.has_value()) break;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part->data()));
    stream.avail_in = static_cast<uInt>(part->size());
    result = deflate(&stream, parts.is_last() ? Z_FINISH : Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

std::optional<std::string> Zstd(std::string_view body, Clock::time_point deadline) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> owned(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx* const context = owned.get();
  if (context == nullptr) return std::nullopt;
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kFastest);
  ZSTD_CCtx_setPledgedSrcSize(context, body.size());
  std::string out(ZSTD_compressBound(body.size()), '\0');
  ZSTD_outBuffer made{out.data(), out.size(), 0};
  BodyParts parts(body, deadline);
  size_t left = 1;  // in the context, at the end of the body
  while (left != 0 && !ZSTD_isError(left)) {
    const std::optional<std::string_view> part = parts.Next();
    if (!part.has_value()) break;
    ZSTD_inBuffer in{part->data(), part->size(), 0};
    const ZSTD_EndDirective directive = parts.is_last() ? ZSTD_e_end : ZSTD_e_continue;
    do {
      left = ZSTD_compressStream2(context, &made, &in, directive);
    } while (in.pos < in.size && !ZSTD_isError(left));
    if (!parts.is_last() && left == 0) left = 1;
  }
  if (left != 0) return std::nullopt;
  out.resize(made.pos);
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
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> owned(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_DCtx* const context = owned.get();
  if (context == nullptr) return TooLarge(0);
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
  if (out.size() > most_bytes) return TooLarge(most_bytes);
  if (left != 0 || in.pos != body.size()) return InvalidArgument("the zstd body is damaged");
  return out;
}

}  // namespace

ContentCoding ChooseContentCoding(std::optional<std::string_view> accept_encoding) {
  if (!accept_encoding.has_value()) return ContentCoding::kIdentity;
  std::optional<double> gzip;
  double any = 0;  // of codings that are not named
  double zstd = 0;
  std::string_view rest = *accept_encoding;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view element = rest.substr(0, comma);
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
    const size_t semicolon = element.find(';');
    const std::string name = absl::AsciiStrToLower(ToAbsl(Strip(element.substr(0, semicolon))));
    const double quality = semicolon == element.npos ? 1 : QualityOf(element.substr(semicolon + 1));
    if (name == "gzip" || name == "x-gzip") gzip = quality;
    if (name == "*") any = quality;
    if (name == "zstd") zstd = quality;
  }
  const double gzip_quality = gzip.value_or(any);
  if (zstd > 0 && zstd >= gzip_quality) return ContentCoding::kZstd;
  return gzip_quality > 0 ? ContentCoding::kGzip : ContentCoding::kIdentity;
}

void CompressResponse(std::optional<std::string_view> accept_encoding, HttpResponse& response,
                      std::chrono::steady_clock::time_point deadline) {
  if (response.body.size() < kLeastCompressedBytes) return;
  const ContentCoding coding = ChooseContentCoding(accept_encoding);
  if (coding == ContentCoding::kIdentity) return;
  for (const auto& [name, value] : response.headers) {
    if (absl::AsciiStrToLower(name) == "content-encoding") return;
  }
  const bool gzip = coding == ContentCoding::kGzip;
  std::optional<std::string> packed =
      gzip ? Gzip(response.body, deadline) : Zstd(response.body, deadline);
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
