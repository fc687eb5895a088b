// Random documents for tests of merges. They become segments in any division and order, and what a
// merge of these segments writes is compared with a segment that is written from all documents.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/segment/merge/merge_input.h"
#include "tests/support/compressed_snapshot.h"
#include "tests/support/random_corpus.h"
#include "tests/support/segment_bytes.h"
#include "tests/support/vector_segment_input.h"

namespace pmdex {

struct ModelDocument {
  std::string id;
  std::map<std::pair<std::string, std::string>, std::vector<uint32_t>> terms;  // field, term
  std::vector<std::pair<std::string, std::string>> stored;                     // field, text
};

struct ModelOptions {
  size_t docs = 300;
  size_t terms = 60;
  bool positions = true;
  bool stored_text = false;
  size_t longest_id = 12;
};

inline std::string ModelTerm(size_t number) {
  // Some terms do not fit into the key of an entry.
  return "t" + std::to_string(number) + (number % 7 == 0 ? "-with-a-tail-that-is-long" : "");
}

// Terms of all densities. Some postings have great frequencies, or positions on several pages.
inline std::vector<ModelDocument> RandomDocuments(const ModelOptions& options,
                                                  SeededRandom& random) {
  std::vector<ModelDocument> docs(options.docs);
  for (size_t i = 0; i < docs.size(); ++i) {
    docs[i].id = "doc-" + std::to_string(i) + std::string(random.Below(options.longest_id), 'x');
    for (const char* const field : {"title", "body"}) {
      const size_t bytes = random.OneIn(20) ? 40'000 : random.Below(2000);
      docs[i].stored.emplace_back(field, std::string(bytes, static_cast<char>('a' + i % 26)));
    }
  }
  for (size_t term = 0; term < options.terms; ++term) {
    const uint64_t every = uint64_t{1} << random.Below(10);
    const uint64_t most_freq = random.OneIn(3) ? 1 : 1 + random.Below(6);
    const std::string field = term % 2 == 0 ? "title" : "body";
    for (ModelDocument& doc : docs) {
      if (!random.OneIn(every)) continue;
      std::vector<uint32_t>& positions = doc.terms[{field, ModelTerm(term)}];
      const size_t freq = random.OneIn(700) ? 300 : 1 + random.Below(most_freq);
      const size_t farthest = random.OneIn(300) ? 300'000 : 3000;
      uint32_t position = 0;
      for (size_t i = 0; i < freq; ++i) {
        position += 1 + static_cast<uint32_t>(random.Below(farthest / freq));
        positions.push_back(position);
      }
    }
  }
  return docs;
}

// A segment with these documents and fields. fields: their order.
inline std::shared_ptr<const Segment> WriteModel(std::span<const ModelDocument* const> docs,
                                                 const std::vector<std::string>& fields,
                                                 const ModelOptions& options) {
  VectorSegmentInput input({.positions = options.positions, .stored_text = options.stored_text});
  std::map<std::string, FieldId> ids;
  for (const std::string& field : fields) ids[field] = input.AddField(field);
  for (const ModelDocument* const doc : docs) {
    const DocId number = input.AddDocument(doc->id);
    for (const auto& [term, positions] : doc->terms) {
      input.AddPosting(ids.at(term.first), term.second,
                       {number, static_cast<uint32_t>(positions.size()),
                        options.positions ? positions : std::vector<uint32_t>()});
    }
    if (!options.stored_text) continue;
    for (const auto& [field, text] : doc->stored) {
      input.AddStoredValue(number, ids.at(field), text);
    }
    input.AddStoredValue(number, kOriginalRecordField, "record of " + doc->id);
  }
  input.Finish();
  return SegmentBytes(input).Open().value();
}

}  // namespace pmdex
