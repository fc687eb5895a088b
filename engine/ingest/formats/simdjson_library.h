// simdjson, loaded when a build begins. Debian has it as a shared library only, which needs the
// shared C++ library in turn; searching needs neither, and starts without waiting for them.
//
// Sources go on to include <simdjson.h> and use it as ever. simdjson_library.cc defines those
// functions of it that are not inline: each calls the function of the same name in the loaded
// library. It also defines the tables that the inline ones read; they are filled when the library
// is loaded. If a later use of simdjson needs a further one, linking fails with an undefined
// reference: add it there.
//
// Thread-safe. What is loaded stays loaded.
#pragma once

#include "pmem/status.h"

namespace pmdex {

// kUnimplemented, with a hint, where the library is missing or has other tables. Ingest calls it
// before the first use of simdjson. A use without it loads the library, too, and ends the process
// where that fails.
absl::Status LoadSimdjson();

}  // namespace pmdex
