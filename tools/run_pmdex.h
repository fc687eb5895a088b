// The command line of pmdex.
#pragma once

namespace pmdex {

// Runs the whole program: what main does. Returns the exit status.
int RunPmdex(int argc, const char* const* argv);

}  // namespace pmdex
