#include "query/files/file_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"

#include "engine/ingest/build_options.h"
#include "engine/ingest/entries/attribute_names.h"
#include "engine/ingest/entries/entry_facts.h"
#include "engine/ingest/formats/document.h"
#include "engine/ingest/formats/utf8_repair.h"
#include "engine/ingest/pipeline/stop_flag.h"
#include "engine/ingest/reading/decoder_memory.h"
#include "engine/ingest/reading/decompressor.h"
#include "engine/ingest/reading/input_file.h"

namespace pmdex {
namespace {

// What a decoder may take: more than the usual levels of all compressions need.
constexpr size_t kDecoderBytes = size_t{128} << 20;

std::string WithoutSlashes(std::string_view path) {
  const size_t end = path.find_last_not_of('/');
  return std::string(path.substr(0, end == std::string_view::npos ? 1 : end + 1));
}

// What is behind the root of a path, without slashes in front; nullopt if it is not below the root.
std::optional<std::string_view> BehindRoot(std::string_view root, std::string_view path) {
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  if (!path.empty() && path[0] != '/' && !root.ends_with('/')) return std::nullopt;
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  return path;
}

FileDescriptor OpenAt(const FileDescriptor& directory, const std::string& name, int flags) {
  const int at = directory.valid() ? directory.get() : AT_FDCWD;
  return FileDescriptor(openat(at, name.c_str(), O_PATH | O_CLOEXEC | flags));
}

// Each part of the path by itself, so that none is followed as a link.
FileDescriptor FindBelow(const std::string& root, std::string_view rest) {
  FileDescriptor found = OpenAt({}, root, rest.empty() ? 0 : O_DIRECTORY);
  while (found.valid() && !rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string name(rest.substr(0, end));
    if (name == "." || name == "..") return {};
    rest.remove_prefix(end);
    rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
    found = OpenAt(found, name, O_NOFOLLOW | (rest.empty() ? 0 : O_DIRECTORY));
  }
  return found;
}

bool IsIndexed(int fd, EntryReader& entry) {
  struct stat now;
  if (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode)) return false;
  const EntryFacts facts = FactsOf(now);
  const auto is_same = [&entry](FileAttribute attribute, uint64_t value) {
    return entry.Has(attribute) && static_cast<uint64_t>(entry.number(attribute)) == value;
  };
  return is_same(FileAttribute::kDevice, facts.device) &&
         is_same(FileAttribute::kInode, facts.inode) &&
         is_same(FileAttribute::kSize, facts.size_bytes) &&
         is_same(FileAttribute::kMtime, static_cast<uint64_t>(facts.mtime_ns));
}

std::string ReadBeginning(int fd, size_t size_bytes) {
  const StopFlag never;
  std::string bytes(std::min(size_bytes, FileText::kMaxBytes), '\0');
  const int64_t got = ReadFully(fd, bytes.data(), bytes.size(), never);
  bytes.resize(static_cast<size_t>(std::max<int64_t>(got, 0)));
  return bytes;
}

// As far as the bytes are whole.
std::string Decompress(Compression compression, std::string_view input) {
  std::string text;
  DecoderMemory memory(kDecoderBytes);
  while (text.size() < FileText::kMaxBytes && BeginsAs(compression, input)) {
    const auto decoder = Decompressor::New(compression, memory);
    Decompressor::Step step;
    do {
      constexpr size_t kStepBytes = size_t{256} << 10;
      const size_t before = text.size();
      text.resize(before + kStepBytes);
      step = decoder->Run(input, std::span(text.data() + before, kStepBytes));
      text.resize(before + step.given_bytes);
      input.remove_prefix(step.taken_bytes);
      if (step.taken_bytes == 0 && step.given_bytes == 0) break;
    } while (step.status == Decompressor::Status::kGoesOn && text.size() < FileText::kMaxBytes);
    if (step.status != Decompressor::Status::kStreamEnd) break;
  }
  text.resize(std::min(text.size(), FileText::kMaxBytes));
  return text;
}

std::string TextOf(std::string_view path, std::string bytes) {
  const Compression compression = CompressionOfName(path);
  if (compression != Compression::kNone && BeginsAs(compression, bytes)) {
    bytes = Decompress(compression, bytes);
  }
  if (LooksBinary(bytes)) return "";
  return ReplaceInvalidUtf8(std::string_view(bytes).substr(ByteOrderMarkBytes(bytes)));
}

}  // namespace

std::string_view FileText::FieldName() {
  return kBodyField;
}

FileText::FileText(const Snapshot& snapshot)
    : snapshot_(snapshot), directories_(snapshot.manifest()) {
  const auto roots = snapshot.manifest().properties.find(kFileRootsProperty);
  if (roots == snapshot.manifest().properties.end()) return;
  for (const std::string& root : DecodeFileRoots(roots->second)) {
    roots_.push_back(WithoutSlashes(root));
  }
}

bool FileText::IsIn(const Snapshot& snapshot) {
  const auto& segments = snapshot.segments();
  return std::any_of(segments.begin(), segments.end(), [](const auto& segment) {
    return AttributeColumn(*segment, attribute::kInode).view() != nullptr &&
           AttributeColumn(*segment, attribute::kAccess).view() != nullptr;
  });
}

EntryReader& FileText::ReaderOf(size_t segment) {
  return readers_.try_emplace(segment, *snapshot_.segments()[segment]).first->second;
}

FileDescriptor FileText::Find(std::string_view path, EntryReader& entry) const {
  const std::string* root = nullptr;
  for (const std::string& candidate : roots_) {
    if (!BehindRoot(candidate, path).has_value()) continue;
    if (root == nullptr || candidate.size() > root->size()) root = &candidate;
  }
  if (root == nullptr) return {};
  for (const std::string& prefix : directories_.PrefixesOf(path)) {
    FileDescriptor found = FindBelow(prefix + *root, *BehindRoot(*root, path));
    if (found.valid() && IsIndexed(found.get(), entry)) return found;
  }
  return {};
}

absl::StatusOr<std::string> FileText::Read(size_t segment, DocId doc) {
  EntryReader& entry = ReaderOf(segment);
  const bool is_file = entry.MoveTo(doc) && entry.type() == 'f';
  const std::string path(is_file ? entry.path() : "");
  const FileDescriptor found = is_file ? Find(path, entry) : FileDescriptor();
  PMDEX_RETURN_IF_ERROR(entry.status());
  if (!found.valid()) return std::string();
  // The same file, whatever lies at the path now.
  const std::string same = absl::StrCat("/proc/self/fd/", found.get());
  const FileDescriptor opened(open(same.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!opened.valid()) return std::string();
  std::string bytes =
      ReadBeginning(opened.get(), static_cast<size_t>(entry.number(FileAttribute::kSize)));
  if (!IsIndexed(opened.get(), entry)) return std::string();  // it changed meanwhile
  return TextOf(path, std::move(bytes));
}

}  // namespace pmdex
