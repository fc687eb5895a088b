// The file of `pmdex index --schema`: TOML that gives fields their types.
//
//   [fields.size]
//   type = "i64"      # i64 u64 f64 bool date keyword text
//   multi = false     # whether a document may have several values; open if it is missing
//
// A dotted name of a field is quoted: [fields."a.b"]. Tables in tables name dotted fields, too.
#pragma once

#include <string>
#include <string_view>

#include "engine/columns/field_spec.h"
#include "pmem/status.h"

namespace pmdex {

// kInvalidArgument "line 3, column 8: WHAT" if the text is no schema.
absl::StatusOr<FieldSpecs> ParseSchema(std::string_view text);

// Reads the file. Errors name it.
absl::StatusOr<FieldSpecs> ReadSchemaFile(const std::string& path);

}  // namespace pmdex
