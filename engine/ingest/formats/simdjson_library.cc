#include "engine/ingest/formats/simdjson_library.h"

#include <simdjson.h>

#include <cstring>
#include <span>
#include <string>

#include "absl/strings/str_cat.h"

#include "pmem/check.h"
#include "pmem/shared_library.h"
#include "pmem/text.h"

// The tables of simdjson.h, by the names that the C++ ABI gives them, with their sizes in bytes. It
// declares them constant, so they are defined under other names here: they are written once, when
// the library is loaded.
#define PMDEX_SIMDJSON_TABLES(X)                                  \
  X(digit_to_val32, "14digit_to_val32E", 3544)                    \
  X(error_codes, "11error_codesE", 496)                           \
  X(power_of_five_128, "17power_of_five_128E", 10416)             \
  X(power_of_ten, "12power_of_tenE", 184)                         \
  X(structural_or_whitespace, "24structural_or_whitespaceE", 256) \
  X(structural_or_whitespace_negated, "32structural_or_whitespace_negatedE", 256)

#define PMDEX_SIMDJSON_INTERNAL "_ZN8simdjson8internal"

extern "C" {
#define PMDEX_DEFINE_TABLE(name, mangled, bytes)                                      \
  extern std::byte pmdex_simdjson_##name[bytes] asm(PMDEX_SIMDJSON_INTERNAL mangled); \
  alignas(64) std::byte pmdex_simdjson_##name[bytes] = {};
PMDEX_SIMDJSON_TABLES(PMDEX_DEFINE_TABLE)
#undef PMDEX_DEFINE_TABLE
}

namespace pmdex {
namespace {

struct SimdjsonFunctions {
  bool (*validate_utf8)(const char*, size_t) noexcept = nullptr;
  decltype(&simdjson::get_active_implementation) get_active_implementation = nullptr;
  double (*from_chars)(const char*) noexcept = nullptr;
};

absl::Status FillTable(const SharedLibrary& file, const char* symbol, std::span<std::byte> table) {
  PMDEX_ASSIGN_OR_RETURN(const std::span<const std::byte> data, file.FindData(symbol));
  if (data.size() != table.size()) {
    return MakeStatus(absl::StatusCode::kUnimplemented,
                      absl::StrCat("load " PMDEX_SIMDJSON_FILE ": ", symbol, " has ", data.size(),
                                   " bytes, expected ", table.size()));
  }
  std::memcpy(table.data(), data.data(), data.size());
  return absl::OkStatus();
}

absl::StatusOr<SimdjsonFunctions> FindSimdjson() {
  const std::string needed[] = {"libgcc_s.so.1", "libstdc++.so.6"};
  PMDEX_ASSIGN_OR_RETURN(const SharedLibrary file,
                         SharedLibrary::Load(PMDEX_SIMDJSON_FILE, needed));
#define PMDEX_FILL_TABLE(name, mangled, bytes) \
  PMDEX_RETURN_IF_ERROR(FillTable(file, PMDEX_SIMDJSON_INTERNAL mangled, pmdex_simdjson_##name));
  PMDEX_SIMDJSON_TABLES(PMDEX_FILL_TABLE)
#undef PMDEX_FILL_TABLE
  SimdjsonFunctions found;
  PMDEX_RETURN_IF_ERROR(FindInto(file, "_ZN8simdjson13validate_utf8EPKcm", found.validate_utf8));
  PMDEX_RETURN_IF_ERROR(
      FindInto(file, "_ZN8simdjson25get_active_implementationEv", found.get_active_implementation));
  PMDEX_RETURN_IF_ERROR(
      FindInto(file, PMDEX_SIMDJSON_INTERNAL "10from_charsEPKc", found.from_chars));
  return found;
}

const absl::StatusOr<SimdjsonFunctions>& LoadOnce() {
  static const auto* const loaded = new absl::StatusOr<SimdjsonFunctions>(FindSimdjson());
  return *loaded;
}

const SimdjsonFunctions& Loaded() {
  static const SimdjsonFunctions* const functions = [] {
    const absl::StatusOr<SimdjsonFunctions>& loaded = LoadOnce();
    PMDEX_CHECK(loaded.ok());
    return &*loaded;
  }();
  return *functions;
}

}  // namespace

absl::Status LoadSimdjson() {
  absl::Status status = LoadOnce().status();
  if (status.ok()) {
    // At its first use simdjson chooses its code for this CPU, and ends the process where memory
    // runs out in that: so before there are threads that may take all of it.
    (void)Loaded().validate_utf8("", 0);
    return status;
  }
  return MakeStatus(status.code(),
                    absl::StrCat(ToAbsl(Message(status)),
                                 " (hint: it belongs in lib/pmdex beside the folder of the "
                                 "program; Debian: apt-get install libsimdjson14)"));
}

}  // namespace pmdex

namespace simdjson {

bool validate_utf8(const char* buf, size_t len) noexcept {
  return pmdex::Loaded().validate_utf8(buf, len);
}

internal::atomic_ptr<const implementation>& get_active_implementation() {
  return pmdex::Loaded().get_active_implementation();
}

double internal::from_chars(const char* first) noexcept {
  return pmdex::Loaded().from_chars(first);
}

}  // namespace simdjson
