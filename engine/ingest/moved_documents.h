// Documents of an index that get other ids and other attributes, because their files have other
// paths now. Their terms, positions, lengths and stored text are copied from their segments into a
// new one, so that no text is read. The caller deletes the old documents.
//
// A segment lists the documents of each term and not the terms of each document, so that copying
// passes over all terms of the segments, for one document as for many. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/columns/column_set_builder.h"
#include "engine/ingest/entries/attribute_fields.h"
#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/formats/document.h"
#include "engine/ingest/pipeline/field_resolver.h"
#include "engine/store/document_locator.h"
#include "engine/store/index_writer.h"
#include "pmem/status.h"

namespace pmdex {

// A document, and the path of its file now.
struct MovedDocument {
  DocumentPlace place;
  std::string path;
  Entry entry;  // with its parents
};

class MovedDocuments {
 public:
  // resolver: that of the index, which decides what attributes it takes. Outlives the object.
  explicit MovedDocuments(FieldResolver& resolver) : resolver_(resolver) {}

  // False, and has done nothing, if an attribute is text in this index, because the document then
  // has words of its old path; or if the document does not say by `inode`, `device` and `mtime`
  // that it was read from the file that is there now. No document may be added twice.
  bool Add(MovedDocument document);
  // Writes a segment with all documents, in the order of their segments and there in their order.
  // Returns kDataLoss, and nothing becomes visible, if a segment is damaged, and the errors of
  // IndexWriter::WriteSegment.
  absl::Status Write(IndexWriter& writer);

 private:
  // The attributes; they view the document, and are valid until the next call.
  std::span<const DocumentField> Describe(const MovedDocument& document);
  void AddColumns(DocId doc, ColumnSetBuilder& columns);

  FieldResolver& resolver_;
  AttributeFields attributes_;
  std::vector<MovedDocument> documents_;
};

}  // namespace pmdex
