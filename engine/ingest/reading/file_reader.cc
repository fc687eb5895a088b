#include "engine/ingest/reading/file_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/ingest_options.h"
#include "engine/ingest/pipeline/block_pool.h"
#include "engine/ingest/problem_kind.h"
#include "engine/ingest/problem_log.h"
#include "pmem/exhaustion.h"
#include "pmem/text.h"

namespace pmdex {
namespace {

// Files that do not say their size (procfs) get at least this much room.
constexpr size_t kUnknownSizeRoom = size_t{64} << 10;
// Text compressed by gzip is rarely shorter than this, in units of the file. Space for so much is
// looked for before it is decompressed.
constexpr size_t kUsualRatio = 4;

std::string TooLarge(size_t limit) {
  return absl::StrCat("more than ", limit, " bytes; a larger --memory takes it");
}

}  // namespace

bool FileReader::Read(InputFile file) {
  if (awaited_count_ >= context_.parameters.files_ahead && !ReadOldest()) return false;
  Awaited& awaited = awaited_[(oldest_ + awaited_count_) % kOpenedAhead];
  awaited.file = std::move(file);
  if (!Open(awaited)) return false;
  ++awaited_count_;
  // What is small is wanted whole; of the rest the kernel reads ahead when it is read.
  const bool small = awaited.opened.has_value() && awaited.opened->owned.valid() &&
                     awaited.opened->size_bytes < context_.pool.block_bytes();
  if (small) posix_fadvise(awaited.opened->fd, 0, 0, POSIX_FADV_WILLNEED);
  return true;
}

bool FileReader::Open(Awaited& awaited) {
  awaited.opened.reset();
  awaited.entry.reset();
  if (awaited.file.is_entry_only) return LookAtUnopened(awaited);
  auto opened = OpenInput(awaited.file, awaited.problems);
  // If there are too few descriptors, the reader closes the files that it has open, and tries
  // again.
  while (!opened.ok() && awaited_count_ > 0) {
    if (!ReadOldest()) return false;
    opened = OpenInput(awaited.file, awaited.problems);
  }
  if (!opened.ok()) {
    work_.error = opened.status();
    return false;
  }
  awaited.opened = *std::move(opened);
  return awaited.opened.has_value() || !awaited.file.keeps_entry || LookAtUnopened(awaited);
}

bool FileReader::LookAtUnopened(Awaited& awaited) {
  const InputFile& file = awaited.file;
  EntryLookup found = LookAtEntry(file.path);
  if (IsExhaustion(found.error)) {
    work_.error = ExhaustionStatus(found.error, file.path);
    return false;
  }
  if (found.error != 0 && file.is_entry_only) {
    awaited.problems.Add(ProblemKind::kVanishedFile, file.path, std::strerror(found.error));
  }
  if (found.error != 0) return true;
  if (!file.is_entry_only) {
    awaited.problems.Take();  // it is no lost document
    awaited.problems.Add(ProblemKind::kKeptWithoutText, file.path, "it cannot be opened");
  }
  awaited.entry = std::move(found.entry);
  awaited.entry->parents = file.parents;
  return true;
}

bool FileReader::ReadOldest() {
  Awaited& awaited = awaited_[oldest_];
  oldest_ = (oldest_ + 1) % kOpenedAhead;
  --awaited_count_;
  const std::optional<OpenedFile> opened = std::exchange(awaited.opened, std::nullopt);
  const InputFile& file = awaited.file;
  if (!opened.has_value()) {
    MergeProblems(awaited.problems.Take(), work_.done.problems);
    if (awaited.entry.has_value()) return AddEntry(file, *awaited.entry, file.size_bytes);
    PassOver(file, file.size_bytes);
    return true;
  }
  entry_.reset();
  if (opened->owned.valid()) {
    EntryLookup found = LookAtOpened(opened->fd);
    if (found.error == 0) {
      entry_ = std::move(found.entry);
      entry_->parents = file.parents;
    }
  }
  const auto compression = ProbeCompression(file, *opened);
  if (!compression.ok()) {
    work_.error = compression.status();
    return false;
  }
  if (*compression != Compression::kNone) return ReadCompressed(file, *opened, *compression);
  // One byte more than the file says: then a short read is its end.
  const size_t expected = opened->size_bytes == 0 ? kUnknownSizeRoom - 1 : opened->size_bytes;
  const bool small =
      opened->owned.valid() && expected + 1 + HeadBytes(file) <= context_.pool.block_bytes();
  return small ? ReadSmall(file, *opened) : ReadLarge(file, *opened);
}

bool FileReader::Finish() {
  while (awaited_count_ > 0) {
    if (!ReadOldest()) return false;
  }
  return HandOver();
}

bool FileReader::HandOver() {
  if (block_ == nullptr || block_->files.empty()) return !context_.stopped.IsSet();
  return Push(std::move(block_));
}

void FileReader::PassOver(const InputFile& file, uint64_t size_bytes) {
  work_.done.AddFile(file.ordinal, file.input, file.path);
  context_.counters.bytes_done += size_bytes;
}

bool FileReader::Drop(const InputFile& file, ProblemKind kind, std::string_view why,
                      uint64_t size_bytes) {
  if (!file.keeps_entry || !entry_.has_value()) {
    work_.problems.Add(kind, file.path, why);
    PassOver(file, size_bytes);
    return true;
  }
  // That a file is binary is nothing to report where no text is asked of it.
  if (kind != ProblemKind::kBinaryFile) {
    work_.problems.Add(ProblemKind::kKeptWithoutText, file.path,
                       absl::StrCat(ToAbsl(ToString(kind)), ": ", ToAbsl(why)));
  }
  return AddEntry(file, *entry_, size_bytes);
}

bool FileReader::AddEntry(const InputFile& file, const Entry& entry, uint64_t size_bytes) {
  entry_ = entry;
  if (!MakeRoom(HeadBytes(file))) return false;
  const size_t id_begin = AppendHead(*block_, file);
  AddRecord(*block_, file, id_begin, 0, size_bytes);
  block_->files.back().has_text = false;
  return true;
}

bool FileReader::Push(BlockPtr block) {
  if (context_.stopped.IsSet()) return false;  // what was read last may be cut short
  block->origin = work_.Take();
  return context_.blocks.Push(std::move(block));
}

bool FileReader::MakeRoom(size_t size_bytes) {
  if (block_ != nullptr && block_->room() >= size_bytes) return true;
  if (block_ != nullptr && !block_->files.empty() && !Push(std::move(block_))) return false;
  if (block_ == nullptr) block_ = context_.pool.Acquire();
  if (block_ == nullptr) return false;
  block_->format = InputFormat::kFiles;
  return true;
}

size_t FileReader::HeadBytes(const InputFile& file) const {
  return file.path.size() + (entry_.has_value() ? EncodedBytes(*entry_) : 0);
}

size_t FileReader::AppendHead(Block& block, const InputFile& file) {
  const size_t begin = block.size;
  std::memcpy(block.bytes + begin, file.path.data(), file.path.size());
  if (entry_.has_value()) Encode(*entry_, block.bytes + begin + file.path.size());
  block.size += HeadBytes(file);
  return begin;
}

void FileReader::AddRecord(Block& block, const InputFile& file, size_t id_begin, size_t text_bytes,
                           size_t uncounted_bytes) {
  const size_t mark = ByteOrderMarkBytes({block.bytes + block.size, text_bytes});
  block.files.push_back({id_begin, file.path.size(), block.size + mark, text_bytes - mark,
                         file.input, HeadBytes(file) - file.path.size()});
  block.size += text_bytes;
  work_.done.bytes_in += text_bytes;
  work_.done.AddFile(file.ordinal, file.input, file.path);
  context_.counters.bytes_done += uncounted_bytes;
}

bool FileReader::ReportReadError(const InputFile& file, uint64_t size_bytes) {
  const int error = errno;
  if (IsExhaustion(error)) {
    work_.error = ExhaustionStatus(error, file.path);
    return false;
  }
  return Drop(file, ProblemKind::kUnreadableFile, std::strerror(error), size_bytes);
}

bool FileReader::ReadSmall(const InputFile& file, const OpenedFile& opened) {
  const size_t wanted = (opened.size_bytes == 0 ? kUnknownSizeRoom : opened.size_bytes + 1);
  if (!MakeRoom(HeadBytes(file) + wanted)) return false;
  Block& block = *block_;
  const size_t id_begin = AppendHead(block, file);
  const int64_t got = ReadFully(opened.fd, block.bytes + block.size, wanted, context_.stopped);
  const size_t text_bytes = got < 0 ? 0 : static_cast<size_t>(got);
  const int error = errno;
  const bool is_binary = LooksBinary({block.bytes + block.size, text_bytes});
  if (got >= 0 && !is_binary && text_bytes < wanted) {
    AddRecord(block, file, id_begin, text_bytes, text_bytes);
    return true;
  }
  block.size = id_begin;
  if (is_binary) return Drop(file, ProblemKind::kBinaryFile, {}, text_bytes);
  // The file is longer than its size said: it grows, or the file system does not know its size. It
  // is read again from the beginning, up to its real end.
  if (got >= 0 && lseek(opened.fd, 0, SEEK_SET) == 0) return ReadLarge(file, opened);
  if (got < 0) errno = error;
  return ReportReadError(file, opened.size_bytes);
}

// Alone in the oversize block. The beginning is read first: most large files are binary.
bool FileReader::ReadLarge(const InputFile& file, const OpenedFile& opened) {
  std::array<char, kBinaryProbeBytes> probe;
  const int64_t probed = ReadFully(opened.fd, probe.data(), probe.size(), context_.stopped);
  if (probed < 0) return ReportReadError(file, opened.size_bytes);
  if (LooksBinary({probe.data(), static_cast<size_t>(probed)})) {
    return Drop(file, ProblemKind::kBinaryFile, {}, opened.size_bytes);
  }
  if (!HandOver()) return false;
  const size_t limit = context_.parameters.memory.document_limit_bytes;
  const size_t known = opened.size_bytes == 0 ? limit : opened.size_bytes;
  if (known <= limit) {
    // Room up to the limit, whatever it says: it may have grown. What is not used is never touched.
    BlockPtr block = context_.pool.AcquireOversize(HeadBytes(file) + kBinaryProbeBytes + limit + 1);
    if (block == nullptr) return false;
    const size_t id_begin = AppendHead(*block, file);
    char* text = block->bytes + block->size;
    std::memcpy(text, probe.data(), static_cast<size_t>(probed));
    const int64_t got = ReadFully(opened.fd, text + probed,
                                  limit + 1 - std::min<size_t>(limit, probed), context_.stopped);
    if (got < 0) return ReportReadError(file, opened.size_bytes);
    if (static_cast<size_t>(probed + got) <= limit) {
      const auto text_bytes = static_cast<size_t>(probed + got);
      AddRecord(*block, file, id_begin, text_bytes, text_bytes);
      return Push(std::move(block));
    }
  }
  return Drop(file, ProblemKind::kDocumentTooLarge, TooLarge(limit), known);
}

bool FileReader::ReadCompressed(const InputFile& file, const OpenedFile& opened,
                                Compression compression) {
  CompressedInput input(context_, opened, compression);
  std::array<char, kBinaryProbeBytes> probe;
  const std::string_view beginning(probe.data(), input.Read(probe.data(), probe.size()));
  if (LooksBinary(beginning)) return Drop(file, ProblemKind::kBinaryFile, {}, 0);
  GrowingText text;
  if (!BeginText(file, opened.size_bytes, beginning, text)) return false;
  ReadText(input, text.block->room(), text);
  if (input.end() == CompressedInput::End::kNotYet && !text.block->files.empty()) {
    if (!MoveToOwnBlock(text)) return false;
    ReadText(input, text.block->room(), text);
  }
  if (input.end() == CompressedInput::End::kNotYet) return ReadLargeText(file, input, text);
  if (!EndText(file, input, text)) return AfterRefusedText(file, input);
  return !context_.stopped.IsSet();
}

bool FileReader::BeginText(const InputFile& file, size_t compressed_bytes,
                           std::string_view beginning, GrowingText& text) {
  const size_t least_bytes = HeadBytes(file) + beginning.size();
  const size_t block_bytes = context_.pool.block_bytes();
  const size_t expected_bytes = std::min(compressed_bytes, block_bytes) * kUsualRatio;
  if (!MakeRoom(std::clamp(expected_bytes, least_bytes, std::max(least_bytes, block_bytes)))) {
    return false;
  }
  text.block = block_.get();
  text.id_begin = AppendHead(*block_, file);
  text.text_begin = block_->size;
  text.text_bytes = beginning.size();
  std::memcpy(block_->bytes + block_->size, beginning.data(), beginning.size());
  block_->size += beginning.size();
  return true;
}

void FileReader::ReadText(CompressedInput& input, size_t most_bytes, GrowingText& text) {
  const size_t got = input.Read(text.block->bytes + text.block->size, most_bytes);
  text.block->size += got;
  text.text_bytes += got;
}

// What is left of the other block ends where the text began.
void FileReader::MoveText(Block& to, GrowingText& text) {
  Block& from = *text.block;
  to.format = InputFormat::kFiles;
  std::memcpy(to.bytes, from.bytes + text.id_begin, from.size - text.id_begin);
  to.size = from.size - text.id_begin;
  from.size = text.id_begin;
  text.text_begin -= text.id_begin;
  text.id_begin = 0;
  text.block = &to;
}

bool FileReader::MoveToOwnBlock(GrowingText& text) {
  BlockPtr next = context_.pool.Acquire();
  if (next == nullptr) return false;
  MoveText(*next, text);
  return Push(std::exchange(block_, std::move(next)));
}

bool FileReader::ReadLargeText(const InputFile& file, CompressedInput& input, GrowingText& text) {
  const size_t limit = std::max(context_.parameters.memory.document_limit_bytes, text.text_bytes);
  BlockPtr big = AcquireOversizeFor(&input, context_.pool, HeadBytes(file) + limit + 1);
  if (big == nullptr) return false;
  MoveText(*big, text);
  ReadText(input, limit + 1 - text.text_bytes, text);
  if (text.text_bytes <= limit) {
    return EndText(file, input, text) ? Push(std::move(big)) : AfterRefusedText(file, input);
  }
  return Drop(file, ProblemKind::kDocumentTooLarge, TooLarge(limit), 0);
}

bool FileReader::AfterRefusedText(const InputFile& file, const CompressedInput& input) {
  using End = CompressedInput::End;
  if (context_.stopped.IsSet() || input.end() == End::kStopped) return !context_.stopped.IsSet();
  if (file.keeps_entry && entry_.has_value()) return AddEntry(file, *entry_, 0);
  PassOver(file, 0);
  return true;
}

bool FileReader::EndText(const InputFile& file, const CompressedInput& input,
                         const GrowingText& text) {
  using End = CompressedInput::End;
  const bool is_refused = input.end() == End::kNoMemory || input.end() == End::kUnreadable;
  if (is_refused && file.keeps_entry) {
    work_.problems.Add(ProblemKind::kKeptWithoutText, file.path, "its text cannot be read");
  } else {
    input.Report(file.path, work_.problems);
  }
  text.block->size = text.id_begin;
  if (input.end() == End::kExhausted) {
    work_.error = input.Exhaustion(file.path);
    context_.stopped.Set();  // nothing that follows counts as done
    return false;
  }
  if (input.end() == End::kStopped || is_refused) return false;
  text.block->size = text.text_begin;
  AddRecord(*text.block, file, text.id_begin, text.text_bytes, 0);
  return true;
}

}  // namespace pmdex
