// The step of a StoreWorkload in which a live index is the writer.
#include <memory>
#include <string>

#include "engine/live/live_index.h"
#include "tests/support/random_corpus.h"
#include "tests/support/store_workload.h"

namespace pmdex {
namespace {

AddedDocument LiveDocument(const std::string& id, const std::string& text) {
  return {id, {{RandomCorpus::FieldNames().front(), text}}, ""};
}

}  // namespace

// Opening is one generation, and each commit another. Documents of earlier writers, of the segment
// before and of the memtable are replaced and deleted; in the end a segment has no live documents,
// and two writes are not committed.
absl::Status StoreWorkload::RunLive(Directory& directory, WorkloadProgress& progress) {
  std::unique_ptr<LiveIndex> index;
  PMDEX_RETURN_IF_ERROR(Acknowledge(
      [&]() -> absl::Status {
        PMDEX_ASSIGN_OR_RETURN(index, LiveIndex::Open(directory, {}));
        return absl::OkStatus();
      },
      progress));
  PMDEX_ASSIGN_OR_RETURN(const auto opened, index->TakeSnapshot());
  PMDEX_ASSIGN_OR_RETURN(const std::string id, opened->segments().front()->doc_id(0));
  const std::string first(id);
  for (const std::string text : {"one", "two", "three"}) {
    PMDEX_RETURN_IF_ERROR(index->Put(LiveDocument("live", text + " early")).status());
    PMDEX_RETURN_IF_ERROR(index->Put(LiveDocument(first, text)).status());
    PMDEX_RETURN_IF_ERROR(index->Put(LiveDocument("live", text)).status());
    if (text == "two") PMDEX_RETURN_IF_ERROR(index->TakeSnapshot().status());
    if (text == "three") PMDEX_RETURN_IF_ERROR(index->Delete("live").status());
    PMDEX_RETURN_IF_ERROR(Acknowledge([&] { return index->Commit(); }, progress));
  }
  PMDEX_RETURN_IF_ERROR(index->Delete(first).status());
  return index->Put(LiveDocument("lost", "word")).status();
}

}  // namespace pmdex
