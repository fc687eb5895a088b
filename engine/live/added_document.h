// A document as a program gives it to a live index (live_index.h), and the documents that the index
// keeps until they are in a segment on the medium: which are deleted, and which have an id. Plain
// values; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

#include "engine/columns/field_spec.h"
#include "engine/columns/field_value.h"
#include "engine/memtable/memtable.h"
#include "engine/segment/live_docs.h"
#include "pmem/status.h"

namespace pmdex {

// A value of a field that is not text.
struct AddedValue {
  std::string field;
  FieldType type = FieldType::kI64;
  uint64_t bits = 0;    // as in FieldValue
  std::string keyword;  // of kKeyword

  FieldValue value() const { return {type, bits, keyword}; }
};

struct AddedDocument {
  std::string id;
  // Names and texts. A name that comes again adds a value to the field.
  std::vector<std::pair<std::string, std::string>> fields;
  std::string record;  // valid UTF-8; kept if the index stores text, and may be empty
  // Of typed fields. Several values of a field keep their order.
  std::vector<AddedValue> values = {};
};
using AddedDocumentPointer = std::shared_ptr<const AddedDocument>;

// Returns kInvalidArgument if a segment could not hold the document.
absl::Status CheckAddedDocument(const AddedDocument& document);
// Adds the fields of the document to those of the index. Returns kInvalidArgument, and changes
// nothing, if a field has another type, or takes one value and the document has several.
absl::Status AddFields(const AddedDocument& document, FieldSpecs& fields);
// Requires that CheckAddedDocument and AddFields returned OK.
void AddToMemtable(const AddedDocument& document, Memtable& memtable);

// The documents in the order in which they were added, numbered from `begin` on. The numbers of
// those that were dropped are not used again. Writes have the numbers of write_condition.h.
class AddedDocuments {
 public:
  explicit AddedDocuments(uint64_t begin = 0) : begin_(begin) {}
  // sequence: the write that adds the document; greater than that of all earlier calls.
  void Append(AddedDocumentPointer document, uint64_t sequence);
  // The documents [begin(), end()) are there. The next document gets the number end().
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return begin_ + documents_.size(); }
  // Requires that none of [begin, end) was dropped.
  std::vector<AddedDocumentPointer> Range(uint64_t begin, uint64_t end) const;
  void DropBefore(uint64_t number);
  size_t memory_bytes() const { return memory_bytes_; }

  // The documents with this id that are not marked as deleted, ascending.
  std::vector<uint64_t> FindLive(std::string_view id) const;
  // Marks a document as deleted by the write `at`. Requires that it is there and not marked.
  void MarkDeleted(uint64_t number, uint64_t at) { At(number).deleted_at = at; }
  bool IsDeleted(uint64_t number, uint64_t until) const { return At(number).deleted_at < until; }
  // The write that added the document, which must be there.
  uint64_t SequenceOf(uint64_t number) const { return At(number).sequence; }
  // Those writes for all documents of the range.
  std::vector<uint64_t> SequencesOf(uint64_t begin, uint64_t end) const;
  // The documents of the range that no write below `until` deletes; nullptr: all of them. Requires
  // that none was dropped.
  std::shared_ptr<const LiveDocs> LiveDocsOf(uint64_t begin, uint64_t end, uint64_t until) const;

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  struct Kept {
    AddedDocumentPointer document;
    uint64_t sequence = 0;
    uint64_t deleted_at = kNone;
    uint64_t earlier = kNone;  // the number of the document with the same id before this one
  };
  const Kept& At(uint64_t number) const { return documents_[number - begin_]; }
  Kept& At(uint64_t number) { return documents_[number - begin_]; }

  std::deque<Kept> documents_;
  uint64_t begin_;
  // The latest document of each id. The keys are in the documents.
  absl::flat_hash_map<std::string_view, uint64_t> latest_;
  size_t memory_bytes_ = 0;
};

}  // namespace pmdex
