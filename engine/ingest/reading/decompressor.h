// The four compressions that input may have, and one decoder for all of them: bytes of a file in,
// bytes of its text out, as much of each as there is. A file may hold several compressed streams
// one after the other (members of gzip, frames of zstd); a decoder ends with each.
//
// Not thread-safe. The decoders are those of zlib, libzstd, liblzma and libbz2.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "engine/ingest/reading/decoder_memory.h"

namespace pmdex {

enum class Compression { kNone, kGzip, kZstd, kXz, kBzip2 };
std::string_view ToString(Compression compression);

// By the ending of the name: .gz, .zst, .xz, .bz2.
Compression CompressionOfName(std::string_view path);
// The name without such an ending: what the text would be called.
std::string_view NameOfText(std::string_view path);

// As many bytes as BeginsAs needs to be sure.
inline constexpr size_t kMagicBytes = 6;
// Whether these are the first bytes of a stream of this compression. Of fewer than kMagicBytes,
// which are then all that there is: whether such a stream may begin with them; never true of none.
bool BeginsAs(Compression compression, std::string_view beginning);

class Decompressor {
 public:
  enum class Status {
    kGoesOn,
    kStreamEnd,  // the next Run begins another stream
    kDamaged,    // checksums included; what was given before stays
    kNoMemory,   // memory.needed_bytes() says how much; 0: the system has none
  };
  // A step that goes on but takes and gives nothing had too little input: with all of it, the
  // stream is cut short.
  struct Step {
    Status status = Status::kGoesOn;
    size_t taken_bytes = 0;
    size_t given_bytes = 0;
  };

  // Allocates through `memory`, which outlives it; nothing before the first Run. Requires a
  // compression that is not kNone.
  static std::unique_ptr<Decompressor> New(Compression compression, DecoderMemory& memory);
  virtual ~Decompressor() = default;

  // After kDamaged and kNoMemory it must not be called again.
  virtual Step Run(std::string_view input, std::span<char> output) = 0;
};

}  // namespace pmdex
