#include "tools/profile/address_names.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"

#include "tools/report/report_files.h"

namespace pmdex {
namespace {

// A copy of the structure at this offset; nothing if the file ends before.
template <typename T>
std::optional<T> ReadAt(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

std::string_view TextAt(std::string_view file, const Elf64_Shdr& strings, uint64_t at) {
  if (strings.sh_offset > file.size() || strings.sh_size > file.size() - strings.sh_offset ||
      at >= strings.sh_size) {
    return {};
  }
  const std::string_view text = file.substr(strings.sh_offset + at, strings.sh_size - at);
  return text.substr(0, text.find('\0'));
}

std::string Demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

// The words of a line of /proc/PID/maps: addresses, rights, offset, device, inode, path.
std::vector<std::string_view> MapWords(std::string_view line) {
  std::vector<std::string_view> words;
  for (int i = 0; i < 5; ++i) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  const size_t begin = line.find_first_not_of(' ');
  words.push_back(begin == std::string_view::npos ? std::string_view() : line.substr(begin));
  return words;
}

std::optional<uint64_t> Hexadecimal(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

FunctionTable FunctionTable::Of(std::string_view file) {
  FunctionTable table;
  const auto header = ReadAt<Elf64_Ehdr>(file, 0);
  if (!header.has_value() || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64) {
    return table;
  }
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto load = ReadAt<Elf64_Phdr>(file, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!load.has_value() || load->p_type != PT_LOAD) continue;
    table.loads_.push_back({load->p_offset, load->p_filesz, load->p_vaddr});
  }
  const auto section = [&](unsigned i) {
    return ReadAt<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  std::optional<Elf64_Shdr> symbols;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto found = section(i);
    if (!found.has_value()) break;
    if (found->sh_type == SHT_DYNSYM && !symbols.has_value()) symbols = found;
    if (found->sh_type == SHT_SYMTAB) symbols = found;
  }
  if (!symbols.has_value()) return table;
  const auto strings = section(symbols->sh_link);
  if (!strings.has_value()) return table;
  for (uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = ReadAt<Elf64_Sym>(file, symbols->sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol.has_value()) break;
    const bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ||
                             ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;
    if (!is_function || symbol->st_shndx == SHN_UNDEF || symbol->st_size == 0) continue;
    table.functions_.push_back({symbol->st_value, symbol->st_value + symbol->st_size,
                                std::string(TextAt(file, *strings, symbol->st_name))});
  }
  std::sort(table.functions_.begin(), table.functions_.end(),
            [](const Function& a, const Function& b) { return a.begin < b.begin; });
  return table;
}

std::string FunctionTable::NameAt(uint64_t file_offset) const {
  for (const Load& load : loads_) {
    if (file_offset < load.offset || file_offset - load.offset >= load.bytes) continue;
    const uint64_t address = file_offset - load.offset + load.address;
    auto after =
        std::upper_bound(functions_.begin(), functions_.end(), address,
                         [](uint64_t value, const Function& f) { return value < f.begin; });
    if (after != functions_.begin() && address < std::prev(after)->end) {
      return Demangled(std::prev(after)->name);
    }
  }
  return "";
}

std::vector<std::string> FunctionTable::Names() const {
  std::vector<std::string> names;
  for (const Function& function : functions_) names.push_back(Demangled(function.name));
  return names;
}

AddressNames::AddressNames(std::string_view maps, std::map<std::string, FunctionTable> tables)
    : tables_(std::move(tables)) {
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const auto words = MapWords(line);
    if (words.size() < 6 || words[1].find('x') == std::string_view::npos) continue;
    const size_t dash = words[0].find('-');
    if (dash == std::string_view::npos) continue;
    const auto begin = Hexadecimal(words[0].substr(0, dash));
    const auto end = Hexadecimal(words[0].substr(dash + 1));
    const auto offset = Hexadecimal(words[2]);
    if (!begin.has_value() || !end.has_value() || !offset.has_value()) continue;
    ranges_.push_back({*begin, *end, *offset, std::string(words[5])});
  }
}

absl::StatusOr<AddressNames> AddressNames::OfProcess(const std::string& process) {
  const std::string folder = absl::StrCat("/proc/", process);
  PMDEX_ASSIGN_OR_RETURN(const std::string maps, ReadReportFile(folder + "/maps"));
  AddressNames names(maps, {});
  for (const Range& range : names.ranges_) {
    if (!range.path.starts_with('/') || names.tables_.contains(range.path)) continue;
    // The root of the process, because it may run in a container.
    auto file = ReadReportFile(folder + "/root" + range.path);
    if (!file.ok()) file = ReadReportFile(range.path);
    names.tables_.emplace(range.path, file.ok() ? FunctionTable::Of(*file) : FunctionTable());
  }
  return names;
}

std::string AddressNames::NameAt(uint64_t address) const {
  for (const Range& range : ranges_) {
    if (address < range.begin || address >= range.end) continue;
    const auto table = tables_.find(range.path);
    std::string name;
    if (table != tables_.end()) name = table->second.NameAt(address - range.begin + range.offset);
    if (!name.empty()) return ShortFunctionName(name);
    const size_t slash = range.path.rfind('/');
    return absl::StrCat("[", slash == std::string::npos ? range.path : range.path.substr(slash + 1),
                        "]");
  }
  return "[unknown]";
}

std::string ShortFunctionName(std::string_view demangled) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  std::string name;
  int angles = 0;  // of template arguments
  for (size_t i = 0; i < demangled.size(); ++i) {
    if (demangled.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    const char c = demangled[i];
    if (demangled.substr(i).starts_with("operator")) {
      const size_t end =
          demangled.find('(', i + 8 + (demangled.substr(i + 8).starts_with("()") ? 2 : 0));
      name += demangled.substr(i, std::min(end, demangled.size()) - i);
      return name;
    }
    if (c == '<') ++angles;
    if (angles == 0) {
      if (c == '(' || c == '[') break;
      if (c == ' ')
        name.clear();  // what came before was the return type
      else
        name += c;
    }
    if (c == '>') --angles;
  }
  if (name.starts_with("pmdex::")) name.erase(0, 7);
  return name.empty() ? std::string(demangled) : name;
}

}  // namespace pmdex
