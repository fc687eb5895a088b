// The fields that the attributes of a file are in, and their types. docs/FILES.md says what each
// means. What indexes files and what reads such an index both use these names.
#pragma once

#include <string_view>

#include "engine/columns/field_spec.h"

namespace pmdex {

namespace attribute {
inline constexpr std::string_view kPath = "path";
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kDir = "dir";
inline constexpr std::string_view kExt = "ext";
inline constexpr std::string_view kType = "type";
inline constexpr std::string_view kSize = "size";
inline constexpr std::string_view kMtime = "mtime";
inline constexpr std::string_view kAtime = "atime";
inline constexpr std::string_view kCtime = "ctime";
inline constexpr std::string_view kUid = "uid";
inline constexpr std::string_view kGid = "gid";
inline constexpr std::string_view kUser = "user";
inline constexpr std::string_view kGroup = "group";
inline constexpr std::string_view kMode = "mode";
inline constexpr std::string_view kLinks = "nlink";
inline constexpr std::string_view kInode = "inode";
inline constexpr std::string_view kDevice = "device";
inline constexpr std::string_view kSpecialDevice = "rdev";
inline constexpr std::string_view kBlocks = "blocks";
inline constexpr std::string_view kMime = "mime";
inline constexpr std::string_view kTarget = "target";
inline constexpr std::string_view kAcl = "acl";
inline constexpr std::string_view kAccess = "access";
}  // namespace attribute

// The types of all of these.
const FieldSpecs& AttributeSpecs();

}  // namespace pmdex
