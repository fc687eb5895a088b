// Lists the entries of one directory in the order of their names, in bounded memory however many
// there are. Each pass over the directory keeps the smallest names behind those of the pass before,
// as many as fit. Not thread-safe.
//
//   DirectoryNames names(budget_bytes);
//   do {
//     names.BeginPass();
//     for (each entry of the directory) names.Add(name, type);
//     names.EndPass();
//     for (size_t i = 0; i < names.size(); ++i) Use(names.name(i), names.type(i));
//   } while (names.has_more());
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pmdex {

class DirectoryNames {
 public:
  // Takes at most budget_bytes of memory, or what one name needs if that is more. Never takes 4 GiB
  // or more.
  explicit DirectoryNames(size_t budget_bytes);

  void BeginPass();
  // Adds an entry; entries come in any order. Passes over names up to the last one of the pass
  // before, so no name is listed twice if the directory changes between two passes. Keeps `type` as
  // it is.
  void Add(std::string_view name, unsigned char type);
  // Sorts the names that were kept, by unsigned bytes.
  void EndPass();

  // The entries of the last pass, ascending; valid until the next pass.
  size_t size() const { return entries_.size(); }
  std::string_view name(size_t i) const { return NameOf(entries_[i]); }
  unsigned char type(size_t i) const { return entries_[i].type; }
  // True if the directory has names behind these.
  bool has_more() const { return has_more_; }

  // The memory that names take.
  size_t used_bytes() const { return names_.size() + entries_.size() * sizeof(Entry); }

 private:
  struct Entry {
    uint32_t begin;  // in names_
    uint16_t size_bytes;
    unsigned char type;
  };

  std::string_view NameOf(const Entry& entry) const {
    return std::string_view(names_).substr(entry.begin, entry.size_bytes);
  }
  bool NameIsLess(const Entry& a, const Entry& b) const { return NameOf(a) < NameOf(b); }
  void LeaveLargerHalf();

  const size_t budget_bytes_;
  std::string names_;  // all names, one behind the other
  std::vector<Entry> entries_;
  std::string last_;   // the last name of the pass before; empty in the first pass
  std::string bound_;  // if has_more_: names from here on are left to another pass
  bool has_more_ = false;
};

}  // namespace pmdex
