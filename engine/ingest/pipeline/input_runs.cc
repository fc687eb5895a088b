#include "engine/ingest/pipeline/input_runs.h"

#include "pmem/check.h"

namespace pmdex {

void InputRuns::BeginBlock(const Block& block) {
  block_ = &block;
  document_ = 0;
  noted_ = false;
}

void InputRuns::Note(uint32_t doc) {
  PMDEX_CHECK(document_ > 0);
  InputPlace place;
  if (block_->format == InputFormat::kFiles) {
    place.file.input = block_->files[document_ - 1].input;
    noted_ = !runs_.empty() && runs_.back().place == place;
  } else if (!noted_) {
    PMDEX_CHECK(!block_->origin.bytes.empty());
    const DoneBytes& bytes = block_->origin.bytes.back();  // before it are files without documents
    place = {bytes.file, bytes.range.begin, document_};
  }
  if (noted_) return;
  noted_ = true;
  if (!runs_.empty() && runs_.back().first_doc == doc) runs_.pop_back();  // it was not indexed
  runs_.push_back({doc, std::move(place)});
}

std::vector<InputRun> InputRuns::Take() {
  noted_ = false;
  return std::exchange(runs_, {});
}

}  // namespace pmdex
