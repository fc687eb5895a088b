// A copy of a part of the input, with which --tune measures.
//
// Files are drawn at random (seeded) from the first ones of the walk: whole small files, and the
// beginnings of large ones with many documents. Only the format that most bytes are in is sampled.
// The copy is read from the page cache, and of compressed files it has the text: how fast the
// input's own medium is, and how long decompressing takes, does not show.
#pragma once

#include <cstdint>
#include <string>

#include "engine/ingest/ingest_options.h"
#include "pmem/status.h"

namespace pmdex {

struct TuningSample {
  std::string directory;  // the files, and nothing else
  InputFormat format = InputFormat::kFiles;
  uint64_t bytes = 0;
  uint64_t files = 0;
};

inline constexpr uint64_t kTuningSampleBytes = uint64_t{32} << 20;
// A smaller sample would say nothing about speed.
inline constexpr uint64_t kLeastTuningSampleBytes = uint64_t{1} << 20;

// Copies at most limit_bytes into a new directory. kFailedPrecondition if there are fewer than
// least_bytes; kInvalidArgument if standard input is one of the inputs, because it cannot be read
// twice.
absl::StatusOr<TuningSample> TakeSample(const IngestOptions& options, const std::string& directory,
                                        uint64_t limit_bytes = kTuningSampleBytes,
                                        uint64_t least_bytes = kLeastTuningSampleBytes);

// Builds an index of the sample in index_directory, removes it, and returns MiB of the sample per
// second.
absl::StatusOr<double> MeasureSample(const TuningSample& sample, const IngestOptions& options,
                                     const std::string& index_directory);

}  // namespace pmdex
