// What a reader must know of the machine that `pmdex compare` ran on. Thread-safe: no state.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace pmdex {

// Names and values: CPU, kernel, memory, and how busy the machine is before the run.
std::vector<std::pair<std::string, std::string>> MachineFacts();

}  // namespace pmdex
