// Indexes a given list of files, one after the other, in the thread that calls: what `pmdex watch`
// does with the files that have changed. With IngestOptions::attributes each entry becomes a
// document, as in a build: directories, links and files without text have attributes alone. A build
// of a whole tree takes Ingest instead, which has threads for each stage. Both read a file in the
// same way, so that they make the same document.
//
// The segments become visible when the caller publishes them. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_log.h"
#include "engine/store/document_locator.h"
#include "engine/store/index_writer.h"
#include "engine/store/known_files/known_file.h"
#include "pmem/persister.h"
#include "pmem/status.h"

namespace pmdex {

// What became of a file.
enum class FileOutcome {
  kIndexed,
  kIndexedWithoutText,  // IngestOptions::attributes: its text could not be read, or not all of it
  kPassedOver,          // its content gives no document: binary, too large, damaged
  kUnreadable,          // not opened or not read
  kVanished,            // gone, or no regular file any more and only files are kept
};

// A file that has another path now, and its document.
struct MovedFile {
  std::string path;
  FileFacts facts;  // what is at that path if the file is there still
  DocumentPlace document;
};

struct IndexedFiles {
  std::vector<FileOutcome> outcomes;  // indexed like the paths
  uint64_t bytes_in = 0;              // of text
};

class FileIndexer {
 public:
  // `options` has passed CheckTuning and outlives the object. medium: where segments are written.
  FileIndexer(const IngestOptions& options, StoreGranularity medium);
  ~FileIndexer();

  // Reads each file, which becomes the document with its path as id, and writes segments with the
  // documents. A link is not followed. Errors that are not of a single file
  // (kResourceExhausted, those of WriteSegment) end the call.
  absl::StatusOr<IndexedFiles> Index(std::span<const std::string> paths, IndexWriter& writer);

  // Gives the documents the ids and the attributes of their files at the new paths, without reading
  // the files: moved_documents.h says how, and what it costs. Returns for each file whether that
  // was done. The other files are to be read: something else is at that path by now, or the segment
  // is damaged. Errors as Index.
  absl::StatusOr<std::vector<bool>> Move(std::span<const MovedFile> files, IndexWriter& writer);

  // What was wrong with the files since the last call.
  ProblemSummaries TakeProblems();

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace pmdex
