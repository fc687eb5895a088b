// A line of `find -ls` for one entry, byte for byte. The columns widen for numbers and names that
// need more room, for all lines that follow, as those of find do. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "query/files/entry_reader.h"

namespace pmdex {

// As find writes names in its listing: white space, quotes and backslashes as in C, all other bytes
// that are no printable ASCII as octal numbers.
void AppendEscapedName(std::string_view name, std::string& text);

class EntryListing {
 public:
  // now_ns: times of the last half year are written with hour and minute.
  explicit EntryListing(int64_t now_ns) : now_ns_(now_ns) {}

  // Appends the line of the entry that the reader is at. shown: its path as it is written.
  void Append(EntryReader& reader, std::string_view shown, std::string& text);

 private:
  void AppendRight(std::string_view value, size_t& width, std::string& text);
  void AppendLeft(std::string_view value, size_t& width, std::string& text);
  void AppendOwner(std::string_view name, int64_t number, size_t& width, std::string& text);
  void AppendSize(EntryReader& reader, std::string& text);
  void AppendTime(int64_t time_ns, std::string& text) const;

  const int64_t now_ns_;
  size_t inode_width_ = 9;
  size_t blocks_width_ = 6;
  size_t links_width_ = 3;
  size_t user_width_ = 8;
  size_t group_width_ = 8;
  size_t size_width_ = 8;
  size_t major_width_ = 3;
  size_t minor_width_ = 3;
};

}  // namespace pmdex
