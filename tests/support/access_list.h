// The bytes of a POSIX ACL as the kernel has them in the extended attribute of a file.
#pragma once

#include <cstdint>
#include <string>

namespace pmdex {

inline constexpr char kAccessListAttribute[] = "system.posix_acl_access";

// A list with one named user. Rights are bits: 4 to read, 2 to write, 1 to search or run.
inline std::string AccessListOf(uint16_t owner, uint32_t user, uint16_t rights_of_user) {
  constexpr uint32_t kNobody = ~0u;
  struct {
    uint32_t version = 2;
    struct {
      uint16_t tag;
      uint16_t rights;
      uint32_t id;
    } entries[5];
  } list;
  list.entries[0] = {0x01, owner, kNobody};
  list.entries[1] = {0x02, rights_of_user, user};
  list.entries[2] = {0x04, 0, kNobody};               // the group
  list.entries[3] = {0x10, rights_of_user, kNobody};  // the mask
  list.entries[4] = {0x20, 0, kNobody};               // others
  return {reinterpret_cast<const char*>(&list), sizeof list};
}

}  // namespace pmdex
