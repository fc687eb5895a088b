#include "engine/ingest/entries/account_names.h"

#include <grp.h>
#include <pwd.h>

#include "pmem/account_record.h"

namespace pmdex {
namespace {

std::string UserName(uint32_t uid) {
  const auto account = FindAccountRecord<passwd>(
      [uid](passwd* record, char* room, size_t room_bytes, passwd** found) {
        return getpwuid_r(uid, record, room, room_bytes, found);
      });
  return account.is_found ? account.record.pw_name : "";
}

std::string GroupName(uint32_t gid) {
  const auto account =
      FindAccountRecord<group>([gid](group* record, char* room, size_t room_bytes, group** found) {
        return getgrgid_r(gid, record, room, room_bytes, found);
      });
  return account.is_found ? account.record.gr_name : "";
}

}  // namespace

std::string_view AccountNames::User(uint32_t uid) {
  const auto known = users_.find(uid);
  return known != users_.end() ? known->second : users_.emplace(uid, UserName(uid)).first->second;
}

std::string_view AccountNames::Group(uint32_t gid) {
  const auto known = groups_.find(gid);
  return known != groups_.end() ? known->second
                                : groups_.emplace(gid, GroupName(gid)).first->second;
}

}  // namespace pmdex
