// The four compressions that input may have, and one interface for their decoders. A decoder takes
// bytes of a file and gives bytes of its text, as many as there are and as fit. A file may hold
// several compressed streams one after the other (members of gzip, frames of zstd); a decoder stops
// at the end of each.
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

// The compression by the ending of the name: .gz, .zst, .xz, .bz2.
Compression CompressionOfName(std::string_view path);
// The name without such an ending.
std::string_view NameOfText(std::string_view path);

// How many bytes BeginsAs needs to be sure.
inline constexpr size_t kMagicBytes = 6;
// True if these are the first bytes of a stream of this compression. If there are fewer than
// kMagicBytes: true if such a stream may begin with them. False if there are none.
bool BeginsAs(Compression compression, std::string_view beginning);

class Decompressor {
 public:
  enum class Status {
    kGoesOn,
    kStreamEnd,  // the stream has ended; the next Run begins another one
    kDamaged,    // the stream or its checksum is wrong; the text given before stays valid
    kNoMemory,   // memory.needed_bytes() says how much is needed; 0: the system has none
  };
  // A step with kGoesOn that takes and gives nothing needs more input. If there is none, the stream
  // is cut short.
  struct Step {
    Status status = Status::kGoesOn;
    size_t taken_bytes = 0;
    size_t given_bytes = 0;
  };

  // The decoder allocates through `memory`, which outlives it, but not before the first Run.
  // Requires a compression other than kNone.
  static std::unique_ptr<Decompressor> New(Compression compression, DecoderMemory& memory);
  virtual ~Decompressor() = default;

  // Must not be called again after kDamaged or kNoMemory.
  virtual Step Run(std::string_view input, std::span<char> output) = 0;
};

}  // namespace pmdex
