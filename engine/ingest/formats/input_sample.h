// The sample of standard input, which can be read only once: what is read for it goes to the build
// as the beginning of the input.
#pragma once

#include <string>

#include "engine/ingest/fields/field_collector.h"
#include "engine/ingest/ingest_options.h"
#include "engine/ingest/tuning/tuning.h"
#include "pmem/status.h"

namespace pmdex {

// The sample ends behind so much text, whatever the memory of the build. A line that is longer is
// not looked at.
inline constexpr size_t kMaxInputSampleBytes = size_t{16} << 20;

// Reads lines of JSON from standard input and shows them to the collector until its sample is over,
// or the input ends. Returns all that was read, which may end within a line. A read error ends the
// sample; the build meets it again. kCancelled once options.stop is set.
absl::StatusOr<std::string> SampleStandardInput(const IngestOptions& options,
                                                const BuildParameters& parameters,
                                                FieldCollector& collector);

}  // namespace pmdex
