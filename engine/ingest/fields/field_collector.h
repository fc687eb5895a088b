// Finds the names and types of fields in documents that come in the order of the input. The types
// of the fields in the first documents, the sample, follow from all their values there; that of a
// field which comes later follows from its first value. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "engine/ingest/fields/known_fields.h"
#include "engine/ingest/fields/seen_values.h"
#include "engine/ingest/formats/document.h"
#include "pmem/status.h"

namespace pmdex {

// So many documents are looked at before anything is indexed.
inline constexpr uint64_t kSampleDocuments = 500;

class FieldCollector final : public DocumentSink {
 public:
  struct Options {
    // The most names in all; fields that were known before may be more.
    size_t limit = 0;
    // True if only fields that were known, or have a place, are looked at.
    bool known_names_only = false;
    // True if the collector ends with the sample.
    bool sample_only = false;
  };
  FieldCollector(KnownFields known, const Options& options);

  // Returns kCancelled once is_done().
  absl::Status Add(const Document& document) override;
  // True if later documents cannot add anything.
  bool is_done() const;
  bool sample_is_over() const { return !in_sample_; }
  // The fields that were known and those that were found; those that have a place and no value yet
  // have no type.
  KnownFields Take();

 private:
  void EndSample();
  void Look(const DocumentField& value);
  bool HasRoomFor(std::string_view name) const;

  KnownFields fields_;
  const Options options_;
  size_t count_;                                         // of the names that the limit is about
  size_t open_;                                          // fields that wait for their first value
  std::map<std::string, SeenValues, std::less<>> seen_;  // in the sample
  uint64_t documents_ = 0;
  bool in_sample_ = true;
};

}  // namespace pmdex
