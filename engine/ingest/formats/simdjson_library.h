// Loads simdjson when a build begins. Debian has simdjson only as a shared library, which needs the
// shared C++ library too. Searching needs neither, so the program starts without them.
//
// Sources include <simdjson.h> and use it as usual. simdjson_library.cc defines those functions of
// simdjson that are not inline: each calls the function of the same name in the loaded library. It
// also defines the tables that the inline functions read, and fills them when it loads the library.
// If new code needs another function, linking fails with an undefined reference: add it there.
//
// Thread-safe. The library stays loaded.
#pragma once

#include "pmem/status.h"

namespace pmdex {

// kUnimplemented, with a hint, if the library is missing or has other tables. Ingest calls this
// before the first use of simdjson. A use without it also loads the library, and ends the process
// if that fails.
absl::Status LoadSimdjson();

}  // namespace pmdex
