// The keys that the source of a document must not have, as in Elasticsearch: the names of metadata
// fields at the top, and a key twice in the same object. Stateless.
#pragma once

#include <optional>
#include <string_view>

#include "pmem/status.h"
#include "tools/server/writing/write_operation.h"

namespace pmdex {

// Reads each byte of the source once. kInvalidArgument for the first key that a document must not
// have. What is wrong in a source that is no JSON may go unseen: whoever reads it tells.
absl::Status CheckSourceKeys(std::string_view json);

// The failure of an operation of Elasticsearch's API whose document has such a key; nullopt if it
// has none. A part of an update is looked at for metadata fields only.
std::optional<WriteOutcome> RefuseKeys(const WriteOperation& operation);

}  // namespace pmdex
