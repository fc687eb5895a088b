// Until when a query may go on. Algorithms look at it between windows or runs of documents.
#pragma once

#include <chrono>
#include <optional>

namespace pmdex {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // nullopt: for ever

inline bool IsPast(const Deadline& deadline) {
  return deadline.has_value() && std::chrono::steady_clock::now() >= *deadline;
}

}  // namespace pmdex
