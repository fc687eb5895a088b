#include "query/files/entry_reader.h"

#include "engine/columns/column_key.h"
#include "engine/ingest/entries/attribute_names.h"

namespace pmdex {
namespace {

// Indexed by FileAttribute.
constexpr std::array<std::string_view, kFileAttributes> kAttributeNames = {
    attribute::kPath,   attribute::kName,   attribute::kDir,           attribute::kType,
    attribute::kMode,   attribute::kUser,   attribute::kGroup,         attribute::kTarget,
    attribute::kAccess, attribute::kSize,   attribute::kMtime,         attribute::kAtime,
    attribute::kCtime,  attribute::kUid,    attribute::kGid,           attribute::kLinks,
    attribute::kInode,  attribute::kDevice, attribute::kSpecialDevice, attribute::kBlocks};

// Documents of other formats may have some fields of these names, but not all of them.
constexpr FileAttribute kAttributesOfEntries[] = {FileAttribute::kMode, FileAttribute::kAccess,
                                                  FileAttribute::kPath, FileAttribute::kType};

}  // namespace

EntryReader::EntryReader(const Segment& segment) {
  columns_.reserve(kFileAttributes);
  for (const std::string_view name : kAttributeNames) columns_.emplace_back(segment, name);
}

AttributeColumn& EntryReader::Loaded(FileAttribute attribute) {
  AttributeColumn& column = columns_[static_cast<size_t>(attribute)];
  const uint32_t window = doc_ / kZoneDocs;
  if (!column.is_loaded(window)) status_.Update(column.Load(window));
  return column;
}

bool EntryReader::MoveTo(DocId doc) {
  doc_ = doc;
  for (const FileAttribute attribute : kAttributesOfEntries) {
    if (ColumnOf(attribute).view() == nullptr || !Has(attribute)) return false;
  }
  return status_.ok();
}

WindowBits EntryReader::EntriesIn(uint32_t window) {
  static_assert(kZoneDocs == kWindowDocs);
  WindowBits entries;
  doc_ = window * kZoneDocs;
  for (const FileAttribute attribute : kAttributesOfEntries) {
    if (ColumnOf(attribute).view() == nullptr) return {};
    const auto present = Loaded(attribute).present();
    for (size_t i = 0; i < kWindowWords; ++i) {
      entries.words[i] =
          attribute == kAttributesOfEntries[0] ? present[i] : entries.words[i] & present[i];
    }
  }
  return status_.ok() ? entries : WindowBits();
}

std::string_view EntryReader::text(FileAttribute attribute) {
  AttributeColumn& column = Loaded(attribute);
  if (!column.Has(doc_)) return {};
  const auto keyword = column.Text(doc_);
  if (keyword.ok()) return *keyword;
  status_.Update(keyword.status());
  return {};
}

int64_t EntryReader::number(FileAttribute attribute) {
  AttributeColumn& column = Loaded(attribute);
  if (!column.Has(doc_)) return 0;
  const uint64_t key = column.Key(doc_);
  return static_cast<int64_t>(BitsOfKey(column.view()->type(), key));
}

char EntryReader::type() {
  const std::string_view type = text(FileAttribute::kType);
  return type.empty() ? '?' : type[0];
}

uint32_t EntryReader::mode() {
  return ModeOfText(text(FileAttribute::kMode));
}

uint32_t EntryReader::ModeOfText(std::string_view text) {
  uint32_t mode = 0;
  for (const char digit : text) mode = mode * 8 + static_cast<uint32_t>(digit - '0') % 8;
  return mode;
}

}  // namespace pmdex
