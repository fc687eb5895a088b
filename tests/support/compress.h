// Compresses a text as the programs gzip, zstd, xz and bzip2 do, with their libraries.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "engine/ingest/reading/decompressor.h"

namespace pmdex {

inline constexpr std::array kAllCompressions = {Compression::kGzip, Compression::kZstd,
                                                Compression::kXz, Compression::kBzip2};

// Returns one stream. level: as on the command line of the program; 0 stands for its default.
std::string Compress(Compression compression, std::string_view text, int level = 0);

// A zstd frame for whose window a decoder needs 2^window_log bytes, whatever the text is.
std::string CompressWithWindow(std::string_view text, int window_log);

// The suffix of file names: "gz", "zst", "xz" or "bz2".
std::string EndingOf(Compression compression);

}  // namespace pmdex
