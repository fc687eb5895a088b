// Looks up users and groups of this machine by the C library's functions for threads, such as
// getpwnam_r and getgrgid_r. Thread-safe: no state.
#pragma once

#include <cerrno>
#include <cstddef>
#include <vector>

namespace pmdex {

// Record: passwd or group. Movable, but not to be copied: the record points into `room`.
template <typename Record>
struct AccountRecord {
  AccountRecord() = default;
  AccountRecord(AccountRecord&&) noexcept = default;
  AccountRecord& operator=(AccountRecord&&) noexcept = default;

  int error = 0;  // what the function returned
  bool is_found = false;
  Record record = {};      // if is_found
  std::vector<char> room;  // for the texts of the record
};

// look_up(record, room, room_bytes, found): one of the functions, with its first argument bound. It
// is called with more and more room while it returns ERANGE, up to 4 MiB: a group may have many
// members.
template <typename Record, typename LookUp>
AccountRecord<Record> FindAccountRecord(const LookUp& look_up) {
  constexpr size_t kMostBytes = size_t{4} << 20;
  AccountRecord<Record> account;
  for (size_t room_bytes = 1024; room_bytes <= kMostBytes; room_bytes *= 4) {
    account.room.resize(room_bytes);
    Record* found = nullptr;
    account.error = look_up(&account.record, account.room.data(), room_bytes, &found);
    account.is_found = found != nullptr;
    if (account.error != ERANGE) break;
  }
  return account;
}

}  // namespace pmdex
