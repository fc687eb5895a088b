// Who may use an entry of a file system, as text: what an index keeps so that searches can show a
// user only what that user could have reached and read (docs/decisions/0026-access.md).
//
//   access  = rights *("|" rights)     the first of the entry, the others of its parents
//   rights  = uid ":" gid ":" mode [":" acl]        mode in octal, without the type
//   acl     = the short text of acl(5), with numbers: "user::rw-,user:7:r--,group::r--,mask::r--,
//             other::---"
//
// To reach an entry one has to search all of its parents, in whatever order. So their rights are a
// set: sorted, each once. Few different texts are in an index.
//
// Pure functions, but for those that ask the file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

// The rights of an entry whose list of access could not be read. Nobody but root has them.
inline constexpr std::string_view kUnknownAcl = "?";
// Parents of which something is not known. Nobody but root passes them.
inline constexpr std::string_view kUnknownRights = "?";
inline constexpr size_t kMostAclBytes = size_t{64} << 10;

// The bytes of the extended attribute system.posix_acl_access as text. kUnknownAcl if they are
// not such a list.
std::string AclText(std::string_view bytes);

// The list of an entry, of which a link at the end is not followed, or of an open file. Empty if it
// has none; kUnknownAcl if it cannot be read.
std::string AclOfPath(const std::string& path);
std::string AclOfOpened(int fd);

// mode: of stat(2).
std::string RightsText(uint32_t uid, uint32_t gid, uint32_t mode, std::string_view acl);

// The text of the parents of what is in a directory: those of the directory itself, and its own
// rights.
std::shared_ptr<const std::string> ParentsWith(std::string_view parents, std::string_view rights);

// The access of an entry. At most kMaxKeywordBytes; rights that would be longer are kUnknownRights.
std::string AccessText(std::string_view rights, std::string_view parents);

// The parents of the last part of `path`, which may be relative: all directories above it, as the
// path names them and as they are without links. kUnknownRights stands for what cannot be looked
// at.
std::shared_ptr<const std::string> ParentsOfPath(const std::string& path);

}  // namespace pmdex
