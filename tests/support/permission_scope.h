// Makes tests of permissions work if root runs them, who may otherwise read all files. While a
// PermissionScope lives, the modes of files hold for the calling thread and the threads that it
// starts, because it drops CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH. For child processes see
// ProgramOptions::modes_count.
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
