#include "engine/ingest/entries/attribute_fields.h"

#include <sys/stat.h>

#include "engine/ingest/entries/access_text.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/entries/path_parts.h"
#include "pmem/check.h"

namespace pmdex {
namespace {

// Of entries that are no files: as the database of shared MIME information names them.
std::string_view MimeTypeOfMode(uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "inode/directory";
    case S_IFLNK:
      return "inode/symlink";
    case S_IFIFO:
      return "inode/fifo";
    case S_IFSOCK:
      return "inode/socket";
    case S_IFBLK:
      return "inode/blockdevice";
    case S_IFCHR:
      return "inode/chardevice";
    default:
      return "";
  }
}

std::string_view MimeTypeOfEntry(std::string_view extension, uint32_t mode, bool has_text) {
  const std::string_view special = MimeTypeOfMode(mode);
  if (!special.empty()) return special;
  const std::string_view known = MimeTypeOf(extension);
  if (!known.empty()) return known;
  return has_text ? "text/plain" : "application/octet-stream";
}

}  // namespace

std::string_view TypeOfMode(uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "d";
    case S_IFLNK:
      return "l";
    case S_IFIFO:
      return "p";
    case S_IFSOCK:
      return "s";
    case S_IFBLK:
      return "b";
    case S_IFCHR:
      return "c";
    default:
      return "f";
  }
}

void AttributeFields::Add(std::string_view name, const FieldValue& value) {
  PMDEX_CHECK(count_ < kMost);
  values_[count_] = value;
  DocumentField& field = fields_[count_];
  field = {};
  field.name = name;
  field.text = value.keyword;
  field.value = &values_[count_];
  ++count_;
}

void AttributeFields::AddKeyword(std::string_view name, std::string_view text) {
  if (!text.empty()) Add(name, FieldValue::Keyword(text));
}

void AttributeFields::AddNames(std::string_view path, const EntryFacts& facts, bool has_text) {
  const std::string_view name = NameOfPath(path);
  extension_ = S_ISDIR(facts.mode) ? "" : ExtensionOf(name);
  AddKeyword(attribute::kPath, path);
  AddKeyword(attribute::kName, name);
  AddKeyword(attribute::kDir, DirectoryOfPath(path));
  AddKeyword(attribute::kExt, extension_);
  AddKeyword(attribute::kType, TypeOfMode(facts.mode));
  AddKeyword(attribute::kMime, MimeTypeOfEntry(extension_, facts.mode, has_text));
}

void AttributeFields::AddNumbers(const EntryFacts& facts) {
  const auto add = [this](std::string_view name, uint64_t number) {
    Add(name, FieldValue::I64(static_cast<int64_t>(number)));
  };
  add(attribute::kSize, facts.size_bytes);
  add(attribute::kUid, facts.uid);
  add(attribute::kGid, facts.gid);
  add(attribute::kLinks, facts.links);
  add(attribute::kBlocks, facts.blocks);
  Add(attribute::kMtime, FieldValue::Date(facts.mtime_ns));
  Add(attribute::kAtime, FieldValue::Date(facts.atime_ns));
  Add(attribute::kCtime, FieldValue::Date(facts.ctime_ns));
  Add(attribute::kInode, FieldValue::U64(facts.inode));
  Add(attribute::kDevice, FieldValue::U64(facts.device));
  if (facts.special_device != 0) {
    Add(attribute::kSpecialDevice, FieldValue::U64(facts.special_device));
  }
}

void AttributeFields::AddRights(const EntryView& entry) {
  const EntryFacts& facts = entry.facts;
  mode_.clear();
  for (int shift = 9; shift >= 0; shift -= 3) {
    mode_ += static_cast<char>('0' + (facts.mode >> shift & 7));
  }
  AddKeyword(attribute::kUser, accounts_.User(facts.uid));
  AddKeyword(attribute::kGroup, accounts_.Group(facts.gid));
  AddKeyword(attribute::kMode, mode_);
  AddKeyword(attribute::kTarget, entry.target);
  AddKeyword(attribute::kAcl, entry.acl);
  std::string rights = RightsText(facts.uid, facts.gid, facts.mode, entry.acl);
  if (rights != rights_ || entry.parents != parents_) {
    rights_ = std::move(rights);
    parents_ = entry.parents;
    access_ = AccessText(rights_, parents_);
  }
  AddKeyword(attribute::kAccess, access_);
}

std::span<const DocumentField> AttributeFields::Describe(std::string_view path,
                                                         const EntryView& entry, bool has_text) {
  count_ = 0;
  AddNames(path, entry.facts, has_text);
  AddNumbers(entry.facts);
  AddRights(entry);
  return std::span(fields_).first(count_);
}

}  // namespace pmdex
