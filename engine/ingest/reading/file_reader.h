// The reading half of format `files`: whole files, many small ones to a block. One thread.
//
// A file is opened, and the kernel told that it is wanted, some files before it is read: a disk has
// then several of them to fetch at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/reading/compressed_input.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader_work.h"

namespace pmdex {

class FileReader {
 public:
  FileReader(IngestContext& context, ReaderWork& work) : context_(context), work_(work) {}

  // What can be read of the file becomes part of a block, at the latest with Finish; the rest is
  // logged. False when the run stops, or has to: then the work has the error.
  bool Read(InputFile file);
  // Reads what was only opened, and hands over the block that is being filled.
  bool Finish();

 private:
  static constexpr size_t kOpenedAhead = kMostFilesAhead;

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
  bool ReadCompressed(const InputFile& file, const OpenedFile& opened, Compression compression);
  // A text that is being decompressed, behind its id. Its length is not known before its end.
  struct GrowingText {
    Block* block = nullptr;
    size_t id_begin = 0;
    size_t text_begin = 0;
    size_t text_bytes = 0;
  };
  // Into the block that is being filled, behind other files.
  bool BeginText(const InputFile& file, size_t compressed_bytes, std::string_view beginning,
                 GrowingText& text);
  static void ReadText(CompressedInput& input, size_t most_bytes, GrowingText& text);
  // The other files of the block are handed over; the text goes on in a block of its own.
  bool MoveToOwnBlock(GrowingText& text);
  bool ReadLargeText(const InputFile& file, CompressedInput& input, GrowingText& text);
  static void MoveText(Block& to, GrowingText& text);
  // The text is a document of its block; false when it is none, because nothing of it may be kept.
  bool EndText(const InputFile& file, const CompressedInput& input, const GrowingText& text);
  bool MakeRoom(size_t size_bytes);
  size_t AppendId(Block& block, const InputFile& file);
  // The text lies behind the id. Of the file this many bytes were not counted as read.
  void AddRecord(Block& block, const InputFile& file, size_t id_begin, size_t text_bytes,
                 size_t uncounted_bytes);
  bool ReportReadError(const InputFile& file, uint64_t size_bytes);
  bool Push(BlockPtr block);

  IngestContext& context_;
  ReaderWork& work_;
  std::array<Awaited, kOpenedAhead> awaited_;  // a ring
  size_t oldest_ = 0;
  size_t awaited_count_ = 0;
  BlockPtr block_;
};

}  // namespace pmdex
