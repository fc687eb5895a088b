// Names the functions of a running process by address, from the symbol tables of the ELF files that
// it has mapped. Immutable and thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pmem/status.h"

namespace pmdex {

// The functions of one ELF file, from its .symtab, or from .dynsym if it has been stripped.
class FunctionTable {
 public:
  // file: the bytes of an x86-64 ELF file. A table of what is sound; empty if it is no such file.
  static FunctionTable Of(std::string_view file);

  // The demangled name of the function at this offset of the file; empty if there is none.
  std::string NameAt(uint64_t file_offset) const;
  // The demangled names of all functions, by address.
  std::vector<std::string> Names() const;

 private:
  struct Function {
    uint64_t begin = 0;  // virtual address in the file
    uint64_t end = 0;
    std::string name;  // mangled
  };
  struct Load {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint64_t address = 0;
  };

  std::vector<Function> functions_;  // by begin
  std::vector<Load> loads_;
};

class AddressNames {
 public:
  // Reads the mappings and files of the process. process: "self" or a number.
  static absl::StatusOr<AddressNames> OfProcess(const std::string& process);
  // From the text of /proc/PID/maps; tables are by path.
  AddressNames(std::string_view maps, std::map<std::string, FunctionTable> tables);

  // The name of the function at the address, without parameters. "[FILE]" if the file has no name
  // for it, "[unknown]" if nothing is mapped there.
  std::string NameAt(uint64_t address) const;

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;
    std::string path;
  };

  std::vector<Range> ranges_;  // executable, by begin
  std::map<std::string, FunctionTable> tables_;
};

// "TermLeaf::ScoreDocs" for the demangled name of a function: without parameters, template
// arguments, return type, the marks of clones and the namespace of pmdex.
std::string ShortFunctionName(std::string_view demangled);

}  // namespace pmdex
