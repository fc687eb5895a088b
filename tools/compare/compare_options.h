// What `pmdex compare` shall measure: the command line as a plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pmdex {

struct CompareOptions {
  std::string program;              // the pmdex that builds indexes
  std::vector<std::string> corpus;  // inputs of `pmdex index`; empty: `index` is compared
  std::string index;
  std::vector<std::string> query_files;  // empty: queries are made from the index
  std::vector<std::string> directories;  // where indexes are made; empty: `index` stays where it is
  std::vector<std::string> modes = {"pruned", "exhaustive"};
  std::vector<size_t> threads = {1};
  size_t passes = 5;
  bool cold = false;
  std::vector<std::string> numa;  // "local", "remote"; empty: threads run on any node
  bool counters = false;
  std::string model;                // "optane", "cxl" or a file; empty: none
  std::vector<uint64_t> scales;     // empty: the whole corpus
  uint64_t llc_bytes = 0;           // 0: measured
  std::vector<std::string> beside;  // files that --json or --out wrote
  std::string out;                  // empty: no files are written
  bool resume = false;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
};

}  // namespace pmdex
