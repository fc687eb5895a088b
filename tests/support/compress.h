// What the programs gzip, zstd, xz and bzip2 make of a text, by the libraries that they are made
// of.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/ingest/reading/decompressor.h"

namespace pmdex {

inline constexpr std::array kAllCompressions = {Compression::kGzip, Compression::kZstd,
                                                Compression::kXz, Compression::kBzip2};

// One stream. `level` as on the command line; 0: the default of the program.
std::string Compress(Compression compression, std::string_view text, int level = 0);

// A zstd frame for whose window a decoder needs 2^window_log bytes, whatever the text is.
std::string CompressWithWindow(std::string_view text, int window_log);

// "gz", "zst", "xz", "bz2".
std::string EndingOf(Compression compression);

}  // namespace pmdex
