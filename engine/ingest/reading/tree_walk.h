// Walks from the inputs of the command line to files, in a fixed order: inputs as given, the
// entries of a directory sorted by name, depth first. Its memory is bounded: it holds only a part
// of the names of a very large directory at a time.
//
// Like ripgrep, the walk follows a symbolic link that is an input, and silently passes over one
// that it finds in a directory, so it cannot loop. Hidden files are files. It reports FIFOs,
// sockets and devices and never opens them. With IngestOptions::attributes it hands over every
// entry, directories before what is in them.
#pragma once

#include <cstddef>
#include <functional>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"
#include "pmem/status.h"

namespace pmdex {

// Checks that every input can be opened: kNotFound, or the error that errno stands for, for the
// first that cannot. A symbolic link loop is not an error here; the walk reports it as a problem.
absl::Status CheckInputs(const IngestOptions& options);

// The default of how much memory the names of the walked directories may take.
inline constexpr size_t kDefaultNamesBytes = size_t{2} << 20;

// Hands every file to `visit`; ends early if that returns false. Adds what is wrong with an input
// to `problems`. kResourceExhausted if there is no descriptor or no memory to look at a file or a
// directory: the walk ends there, because otherwise it would lose the file.
absl::Status WalkInputs(const IngestOptions& options, ProblemLog& problems,
                        const std::function<bool(InputFile)>& visit,
                        size_t names_bytes = kDefaultNamesBytes);

// True if two documents of these inputs may have the same id. False if every id is made from the
// path of a file, and no input equals another one or lies below it, because a walk finds each path
// once. Different spellings of a path are different ids.
bool IdsMayRepeat(const IngestOptions& options);

}  // namespace pmdex
