#include "tools/find/entry_listing.h"

#include <sys/sysmacros.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "pmem/text.h"
#include "tools/find/local_time.h"
#include "tools/find/mode_text.h"

namespace pmdex {
namespace {

constexpr size_t kNumberWidth = 8;  // of a user or group without a name
constexpr int64_t kHalfYearSeconds = int64_t{6} * 30 * 24 * 60 * 60;

}  // namespace

void AppendEscapedName(std::string_view name, std::string& text) {
  constexpr std::string_view kNamed = "\\\n\b\r\t\f \"";
  constexpr std::string_view kLetters = "\\nbrtf \"";
  for (const char c : name) {
    const size_t named = kNamed.find(c);
    const auto byte = static_cast<unsigned char>(c);
    if (named != std::string_view::npos) {
      text += '\\';
      text += kLetters[named];
    } else if (byte > 0x20 && byte < 0x7f) {
      text += c;
    } else {
      text += '\\';
      for (int shift = 6; shift >= 0; shift -= 3) {
        text += static_cast<char>('0' + (byte >> shift & 7));
      }
    }
  }
}

void EntryListing::AppendRight(std::string_view value, size_t& width, std::string& text) {
  width = std::max(width, value.size());
  text.append(width - value.size(), ' ');
  text += value;
}

void EntryListing::AppendLeft(std::string_view value, size_t& width, std::string& text) {
  width = std::max(width, value.size());
  text += value;
  text.append(width - value.size(), ' ');
}

void EntryListing::AppendOwner(std::string_view name, int64_t number, size_t& width,
                               std::string& text) {
  if (!name.empty()) {
    AppendLeft(name, width, text);
  } else {
    size_t number_width = kNumberWidth;
    AppendLeft(std::to_string(number), number_width, text);
    width = std::max(width, number_width + 1);
  }
  text += ' ';
}

void EntryListing::AppendSize(EntryReader& reader, std::string& text) {
  const char type = reader.type();
  if (type != 'b' && type != 'c') {
    AppendRight(std::to_string(reader.number(FileAttribute::kSize)), size_width_, text);
    return;
  }
  const auto device = static_cast<dev_t>(reader.number(FileAttribute::kSpecialDevice));
  AppendRight(std::to_string(major(device)), major_width_, text);
  text += ", ";
  AppendRight(std::to_string(minor(device)), minor_width_, text);
}

void EntryListing::AppendTime(int64_t time_ns, std::string& text) const {
  const int64_t seconds = SecondsOf(time_ns);
  const int64_t now = SecondsOf(now_ns_);
  const bool is_recent = now - kHalfYearSeconds <= seconds && seconds <= now + 60 * 60;
  text += LocalTimeText(time_ns, is_recent ? "%b %e %H:%M" : "%b %e  %Y");
}

void EntryListing::Append(EntryReader& reader, std::string_view shown, std::string& text) {
  const auto number = [&reader](FileAttribute attribute) { return reader.number(attribute); };
  const auto inode = static_cast<uint64_t>(number(FileAttribute::kInode));
  AppendRight(std::to_string(inode), inode_width_, text);
  text += ' ';
  AppendRight(std::to_string((number(FileAttribute::kBlocks) + 1) / 2), blocks_width_, text);
  absl::StrAppend(&text, " ", ModeLetters(reader.type(), reader.mode()), " ");
  AppendRight(std::to_string(number(FileAttribute::kLinks)), links_width_, text);
  text += ' ';
  AppendOwner(reader.text(FileAttribute::kUser), number(FileAttribute::kUid), user_width_, text);
  // find widens the column behind a number by the space that follows it, but for groups it does
  // not.
  size_t unchanged = group_width_;
  AppendOwner(reader.text(FileAttribute::kGroup), number(FileAttribute::kGid),
              reader.Has(FileAttribute::kGroup) ? group_width_ : unchanged, text);
  AppendSize(reader, text);
  text += ' ';
  AppendTime(number(FileAttribute::kMtime), text);
  text += ' ';
  AppendEscapedName(shown, text);
  if (reader.type() == 'l') {
    text += " -> ";
    AppendEscapedName(reader.text(FileAttribute::kTarget), text);
  }
  text += '\n';
}

}  // namespace pmdex
