// One file to read: what the walk hands to the readers, and how it is opened without ever waiting
// for a FIFO or following a link that took the file's place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/resume/watermark.h"
#include "pmem/file_descriptor.h"
#include "pmem/status.h"

namespace pmdex {

inline constexpr std::string_view kStandardInput = "-";
inline constexpr size_t kBinaryProbeBytes = 8192;  // as git

struct InputFile {
  std::string path;                          // as the user will see it: the id in format `files`
  InputFormat format = InputFormat::kFiles;  // never kAuto
  bool walked = false;      // met in a directory: links are not followed, binary files not read
  uint64_t size_bytes = 0;  // when the walk saw it

  uint64_t input = 0;           // index of the input that it was met in
  uint64_t ordinal = 0;         // among the files of this run, in the order of the walk
  std::vector<DoneRange> done;  // by an earlier run; only of formats with many documents in a file

  WalkPosition position() const { return {input, path}; }
};

struct OpenedFile {
  FileDescriptor owned;  // not for standard input
  int fd = -1;
  uint64_t size_bytes = 0;  // 0 when unknown
};

// By its name, which may say that it is compressed besides: `a.jsonl`, `a.ndjson.gz`.
bool IsNamedJsonLines(std::string_view path);

// Nothing when it is gone, unreadable or no regular file; the log then says so. kResourceExhausted
// when there is no descriptor or no memory for it, which is not the file's fault: it was not looked
// at, and is not to be counted as done.
absl::StatusOr<std::optional<OpenedFile>> OpenInput(const InputFile& file, ProblemLog& problems);

// Reads up to size_bytes, fewer only at the end of the file. -1 with errno on error. Standard input
// is waited for in slices, so that `stopped` can end the wait (as an end of file).
int64_t ReadFully(int fd, char* bytes, size_t size_bytes, const StopFlag& stopped);

// A NUL byte among the first kBinaryProbeBytes, or a UTF-16 byte order mark.
bool LooksBinary(std::string_view beginning);

// Length of a UTF-8 byte order mark at the beginning: 3 or 0.
size_t ByteOrderMarkBytes(std::string_view beginning);

}  // namespace pmdex
