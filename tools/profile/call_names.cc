#include "tools/profile/call_names.h"

#include <algorithm>
#include <string_view>

namespace pmdex {
namespace {

constexpr std::string_view kNoCode = "[unknown]";

bool IsOfStandardLibrary(std::string_view name) {
  return name.starts_with("std::") || name == "execute_native_thread_routine";
}

}  // namespace

std::vector<std::string> CallNames::Of(const CpuSample& sample) {
  std::vector<std::string> functions = {NameAt(sample.address)};
  for (const uint64_t caller : sample.callers) {
    // The call lies before the address to return to, which may be that of the next function.
    const std::string& name = NameAt(caller - 1);
    if (name == kNoCode) break;
    if (IsOfStandardLibrary(name) || name == functions.back()) continue;
    functions.push_back(name);
  }
  std::reverse(functions.begin(), functions.end());
  return functions;
}

const std::string& CallNames::NameAt(uint64_t address) {
  const auto [at, is_new] = known_.try_emplace(address);
  if (is_new) at->second = names_.NameAt(address);
  return at->second;
}

}  // namespace pmdex
