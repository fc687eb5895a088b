#include "tools/find/known_accounts.h"

#include <grp.h>
#include <pwd.h>

#include "absl/strings/str_cat.h"

#include "pmem/account_record.h"
#include "tools/printable.h"

namespace pmdex {
namespace {

// look_up: getpwnam_r or getgrnam_r.
template <typename Record, typename LookUp>
bool IsOfMachine(const std::string& name, const LookUp& look_up) {
  const auto account =
      FindAccountRecord<Record>([&](Record* record, char* room, size_t room_bytes, Record** found) {
        return look_up(name.c_str(), record, room, room_bytes, found);
      });
  return account.is_found;
}

absl::StatusOr<bool> IsOfIndex(const Snapshot& snapshot, FileAttribute attribute,
                               const std::string& name) {
  for (const auto& segment : snapshot.segments()) {
    const EntryReader reader(*segment);
    const ColumnView* const names = reader.column(attribute);
    if (names == nullptr) continue;
    PMDEX_ASSIGN_OR_RETURN(const uint64_t first, names->FirstKeywordFrom(name));
    if (first == names->keyword_count()) continue;
    PMDEX_ASSIGN_OR_RETURN(const std::string_view text, names->Keyword(first));
    if (text == name) return true;
  }
  return false;
}

}  // namespace

absl::Status CheckAccount(const Snapshot& snapshot, FileAttribute attribute,
                          const std::string& name) {
  PMDEX_ASSIGN_OR_RETURN(const bool is_of_index, IsOfIndex(snapshot, attribute, name));
  const bool is_user = attribute == FileAttribute::kUser;
  if (is_of_index ||
      (is_user ? IsOfMachine<passwd>(name, getpwnam_r) : IsOfMachine<group>(name, getgrnam_r))) {
    return absl::OkStatus();
  }
  return MakeStatus(absl::StatusCode::kNotFound,
                    absl::StrCat("find: '", Printable(name), "' is not the name of ",
                                 is_user ? "a known user" : "an existing group"));
}

}  // namespace pmdex
