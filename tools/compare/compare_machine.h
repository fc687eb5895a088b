// What a reader must know of the machine that `pmdex compare` ran on. Thread-safe: no state.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pmdex {

// Names and values: CPU, kernel, memory, and how busy the machine is before the run.
std::vector<std::pair<std::string, std::string>> MachineFacts();

// What a busy machine does to the numbers; empty if fewer threads want to run than there are CPUs.
// load: runnable threads, mean of a minute; cpus: of this process.
std::string NoteOnLoad(double load, size_t cpus);
// The same for this machine now.
std::string NoteOnLoad();

}  // namespace pmdex
