// Handles SIGINT and SIGTERM while a build runs. The first signal sets a flag, and the build ends
// at a checkpoint. The next one ends the process at once, as it does without a handler. A signal
// that was ignored when the process started (by nohup, say) stays ignored.
#pragma once

#include "engine/ingest/pipeline/stop_flag.h"

namespace pmdex {

class StopSignals {
 public:
  // Installs the handlers. Requires that no other object exists.
  StopSignals();
  // Restores the previous handlers.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  const StopFlag& flag() const;
  // The first signal that came; 0 if none did.
  int signal() const;
  // From now on every signal ends the process at once, and final_message is written to stderr
  // before. Requires a string literal.
  void EndAtOnce(const char* final_message);

 private:
  struct Handlers;
  static Handlers handlers_;
};

// "SIGINT", "SIGTERM".
const char* StopSignalName(int signal);

}  // namespace pmdex
