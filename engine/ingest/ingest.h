// From input to segments: the front door of ingest.
//
//   walk -> files -> readers -> blocks -> indexers: parse, tokenise, memtable -> full memtables ->
//   writers: sort, write a segment, checkpoint
//
// Every stage has threads of its own and a bounded queue behind it. Readers hand over whole blocks;
// indexers own the memtable they fill and share nothing on the hot path.
#pragma once

#include <functional>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/ingest_report.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// Runs to the end of the input and publishes one generation. An input that cannot be opened at all
// is an error before anything is written (kNotFound); everything inside an input is counted
// instead. `progress` (may be empty) is called about ten times a second from one thread.
//
// What is done becomes durable in checkpoints meanwhile. A writer that has taken up an unfinished
// build (OpenToResume) goes on behind it: nothing is indexed twice, nothing is lost. After an error
// writer.published().pending says what may still be taken up.
//
// Once options.stop is set, no more input is read; what was read is indexed and checkpointed, and
// the error is kCancelled, or what went wrong with that. The build has then been begun even if
// nothing is done of it. A stop that comes when all input has been read changes nothing.
absl::StatusOr<IngestReport> Ingest(const IngestOptions& options, IndexWriter& writer,
                                    const std::function<void(const IngestProgress&)>& progress);

}  // namespace pmdex
