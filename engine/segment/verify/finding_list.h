// The findings in one file. The parts of the verifier add to it. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/segment/file/header_page.h"
#include "engine/segment/format.h"
#include "engine/segment/verify/finding.h"

namespace pmdex {

class FindingList {
 public:
  // max_findings: more findings are dropped; 0 counts as 1.
  FindingList(std::string file_name, size_t max_findings)
      : file_name_(std::move(file_name)), max_findings_(max_findings > 0 ? max_findings : 1) {}

  void Add(std::string_view section, uint64_t offset, std::string_view what) {
    if (full()) return;
    findings_.push_back({file_name_, std::string(section), offset, std::string(what)});
  }
  void Add(SectionKind kind, uint64_t offset, std::string_view what) {
    Add(ToString(kind), offset, what);
  }
  // Adds the finding if the condition is false. Returns the condition.
  bool Check(bool condition, SectionKind kind, uint64_t offset, std::string_view what) {
    if (!condition) Add(kind, offset, what);
    return condition;
  }
  // Adds a finding at the first byte that is not 0. first: the offset of bytes[0] in the section.
  void CheckZero(std::span<const std::byte> bytes, SectionKind kind, uint64_t first,
                 std::string_view what) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != std::byte{0}) return Add(kind, first + i, what);
    }
  }

  bool full() const { return findings_.size() >= max_findings_; }
  std::vector<Finding> Take() { return std::move(findings_); }

 private:
  const std::string file_name_;
  const size_t max_findings_;
  std::vector<Finding> findings_;
};

}  // namespace pmdex
