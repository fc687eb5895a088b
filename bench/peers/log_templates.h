// Makes log lines that repeat like those of real systems: a line is one of a few hundred templates
// with times, numbers and addresses filled in. log_templates.txt contains the templates and
// describes their syntax.
//
// The same templates and seed give the same lines. For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/peers/random.h"

namespace pmdex {

class LogTemplates {
 public:
  // text: the content of a template file. Throws std::runtime_error if it cannot parse a line.
  LogTemplates(std::string_view text, uint64_t seed);

  // Appends the next line to `out`, without a newline.
  void AppendLine(std::string& out);

  size_t system_count() const { return systems_.size(); }

 private:
  struct Template {
    uint64_t weight = 0;
    std::string text;
  };
  struct System {
    uint64_t share = 0;
    uint64_t weights = 0;  // of all its templates
    std::vector<Template> templates;
  };

  void ReadLine(std::string_view line);
  // Appends `text` with its placeholders filled in.
  void Expand(std::string_view text, std::string& out);
  // Appends a value for the placeholder, which is given without its braces.
  void Fill(std::string_view placeholder, std::string& out);
  void AppendChoice(std::string_view choices, std::string& out);
  void AppendTime(const std::string& format, std::string& out);
  uint64_t ThingOfSeveralLines();

  Random random_;
  std::vector<System> systems_;
  uint64_t shares_ = 0;  // of all systems
  uint64_t milliseconds_ = 1262304000000;
  uint64_t once_ = 1117838570;
  std::array<uint64_t, 64> things_ = {};  // the things that occur in the current lines
};

}  // namespace pmdex
