// Root reads files whatever their mode says, so a test of permissions would find none. While a
// PermissionScope lives, modes count for the calling thread and for the threads that it starts,
// also when root runs the test: it drops CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH until it ends.
// For a child process see ProgramOptions::modes_count.
#pragma once

#include <linux/capability.h>

#include <array>

namespace pmdex {

class PermissionScope {
 public:
  PermissionScope();
  ~PermissionScope();
  PermissionScope(const PermissionScope&) = delete;
  PermissionScope& operator=(const PermissionScope&) = delete;

 private:
  std::array<__user_cap_data_struct, 2> before_{};
};

}  // namespace pmdex
