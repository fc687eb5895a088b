// The reading half of format `files`: whole files, many small ones to a block. One thread.
#pragma once

#include <cstdint>

#include "engine/ingest/ingest_context.h"
#include "engine/ingest/input_file.h"
#include "engine/ingest/reader_work.h"

namespace pmdex {

class FileReader {
 public:
  FileReader(IngestContext& context, ReaderWork& work) : context_(context), work_(work) {}

  // What can be read of the file becomes part of a block, the rest is logged. False when the run
  // stops.
  bool Read(const InputFile& file);
  // Hands over the block that is being filled.
  bool Finish();

 private:
  void PassOver(const InputFile& file, uint64_t size_bytes);
  bool ReadSmall(const InputFile& file, const OpenedFile& opened);
  bool ReadLarge(const InputFile& file, const OpenedFile& opened);
  bool MakeRoom(size_t size_bytes);
  size_t AppendId(Block& block, const InputFile& file);
  void AddRecord(Block& block, const InputFile& file, size_t id_begin, size_t text_bytes);
  void ReportReadError(const InputFile& file, uint64_t size_bytes);
  bool Push(BlockPtr block);

  IngestContext& context_;
  ReaderWork& work_;
  BlockPtr block_;
};

}  // namespace pmdex
