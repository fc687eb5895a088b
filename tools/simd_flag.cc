#include "tools/simd_flag.h"

#include "absl/strings/str_cat.h"

#include "pmem/text.h"

namespace pmdex {

CLI::Option* AddSimdFlag(CLI::App& command, std::string& name) {
  return command.add_option("--simd", name, "vector instructions to use")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "scalar", "avx2", "avx512"}))
      ->type_name("LEVEL");
}

absl::StatusOr<SimdLevel> SimdLevelNamed(std::string_view command, const std::string& name) {
  auto level = ParseSimdLevel(name);
  if (level.ok()) return level;
  return InvalidArgument(absl::StrCat(ToAbsl(command), ": --simd ", name, ": ",
                                      level.status().message(), " (hint: pmdex doctor)"));
}

}  // namespace pmdex
