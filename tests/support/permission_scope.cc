#include "tests/support/permission_scope.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "pmem/check.h"

namespace pmdex {
namespace {

using Sets = std::array<__user_cap_data_struct, 2>;

void Exchange(long call, Sets& sets) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  PMDEX_CHECK(syscall(call, &header, sets.data()) == 0);
}

}  // namespace

PermissionScope::PermissionScope() {
  Exchange(SYS_capget, before_);
  Sets sets = before_;
  sets[0].effective &= ~((1u << CAP_DAC_OVERRIDE) | (1u << CAP_DAC_READ_SEARCH));
  Exchange(SYS_capset, sets);
}

PermissionScope::~PermissionScope() {
  Exchange(SYS_capset, before_);
}

}  // namespace pmdex
