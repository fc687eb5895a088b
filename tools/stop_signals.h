// SIGINT and SIGTERM while a build runs: the first one sets a flag, and the build ends at a
// checkpoint; the next one ends the process at once, as it does without handlers. A signal that was
// ignored when the process started stays ignored, as under nohup.
#pragma once

#include "engine/ingest/pipeline/stop_flag.h"

namespace pmdex {

class StopSignals {
 public:
  // Installs the handlers; one object at a time.
  StopSignals();
  // Puts back what was there before.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const StopFlag& flag() const;
  // The first signal that came; 0: none.
  int signal() const;
  // From now on the first signal ends the process at once, too, and these words are written to
  // stderr before. They are a string literal.
  void EndAtOnce(const char* last_words);

 private:
  struct Handlers;
  static Handlers handlers_;
};

// "SIGINT", "SIGTERM".
const char* StopSignalName(int signal);

}  // namespace pmdex
