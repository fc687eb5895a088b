// Where the limits of this process' control groups are to be read. Containers and batch systems put
// processes into groups that may take a part of the machine only. `root` stands before every path
// ("/" in use, a recorded tree in tests). Thread-safe: no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

enum class ControlGroupVersion { k1, k2 };

// The folder of the process' group and those of all groups that it is in, innermost first, relative
// to the root. Empty where the controller ("memory", "cpu") has no groups of this version; version
// 2 has one hierarchy for all controllers.
std::vector<std::string> ControlGroupFolders(std::string_view root, ControlGroupVersion version,
                                             std::string_view controller);

}  // namespace pmdex
