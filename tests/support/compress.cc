#include "tests/support/compress.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "pmem/check.h"

namespace pmdex {
namespace {

// More than any of the libraries adds to a text that it cannot make shorter.
std::string Space(std::string_view text) {
  return std::string(text.size() + text.size() / 8 + 4096, '\0');
}

std::string Gzip(std::string_view text, int level) {
  std::string out = Space(text);
  z_stream stream = {};
  PMDEX_CHECK(deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) ==
              Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  PMDEX_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

// Compresses in pieces, as the program does. The frame does not have the size of the text, so that
// the decoder needs the whole window.
std::string Zstd(std::string_view text, int level, int window_log) {
  std::string out = Space(text);
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  if (window_log > 0) ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
  ZSTD_inBuffer in = {text.data(), text.size(), 0};
  ZSTD_outBuffer target = {out.data(), out.size(), 0};
  if (window_log > 0) {
    PMDEX_CHECK(!ZSTD_isError(ZSTD_compressStream2(context, &target, &in, ZSTD_e_continue)));
  }
  PMDEX_CHECK(ZSTD_compressStream2(context, &target, &in, ZSTD_e_end) == 0);
  ZSTD_freeCCtx(context);
  out.resize(target.pos);
  return out;
}

std::string Xz(std::string_view text, int level) {
  std::string out = Space(text);
  size_t size_bytes = 0;
  PMDEX_CHECK(lzma_easy_buffer_encode(static_cast<uint32_t>(level), LZMA_CHECK_CRC64, nullptr,
                                      reinterpret_cast<const uint8_t*>(text.data()), text.size(),
                                      reinterpret_cast<uint8_t*>(out.data()), &size_bytes,
                                      out.size()) == LZMA_OK);
  out.resize(size_bytes);
  return out;
}

std::string Bzip2(std::string_view text, int level) {
  std::string out = Space(text);
  auto size_bytes = static_cast<unsigned int>(out.size());
  PMDEX_CHECK(BZ2_bzBuffToBuffCompress(out.data(), &size_bytes, const_cast<char*>(text.data()),
                                       static_cast<unsigned int>(text.size()), level, 0,
                                       0) == BZ_OK);
  out.resize(size_bytes);
  return out;
}

}  // namespace

std::string Compress(Compression compression, std::string_view text, int level) {
  switch (compression) {
    case Compression::kGzip:
      return Gzip(text, level == 0 ? 6 : level);
    case Compression::kZstd:
      return Zstd(text, level == 0 ? 3 : level, 0);
    case Compression::kXz:
      return Xz(text, level == 0 ? 6 : level);
    case Compression::kBzip2:
      return Bzip2(text, level == 0 ? 9 : level);
    case Compression::kNone:
      break;
  }
  return std::string(text);
}

std::string CompressWithWindow(std::string_view text, int window_log) {
  return Zstd(text, 1, window_log);
}

std::string EndingOf(Compression compression) {
  switch (compression) {
    case Compression::kGzip:
      return "gz";
    case Compression::kZstd:
      return "zst";
    case Compression::kXz:
      return "xz";
    case Compression::kBzip2:
      return "bz2";
    case Compression::kNone:
      break;
  }
  return "txt";
}

}  // namespace pmdex
