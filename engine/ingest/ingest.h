// Builds segments from input.
//
//   walk -> files -> readers -> blocks -> indexers: parse, tokenise, memtable -> full memtables ->
//   writers: sort, write a segment, checkpoint
//
// Every stage has threads of its own and a bounded queue behind it. Readers hand over whole blocks.
// Each indexer owns the memtable that it fills, so indexers share nothing while they work.
#pragma once

#include <functional>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// Indexes all input and publishes one generation. Returns kNotFound, before it writes anything, if
// an input cannot be opened at all. Counts whatever goes wrong inside an input as a problem and
// goes on. Calls `progress`, which may be empty, about ten times a second from one thread.
//
// The build checkpoints its work while it runs. If the writer was opened with OpenToResume and has
// taken up an unfinished build, the build goes on behind it: it indexes nothing twice and loses
// nothing. After an error, writer.published().pending says which work can be resumed.
//
// Once options.stop is set, the build reads no more input. It indexes and checkpoints what it has
// read, and returns kCancelled, or the error that this met. The build counts as begun even if none
// of it is done. A stop that comes after all input was read changes nothing.
absl::StatusOr<IngestReport> Ingest(const IngestOptions& options, IndexWriter& writer,
                                    const std::function<void(const IngestProgress&)>& progress);

}  // namespace pmdex
