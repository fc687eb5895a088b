#include "tools/schema_file.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_UNRELEASED_FEATURES 0
#include <toml++/impl/preprocessor.h>
// toml++ 3.3 assumes that each key begins with a letter that may begin one, but "[[[" reaches that
// place, and there the behaviour would be undefined. Without the assumption it reports an error.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_cast<void>(0)
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <sstream>

#include "absl/strings/str_cat.h"

#include "engine/memtable/field_names.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

constexpr int kMostLevels = 64;  // as in JSON

absl::Status SchemaError(const toml::source_position& place, std::string_view what) {
  return InvalidArgument(
      absl::StrCat("line ", place.line, ", column ", place.column, ": ", ToAbsl(what)));
}
absl::Status SchemaError(const toml::node& node, std::string_view what) {
  return SchemaError(node.source().begin, what);
}

absl::StatusOr<FieldSpec> SpecOf(const toml::table& table, const std::string& name) {
  FieldSpec spec;
  bool has_type = false;
  for (const auto& [key, node] : table) {
    if (key.str() == "type") {
      const auto* text = node.as_string();
      const auto type = text == nullptr ? std::nullopt : ParseFieldType(text->get());
      if (!type.has_value()) {
        return SchemaError(node,
                           "a type is one of i64, u64, f64, bool, date, keyword and text, "
                           "in quotes");
      }
      spec.type = *type;
      has_type = true;
    } else if (key.str() == "multi") {
      const auto* truth = node.as_boolean();
      if (truth == nullptr) return SchemaError(node, "multi is true or false");
      spec.values = truth->get() ? Multiplicity::kMany : Multiplicity::kOne;
    } else {
      return SchemaError(key.source().begin,
                         absl::StrCat("field ", name, " has no setting '", ToAbsl(key.str()),
                                      "' (hint: the settings are type and multi)"));
    }
  }
  if (!has_type) return SchemaError(table, absl::StrCat("field ", name, " has no type"));
  return spec;
}

// A table with a type that is no table is a field; other tables hold fields of longer names.
bool IsField(const toml::table& table) {
  const bool has_tables = std::any_of(table.begin(), table.end(),
                                      [](const auto& entry) { return entry.second.is_table(); });
  return table.empty() || !has_tables;
}

absl::Status AddFields(const toml::table& table, const std::string& prefix, int level,
                       FieldSpecs& fields) {
  if (level > kMostLevels) return SchemaError(table, "too many tables in tables");
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const auto* field = node.as_table();
    if (field == nullptr) {
      return SchemaError(key.source().begin,
                         absl::StrCat("field ", name, " needs a table: [fields.", name, "]"));
    }
    if (!IsField(*field)) {
      PMDEX_RETURN_IF_ERROR(AddFields(*field, name + ".", level + 1, fields));
      continue;
    }
    if (name.size() > kMaxFieldNameBytes || name == kOtherField) {
      return SchemaError(key.source().begin, "no field may have this name");
    }
    PMDEX_ASSIGN_OR_RETURN(const FieldSpec spec, SpecOf(*field, name));
    if (!fields.emplace(name, spec).second) {
      return SchemaError(key.source().begin, absl::StrCat("field ", name, " comes twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FieldSpecs> ParseSchema(std::string_view text) {
  // toml++ 3.3 has undefined behaviour on some letters beyond ASCII outside quotes.
  const auto beyond = std::find_if(text.begin(), text.end(),
                                   [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (beyond != text.end()) {
    const auto line = static_cast<uint32_t>(std::count(text.begin(), beyond, '\n')) + 1;
    const auto begin = std::string_view(text.begin(), beyond).rfind('\n');
    const auto before = static_cast<size_t>(beyond - text.begin());
    const auto column = begin == std::string_view::npos ? before + 1 : before - begin;
    return SchemaError({line, static_cast<uint32_t>(column)},
                       "a letter beyond ASCII (hint: write \\u00e9 inside quotes)");
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) return SchemaError(parsed.error().source().begin, parsed.error().description());
  FieldSpecs fields;
  for (const auto& [key, node] : parsed.table()) {
    const auto* table = node.as_table();
    if (key.str() != "fields" || table == nullptr) {
      return SchemaError(key.source().begin, "a schema has tables [fields.NAME] and nothing else");
    }
    PMDEX_RETURN_IF_ERROR(AddFields(*table, "", 0, fields));
  }
  if (fields.size() > kMaxFields) {
    return InvalidArgument(absl::StrCat("more than ", kMaxFields, " fields"));
  }
  return fields;
}

absl::StatusOr<FieldSpecs> ReadSchemaFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file.good()) return ErrnoStatus(errno, path);
  text << file.rdbuf();
  if (file.bad()) return ErrnoStatus(EIO, path);
  auto fields = ParseSchema(text.str());
  if (fields.ok()) return fields;
  return InvalidArgument(absl::StrCat(path, ": ", fields.status().message()));
}

}  // namespace pmdex
