// The reading half of format `files`: whole files, many small ones to a block. One thread.
//
// A file is opened, and the kernel told that it is wanted, some files before it is read: a disk has
// then several of them to fetch at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/ingest/ingest_context.h"
#include "engine/ingest/input_file.h"
#include "engine/ingest/reader_work.h"

namespace pmdex {

class FileReader {
 public:
  FileReader(IngestContext& context, ReaderWork& work) : context_(context), work_(work) {}

  // What can be read of the file becomes part of a block, at the latest with Finish; the rest is
  // logged. False when the run stops.
  bool Read(InputFile file);
  // Reads what was only opened, and hands over the block that is being filled.
  bool Finish();

 private:
  static constexpr size_t kOpenedAhead = 16;

  struct Awaited {
    InputFile file;
    std::optional<OpenedFile> opened;
    ProblemLog problems;  // of opening; they count when the file does
  };

  bool ReadOldest();
  bool HandOver();
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
  std::array<Awaited, kOpenedAhead> awaited_;  // a ring
  size_t oldest_ = 0;
  size_t awaited_count_ = 0;
  BlockPtr block_;
};

}  // namespace pmdex
