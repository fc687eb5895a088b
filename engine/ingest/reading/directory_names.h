// The entries of one directory in the order of their names, in bounded memory however many there
// are: some names at a time, each time the smallest ones behind the last. What does not fit is left
// to another pass over the directory. Not thread-safe.
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
  // Fills at most budget_bytes of memory, or what one name needs if that is more. Less than 4 GiB
  // of it is used.
  explicit DirectoryNames(size_t budget_bytes);

  void BeginPass();
  // Entries in any order. Those up to the last name of the pass before are passed over: a directory
  // that changes between two passes gives no name twice. `type` is kept as it is.
  void Add(std::string_view name, unsigned char type);
  // Puts what was kept in order, by unsigned bytes.
  void EndPass();

  // Of the last pass, ascending; valid until the next one.
  size_t size() const { return entries_.size(); }
  std::string_view name(size_t i) const { return NameOf(entries_[i]); }
  unsigned char type(size_t i) const { return entries_[i].type; }
  // True if the directory has names behind these.
  bool has_more() const { return has_more_; }

  // Filled with names.
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
  std::string names_;  // one behind the other
  std::vector<Entry> entries_;
  std::string last_;   // name of the pass before; empty, as no entry's name is, in the first pass
  std::string bound_;  // names from here on are left to another pass, if has_more_
  bool has_more_ = false;
};

}  // namespace pmdex
