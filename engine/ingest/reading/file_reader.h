// Reads the format `files`: whole files, many small ones to a block. For one thread.
//
// It opens some files before it reads them, and tells the kernel that it will read them. So a disk
// has several files to fetch at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/memory_plan.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/pipeline/ingest_context.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/problem_log.h"
#include "engine/ingest/reading/compressed_input.h"
#include "engine/ingest/reading/input_file.h"
#include "engine/ingest/reading/reader_work.h"

namespace pmdex {

class FileReader {
 public:
  FileReader(IngestContext& context, ReaderWork& work) : context_(context), work_(work) {}

  // Puts the file into a block, at the latest with Finish. Logs what cannot be read. False if the
  // run stops, or has to stop; in that case the work holds the error.
  bool Read(InputFile file);
  // Reads the files that were only opened, and hands over the last block.
  bool Finish();

 private:
  static constexpr size_t kOpenedAhead = kMostFilesAhead;

  struct Awaited {
    InputFile file;
    std::optional<OpenedFile> opened;
    // The document of a file that is not opened; nullopt if there is none.
    std::optional<Entry> entry;
    ProblemLog problems;  // of opening the file; they count once the file does
  };

  // Opens the file, or looks at its entry alone. False if the run has to stop.
  bool Open(Awaited& awaited);
  // The same for a file that cannot be opened, or is not to be. False as above.
  bool LookAtUnopened(Awaited& awaited);
  bool ReadOldest();
  bool HandOver();
  void PassOver(const InputFile& file, uint64_t size_bytes);
  // The file gives no text: logs why, or makes it a document without text if the build keeps all
  // entries. `size_bytes` of it count as read.
  bool Drop(const InputFile& file, ProblemKind kind, std::string_view why, uint64_t size_bytes);
  bool AddEntry(const InputFile& file, const Entry& entry, uint64_t size_bytes);
  size_t HeadBytes(const InputFile& file) const;
  bool ReadSmall(const InputFile& file, const OpenedFile& opened);
  bool ReadLarge(const InputFile& file, const OpenedFile& opened);
  bool ReadCompressed(const InputFile& file, const OpenedFile& opened, Compression compression);
  // A text behind its id that is being decompressed, so that its length is not known yet.
  struct GrowingText {
    Block* block = nullptr;
    size_t id_begin = 0;
    size_t text_begin = 0;
    size_t text_bytes = 0;
  };
  // Begins the text in the current block, behind other files.
  bool BeginText(const InputFile& file, size_t compressed_bytes, std::string_view beginning,
                 GrowingText& text);
  static void ReadText(CompressedInput& input, size_t most_bytes, GrowingText& text);
  // Hands over the other files of the block, and moves the text to a block of its own.
  bool MoveToOwnBlock(GrowingText& text);
  bool ReadLargeText(const InputFile& file, CompressedInput& input, GrowingText& text);
  static void MoveText(Block& to, GrowingText& text);
  // Makes the text a document of its block. False if nothing of the text may be kept.
  bool EndText(const InputFile& file, const CompressedInput& input, const GrowingText& text);
  // After a text of which nothing is kept. False if the run stops.
  bool AfterRefusedText(const InputFile& file, const CompressedInput& input);
  bool MakeRoom(size_t size_bytes);
  // Appends the id and the entry, which take HeadBytes. Returns where they begin.
  size_t AppendHead(Block& block, const InputFile& file);
  // Adds the record of a text that lies behind its head. `uncounted_bytes` of the file were not
  // counted as read before.
  void AddRecord(Block& block, const InputFile& file, size_t id_begin, size_t text_bytes,
                 size_t uncounted_bytes);
  bool ReportReadError(const InputFile& file, uint64_t size_bytes);
  bool Push(BlockPtr block);

  IngestContext& context_;
  ReaderWork& work_;
  std::array<Awaited, kOpenedAhead> awaited_;  // a ring
  size_t oldest_ = 0;
  size_t awaited_count_ = 0;
  std::optional<Entry> entry_;  // of the file that is being read; standard input has none
  BlockPtr block_;
};

}  // namespace pmdex
