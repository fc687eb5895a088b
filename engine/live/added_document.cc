#include "engine/live/added_document.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"

#include "engine/memtable/field_names.h"
#include "engine/segment/documents/doc_store.h"
#include "pmem/check.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// The bytes of the allocations of a document, besides its text.
constexpr size_t kDocumentOverhead = 192;
constexpr size_t kFieldOverhead = 96;

size_t MemoryOf(const AddedDocument& document) {
  size_t size_bytes = kDocumentOverhead + document.id.size() + document.record.size();
  for (const auto& [name, text] : document.fields) {
    size_bytes += kFieldOverhead + name.size() + text.size();
  }
  for (const AddedValue& value : document.values) {
    size_bytes += sizeof value + value.field.size() + value.keyword.size();
  }
  return size_bytes;
}

absl::Status CheckValue(const AddedValue& value) {
  if (value.field.empty() || value.field.size() > kMaxFieldNameBytes) {
    return InvalidArgument("the name of a typed field is empty or too long");
  }
  if (value.type == FieldType::kText) return InvalidArgument("text has no values of its own");
  if (value.keyword.size() > kMaxKeywordBytes) {
    return InvalidArgument(absl::StrCat("field ", value.field, ": a keyword of ",
                                        value.keyword.size(), " bytes, more than ",
                                        kMaxKeywordBytes));
  }
  return absl::OkStatus();
}

// Puts what becomes of the field into `changed`, if it is not in `fields` as it is.
absl::Status AddField(const std::string& name, FieldType type, bool has_several,
                      const FieldSpecs& fields, FieldSpecs& changed) {
  const auto known = fields.find(name);
  const auto found = changed.find(name);
  if (known == fields.end() && found == changed.end()) {
    changed.emplace(name, FieldSpec{type, Multiplicity::kOpen});
    return absl::OkStatus();
  }
  const FieldSpec field = found != changed.end() ? found->second : known->second;
  if (field.type != type) {
    return InvalidArgument(absl::StrCat("the field ", name, " is of type ",
                                        ToAbsl(ToString(field.type)), ", not ",
                                        ToAbsl(ToString(type))));
  }
  if (!has_several || field.multi()) return absl::OkStatus();
  if (field.values == Multiplicity::kOne) {
    return InvalidArgument(absl::StrCat("the field ", name, " takes one value"));
  }
  changed.insert_or_assign(name, FieldSpec{type, Multiplicity::kMany});
  return absl::OkStatus();
}

// Of a number in a column: its document, its key, and what sorting it takes.
constexpr uint64_t kBytesOfValue = 44;

// A typed field needs a place among the fields of the index; the text of others has no field of its
// own.
absl::Status LimitFields(const FieldSpecs& fields, FieldSpecs& changed) {
  size_t count = fields.size();
  for (auto field = changed.begin(); field != changed.end();) {
    if (fields.contains(field->first) || ++count <= kMaxFields) {
      ++field;
    } else if (field->second.type == FieldType::kText) {
      field = changed.erase(field);
    } else {
      return InvalidArgument(absl::StrCat("the index has no place for the field ", field->first,
                                          ": at most ", kMaxFields, " have types"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckAddedDocument(const AddedDocument& document) {
  if (document.id.empty()) return InvalidArgument("a document needs an id");
  if (document.id.size() > MemtableLimits::kMaxIdBytes) {
    return InvalidArgument(absl::StrCat("the id has ", document.id.size(), " bytes, more than ",
                                        MemtableLimits::kMaxIdBytes));
  }
  // Each byte may become a token, and each value leaves a gap in the positions.
  constexpr uint64_t kMostBytes =
      std::min<uint64_t>(MemtableLimits::kMaxDocTokens, kMaxStoredDocumentBytes) - 1;
  uint64_t needed = 0;
  for (const auto& [name, text] : document.fields) {
    if (name.empty()) return InvalidArgument("a field needs a name");
    needed += text.size() + kPositionGap + kStoredValueBytes;
  }
  for (const AddedValue& value : document.values) {
    PMDEX_RETURN_IF_ERROR(CheckValue(value));
    needed += kBytesOfValue + value.keyword.size();
  }
  if (needed > kMostBytes) {
    return InvalidArgument(
        absl::StrCat("the document takes ", needed, " bytes, more than ", kMostBytes));
  }
  return absl::OkStatus();
}

absl::Status AddFields(const AddedDocument& document, FieldSpecs& fields) {
  FieldSpecs changed;
  for (const auto& [name, text] : document.fields) {
    PMDEX_RETURN_IF_ERROR(AddField(name, FieldType::kText, false, fields, changed));
  }
  std::set<std::string_view> seen;
  for (const AddedValue& value : document.values) {
    const bool has_several = !seen.insert(value.field).second;
    PMDEX_RETURN_IF_ERROR(AddField(value.field, value.type, has_several, fields, changed));
  }
  PMDEX_RETURN_IF_ERROR(LimitFields(fields, changed));
  for (auto& [name, field] : changed) fields.insert_or_assign(name, field);
  return absl::OkStatus();
}

void AddToMemtable(const AddedDocument& document, Memtable& memtable) {
  memtable.BeginDocument(document.id);
  if (!document.record.empty()) memtable.StoreRecord(document.record);
  for (const auto& [name, text] : document.fields) memtable.AddField(name, text);
  for (const AddedValue& value : document.values) memtable.AddValue(value.field, value.value());
  memtable.EndDocument();
}

void AddedDocuments::Append(AddedDocumentPointer document, uint64_t sequence) {
  PMDEX_CHECK(documents_.empty() || documents_.back().sequence < sequence);
  const uint64_t number = end();
  memory_bytes_ += MemoryOf(*document);
  uint64_t earlier = kNone;
  if (const auto found = latest_.find(document->id); found != latest_.end()) {
    earlier = found->second;
    // Of a document that is replaced again and again, FindLive need not walk over all of them.
    while (earlier != kNone && earlier >= begin_ && At(earlier).deleted_at != kNone) {
      earlier = At(earlier).earlier;
    }
    latest_.erase(found);  // the key of the new entry must be in the new document
  }
  latest_.emplace(document->id, number);
  documents_.push_back({std::move(document), sequence, kNone, earlier});
}

std::vector<AddedDocumentPointer> AddedDocuments::Range(uint64_t begin, uint64_t end) const {
  PMDEX_CHECK(begin_ <= begin && begin <= end && end <= this->end());
  std::vector<AddedDocumentPointer> documents;
  documents.reserve(end - begin);
  for (uint64_t number = begin; number < end; ++number) documents.push_back(At(number).document);
  return documents;
}

void AddedDocuments::DropBefore(uint64_t number) {
  PMDEX_CHECK(number <= end());
  while (begin_ < number) {
    const AddedDocument& document = *documents_.front().document;
    memory_bytes_ -= MemoryOf(document);
    const auto found = latest_.find(document.id);
    if (found->second == begin_) latest_.erase(found);
    documents_.pop_front();
    ++begin_;
  }
}

std::vector<uint64_t> AddedDocuments::FindLive(std::string_view id) const {
  std::vector<uint64_t> numbers;
  const auto found = latest_.find(id);
  if (found == latest_.end()) return numbers;
  for (uint64_t number = found->second; number != kNone && number >= begin_;
       number = At(number).earlier) {
    if (At(number).deleted_at == kNone) numbers.push_back(number);
  }
  std::reverse(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<uint64_t> AddedDocuments::SequencesOf(uint64_t begin, uint64_t end) const {
  std::vector<uint64_t> sequences;
  sequences.reserve(end - begin);
  for (uint64_t number = begin; number < end; ++number) sequences.push_back(SequenceOf(number));
  return sequences;
}

std::shared_ptr<const LiveDocs> AddedDocuments::LiveDocsOf(uint64_t begin, uint64_t end,
                                                           uint64_t until) const {
  PMDEX_CHECK(begin_ <= begin && begin <= end && end <= this->end());
  std::vector<DocId> deleted;
  for (uint64_t number = begin; number < end; ++number) {
    if (IsDeleted(number, until)) deleted.push_back(static_cast<DocId>(number - begin));
  }
  if (deleted.empty()) return nullptr;
  return std::make_shared<const LiveDocs>(
      LiveDocs::Without(static_cast<uint32_t>(end - begin), deleted));
}

}  // namespace pmdex
