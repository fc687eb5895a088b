// Names the functions of a sample by call, as a reader wants them: short, and without what only
// passes calls on. For one thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tools/counters/cpu_sampler.h"
#include "tools/profile/address_names.h"

namespace pmdex {

class CallNames {
 public:
  // names: must outlive this.
  explicit CallNames(const AddressNames& names) : names_(names) {}

  // The outermost caller first, the function that ran last; never empty. Callers from the first
  // address on where there is no code are left out; so are those in the standard library, which
  // pass calls on (std::function, std::thread) or call back (std::sort). A function that calls
  // itself, or a lambda in it, is one.
  std::vector<std::string> Of(const CpuSample& sample);

 private:
  const std::string& NameAt(uint64_t address);

  const AddressNames& names_;
  std::map<uint64_t, std::string> known_;  // few addresses have many samples
};

}  // namespace pmdex
