// Turns the errors of the engine into those of the library's interface. Stateless; thread-safe.
#pragma once

#include "pmem/status.h"
#include "tools/library/pmdex.h"

namespace pmdex {

CallStatus ToCallStatus(const absl::Status& status);

}  // namespace pmdex
