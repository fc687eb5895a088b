// From the inputs of the command line to files, in a fixed order: inputs as given, the entries of a
// directory sorted by name, depth first. Its memory is bounded: of a directory with very many
// entries only some names are held at a time.
//
// As ripgrep does: a symbolic link given as an input is followed, one met in the walk is passed
// over in silence, so the walk cannot loop. Hidden files are files. FIFOs, sockets and devices are
// reported and never opened.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/input_file.h"
#include "pmem/status.h"

namespace pmdex {

// That every input can be opened: kNotFound (or what errno says) for the first that cannot. A
// symbolic link loop is no error here but a problem of the walk.
absl::Status CheckInputs(const IngestOptions& options);

// What the names of directories that are being walked may take, where nobody says.
inline constexpr size_t kDefaultNamesBytes = size_t{2} << 20;

// Hands every file to `visit`; ends early when it returns false. What is wrong with an input is
// added to `problems`. kResourceExhausted when this process or the system has no descriptor or no
// memory to look at a file or a directory: the walk ends there, because going on would lose it.
absl::Status WalkInputs(const IngestOptions& options, ProblemLog& problems,
                        const std::function<bool(InputFile)>& visit,
                        size_t names_bytes = kDefaultNamesBytes);

// Whether two documents of these inputs can have the same id. They cannot when every id is made
// from the path of a file, and no input is another one or lies below it: a walk meets each path
// once. Different spellings of a path are different ids.
bool IdsMayRepeat(const IngestOptions& options);

}  // namespace pmdex
