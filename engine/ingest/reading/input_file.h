// One file that the walk hands to the readers, and how it is opened. Opening never waits for a FIFO
// and never follows a link that has replaced a walked file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
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
  // True if the walk found it in a directory. Then links are not followed, and binary files are not
  // read.
  bool walked = false;
  uint64_t size_bytes = 0;  // when the walk saw it

  uint64_t input = 0;    // index of the input that the walk found it in
  uint64_t ordinal = 0;  // its number among the files of this run, in the order of the walk
  // What earlier runs have done of the file; only in formats with many documents in a file.
  std::vector<DoneRange> done;

  // True if the build keeps every entry: what gives no text becomes a document without text.
  bool keeps_entry = false;
  // True if it is no regular file, so that only its entry is looked at. It is never opened.
  bool is_entry_only = false;
  // Who may reach the file (access_text.h); nullptr if nobody has looked.
  std::shared_ptr<const std::string> parents;

  WalkPosition position() const { return {input, path}; }
};

struct OpenedFile {
  FileDescriptor owned;  // empty for standard input
  int fd = -1;
  uint64_t size_bytes = 0;  // 0 when unknown
  int64_t mtime = 0;        // in nanoseconds since 1970 UTC; of a pipe, when it was opened
};

// True for names like `a.jsonl` and `a.ndjson.gz`.
bool IsNamedJsonLines(std::string_view path);

// Empty if the file is gone, unreadable or not a regular file; the log then says so.
// kResourceExhausted if there is no descriptor or no memory to open it; the file then does not
// count as done.
absl::StatusOr<std::optional<OpenedFile>> OpenInput(const InputFile& file, ProblemLog& problems);

// Reads up to size_bytes, fewer only at the end of the file. -1 with errno on error. Waits for
// standard input in short periods, so that `stopped` can end the wait; that counts as the end of
// the file.
int64_t ReadFully(int fd, char* bytes, size_t size_bytes, const StopFlag& stopped);

// Reads what is there, at least a byte, and at most size_bytes; 0 at the end of the file. Otherwise
// as ReadFully.
int64_t ReadSome(int fd, char* bytes, size_t size_bytes, const StopFlag& stopped);

// Reads standard input behind the first `filled` of size_bytes. Returns how many bytes there are
// then, or -1 with errno. There are fewer than size_bytes at the end of the input, once `stopped`
// is set, and once the time has passed since the first of them came: then `is_paused` is set, and
// one of them is a line end.
int64_t ReadUntilPause(char* bytes, size_t filled, size_t size_bytes, const StopFlag& stopped,
                       std::chrono::milliseconds longest_wait, bool& is_paused);

// True if the first kBinaryProbeBytes hold a NUL byte, or begin with a UTF-16 byte order mark.
bool LooksBinary(std::string_view beginning);

// The length of a UTF-8 byte order mark at the beginning: 3 or 0.
size_t ByteOrderMarkBytes(std::string_view beginning);

}  // namespace pmdex
