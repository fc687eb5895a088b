#include "engine/ingest/entries/account_names.h"

#include <grp.h>
#include <pwd.h>

#include <cerrno>
#include <vector>

namespace pmdex {
namespace {

constexpr size_t kMostRecordBytes = size_t{4} << 20;  // a group may have many members

// Calls `look_up` with more and more room while it says ERANGE.
template <typename LookUp>
std::string NameFrom(const LookUp& look_up) {
  std::vector<char> room(1024);
  for (;;) {
    const char* name = nullptr;
    const int error = look_up(room, name);
    if (error == 0) return name == nullptr ? std::string() : std::string(name);
    if (error != ERANGE || room.size() > kMostRecordBytes) return {};
    room.resize(room.size() * 4);
  }
}

std::string UserName(uint32_t uid) {
  return NameFrom([uid](std::vector<char>& room, const char*& name) {
    passwd record = {};
    passwd* found = nullptr;
    const int error = getpwuid_r(uid, &record, room.data(), room.size(), &found);
    if (found != nullptr) name = found->pw_name;
    return error;
  });
}

std::string GroupName(uint32_t gid) {
  return NameFrom([gid](std::vector<char>& room, const char*& name) {
    group record = {};
    group* found = nullptr;
    const int error = getgrgid_r(gid, &record, room.data(), room.size(), &found);
    if (found != nullptr) name = found->gr_name;
    return error;
  });
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
