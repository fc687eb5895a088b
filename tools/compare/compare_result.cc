#include "tools/compare/compare_result.h"

#include "absl/strings/str_cat.h"

namespace pmdex {

std::string NameOfConfiguration(const ConfigurationKey& key) {
  std::string name = absl::StrCat(key.tier, " ", key.directory, " ", key.mode, ", ", key.threads,
                                  key.threads == 1 ? " thread" : " threads");
  if (key.scale != 1) absl::StrAppend(&name, ", scale ", key.scale);
  if (key.numa != "any") absl::StrAppend(&name, ", ", key.numa, " memory");
  return name;
}

}  // namespace pmdex
